package proxy_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/tool"
)

// What a tool calls confidential, a model reads only when it asks for it and the
// operator lets it.
//
// SPEC: L15
func TestModelReadsWithPermission(t *testing.T) {
	bothOf(t, few(apis), func(t *testing.T, a api, stream bool) {
		for _, permissions := range [][]string{nil, {artifact.ReadConfidential}} {
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.Permissions = budget, permissions
			p, err := policy.Named("ladder")
			if err != nil {
				t.Fatal(err)
			}
			o.Engine.Policy = p
			o.Engine.Tools = map[string]tool.Policy{}
			for _, name := range []string{"bash", "Bash", "read_file"} {
				o.Engine.Tools[name] = tool.Policy{Durability: tool.Anchoring, ExternalizeAt: 60, Sensitivity: "confidential"}
			}
			f := serve(t, o)
			g := newAgent(t, a, f.url, stream)
			g.lines = 16
			planned(t, up, g)
			pointer := regexp.MustCompile(`artifact:(a[0-9a-f]{12})\]`).FindStringSubmatch(up.last())
			if pointer == nil {
				t.Fatalf("nothing was moved out: %.2000s", up.last())
			}
			round := 0
			up.speak(a, func(body string) *line {
				if round++; round == 1 {
					return &line{calls: [][3]string{{"r1", "read_artifact", `{"id":"` + pointer[1] + `"}`}}}
				}
				if denied := strings.Contains(body, "permission"); denied == (permissions != nil) {
					t.Errorf("permissions %v: %s", permissions, body[max(len(body)-800, 0):])
				}
				return &line{text: "I see."}
			})
			g.step()
			if round != 2 {
				t.Errorf("%d rounds", round)
			}
		}
	})
}
