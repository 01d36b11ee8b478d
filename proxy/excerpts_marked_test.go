package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/wirecheck"
)

// A client that has its messages cached, as Claude Code does with a marker on the last block, gets a
// marker behind the excerpts of a summary, of the life of its own: the excerpts stand from one
// compaction to the next, and the provider's cache of the beginning holds. No other request is
// given a marker.
//
// SPEC: V6, V11, B21 · WA10, WA11, WC2
func TestExcerptsAreMarked(t *testing.T) {
	const short, long = `,"cache_control":{"type":"ephemeral"}`, `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	for _, c := range []struct {
		name, system, tail, top string
		marked                  string // what stands behind the excerpts
	}{
		{"the end", short, short, "", short},
		{"the end for an hour", long, long, "", long},
		{"the end, by the provider", long, "", `"cache_control":{"type":"ephemeral","ttl":"1h"},`, long},
		{"the system prompt only", short, "", "", ""},
		{"nothing", "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apiNamed(t, "anthropic")
			a.head = c.top + strings.Replace(a.head, short, c.system, 1)
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			g.write = func(messages []string) string {
				last := len(messages) - 1
				own := append(messages[:last:last], strings.Replace(messages[last], `"}]}`, `"`+c.tail+`}]}`, 1))
				return a.body(own, true)
			}
			var s wirecheck.Session
			var head string // of the last request, up to the marker behind its excerpts
			added, stood := 0, 0
			for n := range 100 {
				g.step()
				sent, got := g.sent, up.requests()[n].body
				for _, fault := range s.Request([]byte(got), wirecheck.Options{}) {
					t.Error(fault)
				}
				count := func(body string) int { return strings.Count(body, `"cache_control":`) }
				more := count(got) - count(sent)
				if more < 0 || more > 1 || more == 1 && !strings.Contains(got, "[Summary v") {
					t.Fatalf("%d markers for %d", count(got), count(sent))
				}
				if more == 0 {
					continue
				}
				added++
				_, excerpts, _ := strings.Cut(got, "Lines of the log")
				above, _, ok := strings.Cut(excerpts, c.marked+"}")
				if !ok || strings.Contains(above, "[Summary v") {
					t.Fatalf("the marker is not the last excerpt's: %s", got)
				}
				if head != "" && !strings.HasPrefix(got, head) {
					t.Logf("request %d begins anew", n)
				} else if head != "" {
					stood++
				}
				head = fmt.Sprint(got[:strings.Index(got, "Lines of the log")], "Lines of the log", above)
			}
			plans := f.threads(t, "")[0].PlanVersion
			if c.marked == "" {
				if added > 0 || plans < 2 {
					t.Errorf("%d markers added, %d plans", added, plans)
				}
				return
			}
			if added == 0 || stood <= added*3/4 || plans < 4 {
				t.Errorf("of %d requests with a marker %d begin as the one before, of %d plans", added, stood, plans)
			}
		})
	}
}
