package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// ending is what the last event of a stream holds.
var ending = map[string]string{"anthropic": `"message_stop"`, "openai": "[DONE]", "responses": `"response.completed"`}

// A client that has read the whole of a 200 finds its request and the answer in the log,
// although the program is killed at that moment; in a sealed database, too.
//
// SPEC: V1, L16
func TestKilledAfterAnAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("the program that is killed is built without the race detector")
	}
	attack := hostile.Begin(t, "kills", 40, 10_000)
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		if strings.Contains(body, "slowly") {
			time.Sleep(3 * time.Millisecond)
		}
		up.mu.Lock()
		defer up.mu.Unlock()
		up.got = nil // nobody reads them
		return false
	}
	program := built(t)
	keys, err := seal.Generate()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := keys.CreateFile(keyFile); err != nil {
		t.Fatal(err)
	}
	sealed := attack.N / 4
	k := &killing{t: t, p: serving(t, program, up.url, 1<<20)}
	for n := range attack.N - sealed {
		k.kill(n)
	}
	k.count(nil)
	k.p = serving(t, program, up.url, 1<<20)
	k.p.args = append(k.p.args, "--key", keyFile)
	for n := range sealed {
		k.kill(n)
	}
	k.count(keys)
	attack.Found("%d answers read whole before a kill; %d requests and %d answers of these missing; a quarter of the kills on a sealed database", k.read, k.threads, k.answers)
	if k.threads+k.answers > 0 {
		t.Errorf("%d threads and %d answers of %d are missing", k.threads, k.answers, k.read)
	}
}

// killing starts the program and kills it, over one database.
type killing struct {
	t            *testing.T
	p            *process
	acknowledged []exchanged
	// read is how many answers were read whole; threads and answers are how many of these
	// are missing.
	read, threads, answers int
}

// exchanged is a request whose answer was read whole.
type exchanged struct{ thread, request string }

// kill has several clients ask, and ends the program when the first has its answer.
func (k *killing) kill(n int) {
	k.t.Helper()
	at := k.p.start()
	ctx, cancel := context.WithCancel(k.t.Context())
	got := make(chan exchanged, 8)
	var wg sync.WaitGroup
	for i := range 4 {
		a := apis[(n+i)%len(apis)]
		text := fmt.Sprintf("request %d of kill %d%s", i, n, []string{"", ", slowly"}[n%2])
		wg.Go(func() {
			for step := range 2 {
				one := exchanged{fmt.Sprintf("thread %d/%d/%d", n, i, step), text}
				if err := answeredWhole(ctx, at+a.path, a, one.thread, a.body([]string{strings.Replace(a.first, "nightly", text, 1)}, step == 0), step == 0); err != nil {
					return // it was killed before
				}
				got <- one
			}
		})
	}
	k.acknowledged = append(k.acknowledged, <-got)
	if err := k.p.cmd.Process.Kill(); err != nil {
		k.t.Fatal(err)
	}
	_ = k.p.cmd.Wait() // says that it was killed
	cancel()
	wg.Wait()
	for len(got) > 0 {
		k.acknowledged = append(k.acknowledged, <-got)
	}
}

// count looks for everything that was acknowledged.
func (k *killing) count(keys *seal.Keyring) {
	k.t.Helper()
	s, err := sqlite.Open(k.t.Context(), k.p.db, sqlite.Options{Keys: keys})
	if err != nil {
		k.t.Fatal(err)
	}
	defer s.Close()
	for _, one := range k.acknowledged {
		key := store.Key{Thread: one.thread}
		es, err := s.Load(k.t.Context(), key)
		if err != nil || !strings.Contains(fmt.Sprint(es[len(es)-1].Message.Parts), one.request) {
			k.t.Logf("%s: %v", one.thread, err)
			k.threads++
			continue
		}
		if ms, err := precis.LastReply(k.t.Context(), s, key); err != nil || len(ms) == 0 {
			k.t.Logf("%s: answer: %v", one.thread, err)
			k.answers++
		}
	}
	k.read, k.acknowledged = k.read+len(k.acknowledged), nil
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
