//go:build unix

package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// nodes are proxies over one database.
type nodes struct {
	t       *testing.T
	server  *testpostgres.Server
	up      *provider
	all     []*process
	mu      sync.Mutex
	urls    []string            // of all; "" while one is down
	prompts map[string][]string // what the provider got, by its last question
}

func newNodes(t *testing.T, n int, settings ...string) *nodes {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts servers and programs")
	}
	c := &nodes{t: t, server: testpostgres.Start(t, settings...), up: newProvider(t), prompts: map[string][]string{}}
	url := c.server.URL("postgres")
	if _, err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	c.up.lax = true
	c.up.answer = c.answer
	program := built(t)
	for range n {
		p := serving(t, program, c.up.url, 4000)
		p.args = append(p.args, "--db", url, "--recall", "off")
		c.all, c.urls = append(c.all, p), append(c.urls, p.start())
	}
	t.Cleanup(func() {
		for _, p := range c.all {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait() // says that it was killed
		}
	})
	return c
}

// answer answers a question the same way each time.
func (c *nodes) answer(w http.ResponseWriter, _ *http.Request, body string) bool {
	at := strings.LastIndex(body, "question ")
	asked, _, _ := strings.Cut(body[at:], ";")
	c.mu.Lock()
	c.prompts[asked] = append(c.prompts[asked], body)
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"c","object":"chat.completion","model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":20,"total_tokens":%d}}`,
		quoted("answer to "+asked), tokens(c.t, apis[1], body), tokens(c.t, apis[1], body)+20)
	return true
}

// dialogue is a conversation of a client.
type dialogue struct {
	thread   string
	messages []string
	answered int // questions
}

func (k *dialogue) ask() {
	text := fmt.Sprintf("question %d of %s; %s", k.answered, k.thread, strings.Repeat(fmt.Sprintf("line %d of %s. ", k.answered, k.thread), 40))
	k.messages = append(k.messages, `{"role":"user","content":`+quoted(text)+`}`)
}

// said keeps the answer to the last question.
func (k *dialogue) said() {
	k.messages = append(k.messages, fmt.Sprintf(`{"role":"assistant","content":%s}`, quoted(fmt.Sprintf("answer to question %d of %s", k.answered, k.thread))))
	k.answered++
}

// send asks a node, and fails unless the whole answer came.
func (c *nodes) send(ctx context.Context, url string, k *dialogue) error {
	body := apis[1].body(k.messages, false)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+apis[1].path, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Precis-Thread", k.thread)
	r.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}).Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// any is the address of one node of those that run.
func (c *nodes) any() string {
	for {
		c.mu.Lock()
		url := c.urls[rand.IntN(len(c.urls))]
		c.mu.Unlock()
		if url != "" {
			return url
		}
		time.Sleep(time.Millisecond)
	}
}

// missing counts what is not in the database of the last question that was answered to
// each talk, and the answer to it.
func (c *nodes) missing(s store.Store, talks []*dialogue) (n int) {
	for _, k := range talks {
		if k.answered == 0 {
			continue
		}
		key := store.Key{Thread: k.thread}
		es, err := s.Load(c.t.Context(), key)
		if err != nil {
			c.t.Log(err)
			n++
			continue
		}
		last, _ := precis.LastReply(c.t.Context(), s, key)
		said := fmt.Sprint(last)
		for _, e := range es {
			said += fmt.Sprint(e.Message.Parts)
		}
		for _, want := range []string{"question %d of %s;", "answer to question %d of %s"} {
			if want = fmt.Sprintf(want, k.answered-1, k.thread); !strings.Contains(said, want) {
				c.t.Logf("%s: %q is missing", k.thread, want)
				n++
			}
		}
	}
	return n
}

// Three nodes serve conversations that go to any of them, and are killed one after the
// other: what a client has the answer of is in the log, every conversation goes on, and
// all nodes make the same prompt of it.
//
// SPEC: V1, V3, B14
func TestNodesKilled(t *testing.T) {
	attack := hostile.Begin(t, "nodekills", 6, 500)
	c := newNodes(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var talks []*dialogue
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				k := &dialogue{thread: fmt.Sprintf("talk %d/%d", w, n)}
				mu.Lock()
				talks = append(talks, k)
				mu.Unlock()
				for k.answered < 30 && ctx.Err() == nil {
					k.ask()
					for c.send(ctx, c.any(), k) != nil && ctx.Err() == nil { // a node was killed: another one is asked
						continue
					}
					if ctx.Err() == nil {
						k.said()
					}
				}
			}
		})
	}
	for n := range attack.N {
		i := n % len(c.all)
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		c.mu.Lock()
		c.urls[i] = ""
		c.mu.Unlock()
		if err := c.all[i].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.all[i].cmd.Wait() // says that it was killed
		url := c.all[i].start()
		c.mu.Lock()
		c.urls[i] = url
		c.mu.Unlock()
	}
	time.Sleep(time.Second)
	cancel()
	wg.Wait()
	c.finish(attack, talks)
}

// finish asks each talk's last question on all nodes, compares the prompts, and looks for
// what is missing.
func (c *nodes) finish(attack *hostile.Attack, talks []*dialogue) {
	t := c.t
	asked, differ, stuck := 0, 0, 0
	for _, k := range talks[max(0, len(talks)-20):] {
		if len(k.messages)%2 == 0 {
			k.ask()
		}
		c.prompts = map[string][]string{}
		for _, url := range c.urls {
			if err := c.send(t.Context(), url, k); err != nil {
				t.Logf("%s: %v", k.thread, err)
				stuck++
			}
		}
		k.said()
		for _, prompts := range c.prompts {
			for _, p := range prompts[1:] {
				if p != prompts[0] {
					differ++
				}
			}
		}
	}
	s, err := postgres.Open(t.Context(), c.server.URL("postgres"), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	missing, plans := c.missing(s, talks), 0
	heads, err := s.Heads(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heads {
		plans += h.PlanVersion
	}
	for _, k := range talks {
		asked += k.answered
	}
	attack.Found("%d conversations, %d answers read whole, %d plans; %d missing, %d prompts that differ between nodes, %d stuck", len(talks), asked, plans, missing, differ, stuck)
	if missing+differ+stuck > 0 || asked == 0 {
		t.Errorf("missing %d, different %d, stuck %d of %d", missing, differ, stuck, asked)
	}
}

// With the database gone requests pass with their own bytes within a bounded time, and
// the node says that it is not ready; with the database back, the next request brings
// what is missing, and the conversation is compacted as ever.
//
// SPEC: V9, B14
func TestDatabaseGoneAndBack(t *testing.T) {
	c := newNodes(t, 1, "fsync=on") // it has to come back
	k := &dialogue{thread: "talk"}
	turn := func() (prompt string) {
		k.ask()
		asked := fmt.Sprintf("question %d of talk", k.answered)
		if err := c.send(t.Context(), c.urls[0], k); err != nil {
			t.Fatalf("%s: %v", asked, err)
		}
		k.said()
		return c.prompts[asked][0]
	}
	for range 8 {
		turn()
	}
	c.server.Kill()
	if n := status(t, c.urls[0]+"/readyz"); n != http.StatusServiceUnavailable {
		t.Errorf("ready: %d", n)
	}
	begun := time.Now()
	k.ask()
	if err := c.send(t.Context(), c.urls[0], k); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("passed after %v", took)
	}
	if got := c.prompts["question 8 of talk"][0]; got != apis[1].body(k.messages, false) {
		t.Errorf("did not pass as it was: %.300s", got)
	}
	k.said()
	if err := c.server.Run(); err != nil {
		t.Fatal(err)
	}
	for status(t, c.urls[0]+"/readyz") != http.StatusOK {
		time.Sleep(20 * time.Millisecond)
	}
	turn()
	s, err := postgres.Open(t.Context(), c.server.URL("postgres"), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	es, err := s.Load(t.Context(), store.Key{Thread: "talk"})
	if err != nil || len(es) != 19 || c.missing(s, []*dialogue{k}) != 0 {
		t.Errorf("%d of 19 messages: %v", len(es), err)
	}
	for range 12 {
		turn()
	}
	if p, err := s.Plan(t.Context(), store.Key{Thread: "talk"}); err != nil || len(p.Records) == 0 {
		t.Errorf("it is not compacted: %v", err)
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // only its status was asked for
	return resp.StatusCode
}
