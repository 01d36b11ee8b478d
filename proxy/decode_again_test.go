package proxy_test

import (
	"strings"
	"testing"
)

// What goes upstream is the same whether a request is decoded from its beginning
// or goes on from the one before, under a plan and without one.
//
// SPEC: V5, V11
func TestDecodedFromTheBeginning(t *testing.T) {
	for _, a := range few(apis) {
		t.Run(a.name, func(t *testing.T) {
			var got [2][]received
			for i := range got {
				up := newProvider(t)
				o := options(up.url)
				o.Budget = budget
				f := serve(t, o)
				g := newAgent(t, a, f.url, true)
				g.lines = 16
				for range 30 {
					if i == 1 {
						f.proxy.Forget()
					}
					g.step()
				}
				if f.plans(t) == 0 {
					t.Fatal("no plan was made")
				}
				got[i] = up.requests()
				_, m := get(t, f.url+"/metrics")
				if want := []string{"precis_histories_hits_total 29\n", "precis_histories_hits_total 0\n"}[i]; !strings.Contains(m, want) || !strings.Contains(m, "precis_histories_kept 1\n") {
					t.Errorf("%s is not in %s", want, m)
				}
			}
			if len(got[0]) != len(got[1]) {
				t.Fatalf("%d requests, and %d", len(got[0]), len(got[1]))
			}
			for i := range got[0] {
				if got[0][i].body != got[1][i].body {
					t.Fatalf("request %d is\n%s\nand\n%s", i, got[0][i].body, got[1][i].body)
				}
			}
		})
	}
}
