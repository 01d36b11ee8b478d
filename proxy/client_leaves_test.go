package proxy_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/store"
)

// A client that leaves with the last event, while the provider's answer is not at
// its end yet, has been answered: the log keeps what.
//
// SPEC: V1
func TestClientLeavesAfterTheLastEvent(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			over := make(chan struct{})
			text := stream(a, 1, 100)
			up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				up.send(w, "text/event-stream", text)
				<-r.Context().Done() // the answer ends with its client
				close(over)
				return true
			}
			f := serve(t, options(up.url))
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			resp, err := client(t).Do(request(t, ctx, f.url+a.path, a.body([]string{a.first}, true)))
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for s := bufio.NewReader(resp.Body); got.Len() < len(text); {
				line, err := s.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(line)
			}
			leave()
			_ = resp.Body.Close() // it was read
			<-over
			f.answered(t)
		})
	}
}

// answered waits until the one thread there is has an answer.
func (f *front) answered(t *testing.T) {
	t.Helper()
	for range 500 {
		if hs := f.threads(t, ""); len(hs) == 1 {
			k := store.Key{Thread: hs[0].Key.Thread}
			if ms, err := precis.LastReply(t.Context(), f.store, k); err == nil && len(ms) > 0 {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the answer is lost: %s", f.log)
}
