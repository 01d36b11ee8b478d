package proxy_test

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// named is a tool's name in a call.
var named = regexp.MustCompile(`"name":"read_file",`)

// Calls without a name pass as they came, with their results.
//
// SPEC: V5, B6
func TestNamelessCallsPass(t *testing.T) {
	for _, a := range few(apis) {
		up := newProvider(t)
		up.lax = true
		g := newAgent(t, a, "", false)
		f := serve(t, options(up.url))
		g.url = f.url + a.path
		for range 8 {
			g.step()
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 12 {
			lost := 0
			ms := make([]string, len(g.messages))
			for i, m := range g.messages {
				ms[i] = named.ReplaceAllStringFunc(m, func(s string) string {
					if n > 0 && rng.IntN(2) == 0 {
						return s
					}
					lost++
					return ""
				})
			}
			body := a.body(ms, false)
			if post(t, f.url+a.path, body); up.last() != body || lost == 0 {
				t.Fatalf("%s: %d calls have no name, and upstream got\n%s\nnot\n%s", a.name, lost, up.last(), body)
			}
		}
	}
}
