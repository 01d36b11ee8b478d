package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// sliced is a file whose writes to one tenant wait, from the second on, until they may
// go on.
type sliced struct {
	*sqlite.Store
	tenant  string
	reached chan bool // closed by the second
	goOn    chan bool
	mu      sync.Mutex
	sizes   []int // of the writes
}

func (s *sliced) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if k.Tenant == s.tenant {
		s.mu.Lock()
		s.sizes = append(s.sizes, len(b.Entries))
		n := len(s.sizes)
		s.mu.Unlock()
		if n == 2 {
			close(s.reached)
			<-s.goOn
		}
	}
	return s.Store.Append(ctx, k, b)
}

// A request with very many messages holds nobody: it is written in slices, between which
// a neighbour begins a conversation and goes on with it, with every answer on disk.
//
// SPEC: B6, V1
func TestLargeRequestHoldsNobody(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	up.lax = true
	o := options(up.url)
	o.Tenancy.ByCredential = true
	who := proxy.Credential(http.Header{"Authorization": {"Bearer large"}})
	s := &sliced{Store: onDisk(t, "").(*sqlite.Store), tenant: who, reached: make(chan bool), goOn: make(chan bool)}
	o.Engine.Store = s
	f := serve(t, o)
	const many = 18_000
	var ms []string
	for i := range many {
		ms = append(ms, fmt.Sprintf(`{"role":"user","content":"%d"}`, i))
	}
	ended := make(chan int)
	go func() {
		r := request(t, context.Background(), f.url+a.path, `{"model":"gpt-4.1","messages":[`+strings.Join(ms, ",")+`]}`, "Authorization", "Bearer large")
		resp, err := client(t).Do(r)
		if err != nil {
			t.Error(err)
			ended <- 0
			return
		}
		_ = resp.Body.Close()
		ended <- resp.StatusCode
	}()
	<-s.reached
	g := newAgent(t, a, f.url, false, "Authorization", "Bearer neighbour")
	for range 3 {
		g.step()
	}
	close(s.goOn)
	if status := <-ended; status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	for i, n := range s.sizes {
		if n > 1024 {
			t.Errorf("write %d has %d messages", i, n)
		}
	}
	if hs := f.threads(t, who); len(hs) != 1 || hs[0].Len != many || len(s.sizes) < many/1024 {
		t.Errorf("%d writes, threads %+v", len(s.sizes), hs)
	}
}

// A request with more messages than are taken passes as it is, and leaves nothing.
//
// SPEC: B6
func TestTooManyMessagesPass(t *testing.T) {
	for _, a := range apis {
		up := newProvider(t)
		up.lax = true
		o := options(up.url)
		o.Limits.MaxMessages = 40
		f := serve(t, o)
		var ms []string
		for i := range 41 {
			ms = append(ms, fmt.Sprintf(a.result, fmt.Sprint("call", i), `"text"`))
		}
		body := a.body(ms, false)
		if post(t, f.url+a.path, body); up.last() != body || len(f.threads(t, "")) != 0 || !strings.Contains(f.log.String(), "reason=messages") {
			t.Errorf("%s: %d threads, log %s", a.name, len(f.threads(t, "")), f.log)
		}
	}
}
