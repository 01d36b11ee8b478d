package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// kills is how often TestKilledAfterAnAnswer ends the program; PRECIS_KILLS sets more.
func kills(t *testing.T) int {
	n := 40
	if testing.Short() {
		n = 8
	}
	if s := os.Getenv("PRECIS_KILLS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// ending is what the last event of a stream holds.
var ending = map[string]string{"anthropic": `"message_stop"`, "openai": "[DONE]", "responses": `"response.completed"`}

// A client that has read the whole of a 200 finds its request and the answer in the log,
// although the program is killed at that moment.
//
// SPEC: V1
func TestKilledAfterAnAnswer(t *testing.T) {
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if strings.Contains(body, "slowly") {
			time.Sleep(3 * time.Millisecond)
		}
		return false
	}
	p := serving(t, built(t), up.url, 1<<20)
	type said struct{ thread, request string }
	var acknowledged []said
	for kill := range kills(t) {
		at := p.start()
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan said, 8)
		var wg sync.WaitGroup
		for i := range 4 {
			a := apis[(kill+i)%len(apis)]
			text := fmt.Sprintf("request %d of kill %d%s", i, kill, []string{"", ", slowly"}[kill%2])
			wg.Go(func() {
				for step := range 2 {
					one := said{fmt.Sprintf("thread %d/%d/%d", kill, i, step), text}
					if err := answeredWhole(ctx, at+a.path, a, one.thread, a.body([]string{strings.Replace(a.first, "nightly", text, 1)}, step == 0), step == 0); err != nil {
						return // it was killed before
					}
					got <- one
				}
			})
		}
		acknowledged = append(acknowledged, <-got)
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait() // says that it was killed
		cancel()
		wg.Wait()
		for len(got) > 0 {
			acknowledged = append(acknowledged, <-got)
		}
	}
	s, err := sqlite.Open(t.Context(), p.db, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	threads, answers := 0, 0
	for _, one := range acknowledged {
		k := store.Key{Thread: one.thread}
		es, err := s.Load(t.Context(), k)
		if err != nil || !strings.Contains(fmt.Sprint(es[len(es)-1].Message.Parts), one.request) {
			t.Logf("%s: %v", one.thread, err)
			threads++
			continue
		}
		if ms, err := precis.LastReply(t.Context(), s, k); err != nil || len(ms) == 0 {
			t.Logf("%s: answer: %v", one.thread, err)
			answers++
		}
	}
	t.Logf("%d answers read whole before %d kills", len(acknowledged), kills(t))
	if threads+answers > 0 {
		t.Errorf("%d threads and %d answers of %d are missing", threads, answers, len(acknowledged))
	}
}

// answeredWhole posts and reads the answer as a client does: a stream up to its last
// event.
func answeredWhole(ctx context.Context, url string, a api, thread, body string, streamed bool) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Precis-Thread", thread)
	r.Header.Set("Content-Type", "application/json")
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	if !streamed {
		_, err = io.ReadAll(resp.Body)
		return err
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), ending[a.name]) && strings.HasPrefix(lines.Text(), "data:") {
			return nil
		}
	}
	return io.ErrUnexpectedEOF
}
