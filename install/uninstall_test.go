package install_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file into which nothing can be added as it is written, and which holds nothing of ours,
// is a fault for installing alone: there is nothing in it to take out. What stands in it
// from before is found and taken out.
//
// SPEC: B25
func TestNothingToTakeOut(t *testing.T) {
	const inline = "mcp_servers = { other = { command = \"mine\" } }\n"
	for _, x := range []struct{ agent, text string }{
		{"codex", inline}, {"codex", "mcp_servers = 1\n"}, {"gemini-cli", `{"mcpServers":[]}`}, {"opencode", `{"mcp":null}`},
	} {
		at, a := place(t), agent(t, x.agent)
		put(t, at, paths[x.agent], x.text)
		before := tree(t, at.Home)
		if _, err := a.Plan(at, "/usr/local/bin/precis"); err == nil {
			t.Errorf("%s: it can be installed into %s", x.agent, x.text)
		}
		cs, err := a.Installed(at, "/usr/local/bin/precis")
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
		}
		for _, c := range cs {
			if c.State != "absent" {
				t.Errorf("%s: %s", x.text, c.State)
			}
			if strings.HasSuffix(c.File, paths[x.agent]) && c.Apply() == nil {
				t.Errorf("%s: it was written into", x.text)
			}
			if err := c.Undo(); err != nil {
				t.Error(err)
			}
		}
		if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
			t.Errorf("%s: %s", x.text, d)
		}
	}
	at, a := place(t), agent(t, "codex")
	apply(t, a, at)
	table := tree(t, at.Home)["/.codex/config.toml"]
	put(t, at, paths["codex"], inline+"\n"+strings.SplitN(table, "\n", 2)[1])
	cs, err := a.Installed(at, "/usr/local/bin/precis")
	if err != nil || len(cs) != 1 || cs[0].State != "differs" || string(cs[0].Without) != inline {
		t.Errorf("%v: %+v", err, cs)
	}
}
