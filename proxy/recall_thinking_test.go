package proxy_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// binding is a model that binds its thinking to what stands before it, the tools
// included.
const binding = "claude-opus-5-5"

// room is what its sessions are kept within: a tenth of it holds the tools.
const room = 16_000

// curious is what a model says that thinks before it looks something up, alone,
// twice in a row, or beside a call of its client's.
func curious(looks *int) func(int, string) []string {
	return func(n int, body string) []string {
		out := talk(n, body)
		if !strings.Contains(body, `"precis_grep"`) {
			return out
		}
		found := fmt.Sprintf(`{"type":"tool_use","id":"look_%d","name":"precis_grep","input":{"query":"part%d"}}`, n, n/2)
		think := fmt.Sprintf(`{"type":"thinking","thinking":"What was part %d about?"}`, n/2)
		switch n % 6 {
		case 1, 2:
			*looks++
			return []string{think, found}
		case 4:
			*looks++
			return append(out, found)
		}
		return out
	}
}

// strictly is a proxy before a strict provider.
func strictly(s *strict, st store.Store) proxy.Options {
	o := options(s.url)
	o.Budget, o.Engine.Store = room, st
	return o
}

// standing: nothing was refused, and nothing had to be mended.
func (s *strict) standing(f *front, looks int, thinks bool) {
	s.t.Helper()
	if len(s.refusals) > 0 {
		s.t.Errorf("%d refusals, the first: %s", len(s.refusals), s.refusals[0])
	}
	if strings.Contains(f.log.String(), "WARN") {
		s.t.Errorf("log %s", f.log)
	}
	if most := slices.Max(s.thought[len(s.thought)-5:]); looks < 5 || thinks && most == 0 {
		s.t.Errorf("%d look-ups, %d blocks of thinking in one of the last requests", looks, most)
	}
	if s.most > room {
		s.t.Errorf("a request of %d tokens", s.most)
	}
}

// Thinking before and after a look-up, and all that follows, keeps its prefix: as
// long as the look-up stands, when a plan takes it out, and when the tools are
// declared at all. So it does when each step is another process's.
//
// SPEC: B8, B9, V3, V6 · WT1, WT2, WT3, WT4, WT9
func TestRecallBound(t *testing.T) {
	for _, habit := range few([]string{echoes, tidies, forgets}) {
		for _, stream := range few([]bool{true, false}) {
			t.Run(fmt.Sprintf("%s/stream=%t", habit, stream), func(t *testing.T) {
				up := newStrict(t, binding)
				looks := 0
				up.says = curious(&looks)
				path := filepath.Join(t.TempDir(), "p.db")
				f := serve(t, strictly(up, onDisk(t, path)))
				g := newThinker(t, f.url, binding, habit)
				g.stream = stream
				for i := range 45 {
					if i%15 == 14 {
						g.url = serve(t, strictly(up, onDisk(t, path))).url + "/v1/messages"
					}
					if !g.step() {
						break
					}
				}
				up.standing(f, looks, habit != forgets)
			})
		}
	}
}

// Where the tools come or go between two plans, and where asides go without one,
// thinking from before is left out.
//
// SPEC: B9, V9 · WT3, WT4
func TestRecallBoundLoses(t *testing.T) {
	for name, change := range map[string]func(*proxy.Options, *precis.Engine, *front){
		"tools": func(o *proxy.Options, _ *precis.Engine, _ *front) { o.Prompt.Recall = proxy.RecallOff },
		"asides": func(_ *proxy.Options, e *precis.Engine, f *front) {
			h := f.threads(t, "")[0]
			es, err := f.store.Load(t.Context(), h.Key)
			if err == nil {
				err = e.Erase(t.Context(), h.Key.Thread, es[h.Len-4].ID, artifact.Tombstone{By: "ann"})
			}
			if err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := newStrict(t, binding)
			looks := 0
			up.says = curious(&looks)
			o := strictly(up, memory.New())
			f := serve(t, o)
			g := newThinker(t, f.url, binding, echoes)
			for i := 0; i < 90 && looks < 8 && g.step(); i++ {
				continue
			}
			e, err := precis.New(precis.Options{Store: o.Engine.Store})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			change(&o, e, f)
			f = serve(t, o)
			g.url = f.url + "/v1/messages"
			for range 10 {
				if !g.step() {
					break
				}
			}
			up.standing(f, looks, true)
		})
	}
}
