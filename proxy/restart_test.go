package proxy_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/store"
)

// budget is what the sessions below are kept within, in tokens.
const budget = 12_000

// threads are the heads of all threads of a tenant.
func (f *front) threads(t testing.TB, tenant string) []store.Head {
	t.Helper()
	hs, err := f.store.Heads(context.Background(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	return hs
}

// breaks counts the requests whose messages do not begin with those of the
// request before.
func breaks(t testing.TB, a api, got []received) (n int) {
	t.Helper()
	var last []string
	for _, r := range got {
		req, err := a.codec.Decode([]byte(r.body))
		if err != nil {
			t.Fatal(err)
		}
		var now []string
		for _, m := range req.Messages {
			now = append(now, string(m.Raw))
		}
		for i, m := range last {
			if i >= len(now) || now[i] != m {
				n++
				break
			}
		}
		last = now
	}
	return n
}

// A session of 60 turns: every request is valid and within the budget, the
// prefix changes when a plan is committed and never else, and the log has all
// that was said.
//
// SPEC: B6, V1, V3, V4, V6 · WP1, WA5, WO1, WO2
func TestSession(t *testing.T) {
	for _, a := range apis {
		for _, stream := range few([]bool{true, false}) {
			t.Run(fmt.Sprintf("%s/stream=%t", a.name, stream), func(t *testing.T) {
				up := newProvider(t)
				up.pieces = 37
				o := options(up.url)
				o.Budget = budget
				f := serve(t, o)
				g := newAgent(t, a, f.url, stream)
				g.lines = 16
				for range 60 {
					g.step()
				}
				if up.most > budget {
					t.Errorf("a request of %d tokens", up.most)
				}
				hs := f.threads(t, "")
				if len(hs) != 1 {
					t.Fatalf("%d threads: %+v", len(hs), hs)
				}
				n := breaks(t, a, up.requests())
				if n == 0 || n != hs[0].PlanVersion || n > 6 {
					t.Errorf("%d prefix breaks, %d plans", n, hs[0].PlanVersion)
				}
				f.complete(t, hs[0], g)
				if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, "precis_threads_kept 1\n") || !strings.Contains(m, "precis_threads_hits_total 59\n") {
					t.Errorf("the session was not found in memory each time: %s", m)
				}
			})
		}
	}
}

// complete: the log holds every message of the agent's last request as it was
// sent, and the answer to it as it came.
func (f *front) complete(t *testing.T, h store.Head, g *agent) {
	t.Helper()
	es, err := f.store.Load(context.Background(), h.Key)
	if err != nil {
		t.Fatal(err)
	}
	req, err := g.api.codec.Decode([]byte(g.body()))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range es {
		if string(e.Message.Raw) != string(req.Messages[i].Raw) {
			t.Fatalf("message %d is logged as %s", i, e.Message.Raw)
		}
	}
	if rest := len(req.Messages) - len(es); rest != len(g.last) { // the answer to the last request
		t.Errorf("%d of %d messages are not logged", rest, len(req.Messages))
	}
	answer, err := precis.LastReply(context.Background(), f.store, h.Key)
	if err != nil || len(answer) == 0 {
		t.Errorf("no answer is kept to the last request: %v", err)
	}
	for i, m := range answer {
		if want := req.Messages[len(es)+i]; string(m.Raw) != string(want.Raw) {
			t.Errorf("the answer is kept as %s, it came as %s", m.Raw, want.Raw)
		}
	}
}

// A proxy that starts again over the same file changes no byte of the prefix.
//
// SPEC: V1, V5, V6
func TestRestart(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			path := filepath.Join(t.TempDir(), "p.db")
			var g *agent
			plans := 0
			for range 6 { // each one a process
				s := onDisk(t, path)
				o := options(up.url)
				o.Budget, o.Engine.Store = budget, s
				f := serve(t, o)
				if g == nil {
					g = newAgent(t, a, f.url, true)
				}
				g.url = f.url + a.path
				for range 6 {
					g.step()
				}
				plans = f.threads(t, "")[0].PlanVersion
			}
			if n := breaks(t, a, up.requests()); n != plans || n == 0 {
				t.Errorf("%d breaks, %d plans", n, plans)
			}
		})
	}
}
