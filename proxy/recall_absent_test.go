package proxy_test

import (
	"regexp"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/proxy"
)

var recallTool = regexp.MustCompile(`precis_\w+|read_artifact`)

// Where the model has no tools to read back, no text of ours tells it to call one; where
// it has them, the pointers name them.
//
// SPEC: B8, V6
func TestNoToolsNoPointers(t *testing.T) {
	for n, name := range few(policy.Names()) {
		a := apis[n%len(apis)]
		t.Run(name+"/"+a.name, func(t *testing.T) {
			for _, mode := range []proxy.Recall{proxy.RecallOff, proxy.RecallWithPlan} {
				up := newProvider(t)
				o := options(up.url)
				p, err := policy.Named(name)
				if err != nil {
					t.Fatal(err)
				}
				o.Engine.Policy, o.Budget, o.Prompt.Recall = p, budget, mode
				f := serve(t, o)
				g := newAgent(t, a, f.url, false)
				g.lines = 90
				told := false
				for range 10 {
					g.step()
					at := recallTool.FindStringIndex(up.last())
					told = told || at != nil
					if mode == proxy.RecallOff && at != nil {
						t.Fatalf("%s: the prompt says %q", name, up.last()[max(0, at[0]-200):at[1]+40])
					}
				}
				if f.plans(t) == 0 {
					t.Errorf("%s: no plan was made", name)
				}
				if mode == proxy.RecallWithPlan && name == "balanced" && !told {
					t.Errorf("%s: no pointer names a tool", name)
				}
			}
		})
	}
}
