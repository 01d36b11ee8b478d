//go:build unix

package proxy_test

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestScaleNodes measures three nodes over one database against one node over a file.
// Clients, provider, nodes and database share the machine.
func TestScaleNodes(t *testing.T) {
	scaling(t)
	c := newNodes(t, 0, durable...)
	program, url := built(t), c.server.URL("postgres")
	one := &nodes{t: t, up: c.up}
	up := httptest.NewServer(http.HandlerFunc(briefly))
	defer up.Close()
	c.up.url = up.URL
	for n := range 4 {
		p := serving(t, program, c.up.url, 242_000)
		p.args = append(p.args, "--recall", "off")
		of := one
		if n > 0 {
			p.args, of = append(p.args, "--db", url), c
		}
		of.all, of.urls = append(of.all, p), append(of.urls, p.start())
		defer func() { _ = p.cmd.Process.Kill() }() // unless report ended it
	}
	t.Log("| nodes; conversations | request | how many | added, p50 | added, p99 | provider alone, p50 |")
	t.Log("|---|---|---|---|---|---|")
	for _, x := range []struct {
		name string
		c    *nodes
	}{{"three nodes, PostgreSQL", c}, {"one node, SQLite", one}} {
		m := &measured{nodes: x.c, name: x.name}
		m.mixed(60, 4)
		m.mixed(600, 1)
		m.mixed(600, 4)
		m.hot()
		m.report()
	}
}

// briefly answers at once, whatever is asked, and counts nothing: what a real provider
// takes is no part of what is measured.
func briefly(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"id":"c","object":"chat.completion","model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":"Said."},"finish_reason":"stop"}]}`))
}

// measured are the requests of mixed conversations, in the order of each of them.
type measured struct {
	*nodes
	name string
	mu   sync.Mutex
	runs []run
}

// run is some conversations of one size.
type run struct {
	what  string
	steps []step
	took  time.Duration
}

// step is a request of a conversation: to the provider, and through a node.
type step struct {
	thread          string
	messages, node  int
	direct, through time.Duration
}

// mixed sends 56 requests of each of 16 conversations of so many kB, some at once: every
// other to the node that served the conversation last, the rest to another one; and the
// same to the provider, for what is added.
func (m *measured) mixed(kb, atOnce int) {
	var wg sync.WaitGroup
	r := run{what: fmt.Sprintf("conversations of %d kB, %s", kb, map[int]string{1: "one at a time", 4: "four at once"}[atOnce])}
	begun := time.Now()
	for w := range atOnce {
		wg.Go(func() {
			for n := w; n < 16; n += atOnce {
				steps := m.conversation(fmt.Sprintf("%d/%d/%d", kb, atOnce, n), kb)
				m.mu.Lock()
				r.steps = append(r.steps, steps...)
				m.mu.Unlock()
			}
		})
	}
	wg.Wait()
	r.took = time.Since(begun)
	m.runs = append(m.runs, r)
}

func (m *measured) conversation(thread string, kb int) (steps []step) {
	k := &dialogue{thread: thread}
	for range kb * 1000 / 1300 {
		k.ask()
		k.said()
	}
	node := rand.IntN(len(m.urls))
	for i := range 56 {
		if i%2 == 1 && len(m.urls) > 1 {
			node = (node + 1 + rand.IntN(len(m.urls)-1)) % len(m.urls)
		}
		k.ask()
		direct := timed(m.t, m.nodes, m.up.url, k)
		steps = append(steps, step{thread, len(k.messages), node, direct, timed(m.t, m.nodes, m.urls[node], k)})
		k.said()
	}
	return steps
}

// timed is how long a request takes.
func timed(t *testing.T, c *nodes, url string, k *dialogue) time.Duration {
	begun := time.Now()
	if err := c.send(t.Context(), url, k); err != nil {
		t.Error(err)
	}
	return time.Since(begun)
}

// hot sends 50 requests a second of one thread to all nodes.
func (m *measured) hot() {
	k := &dialogue{thread: "hot"}
	for range 40 {
		k.ask()
		k.said()
	}
	k.ask()
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 300 {
		<-tick.C
		wg.Go(func() {
			took := timed(m.t, m.nodes, m.any(), k)
			mu.Lock()
			all = append(all, took)
			mu.Unlock()
		})
	}
	wg.Wait()
	m.t.Logf("| %s; one thread of 80 messages at 50 requests a second | whole request | %s | |", m.name, quantiles(all))
}

// logged is what a node says of a call.
type logged struct{ outcome, plan string }

var calls = regexp.MustCompile(`messages=(\d+) .* thread=(\S+) .*?(?: plan=(\d+))? outcome=(\w+)`)

// report ends the nodes, and tells what the requests took by what they were, as the nodes
// logged it.
func (m *measured) report() {
	said := map[string]logged{}
	for _, p := range m.all {
		p.stop()
		for _, line := range calls.FindAllStringSubmatch(p.stderr.String(), -1) {
			said[line[2]+" "+line[1]] = logged{outcome: line[4], plan: line[3]}
		}
	}
	for _, r := range m.runs {
		kinds := map[string][]step{}
		for thread := range threadsOf(r.steps) {
			for kind, steps := range byKind(thread, said) {
				kinds[kind] = append(kinds[kind], steps...)
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			var direct, added []time.Duration
			for _, s := range kinds[kind] {
				direct, added = append(direct, s.direct), append(added, s.through-s.direct)
			}
			m.t.Logf("| %s; %s | %s | %s | %.1f ms |", m.name, r.what, kind[2:], quantiles(added), quantile(direct, .5))
		}
		m.t.Logf("| %s; %s | requests a second, beside as many to the provider | %.0f | | | |", m.name, r.what, float64(len(r.steps))/r.took.Seconds())
	}
}

// threadsOf are the steps of each thread.
func threadsOf(steps []step) iter.Seq[[]step] {
	by := map[string][]step{}
	for _, s := range steps {
		by[s.thread] = append(by[s.thread], s)
	}
	return maps.Values(by)
}

// byKind sorts a thread's steps by what they are to the node that served them. The number
// before a kind orders them.
func byKind(thread []step, said map[string]logged) map[string][]step {
	kinds := map[string][]step{}
	plans := map[int]string{} // the last that each node saw
	last := -1
	for _, s := range thread {
		l := said[s.thread+" "+strconv.Itoa(s.messages)]
		plan, known := plans[s.node]
		kind := "2 next step, the node that served the last"
		switch {
		case last < 0:
			kind = "0 first of a thread: all of it is new"
		case l.outcome == "compacted" || l.outcome == "":
			kind = "5 next step that " + cmp.Or(l.outcome, "was not logged")
		case !known:
			kind = "1 next step, a node that never served it"
		case plan != l.plan:
			kind = "4 next step, a node that does not know the last plan"
		case last != s.node:
			kind = "3 next step, a node that served an earlier one"
		}
		kinds[kind] = append(kinds[kind], s)
		plans[s.node], last = l.plan, s.node
	}
	return kinds
}
