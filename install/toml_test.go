package install_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A TOML file with the table is one that its readers take: where there is a table of that
// name in another spelling, where none can be added, or where the file is none, it is left
// alone, and said. What looks like a heading in a text is none.
//
// SPEC: B25
func TestTableFitsTheFile(t *testing.T) {
	const mine = "command = \"mine\"\n"
	for text, refused := range map[string]string{
		"[mcp_servers.\"precis\"]\n" + mine:                    "already",
		"[ mcp_servers . 'precis' ] # mine\n" + mine:           "already",
		"[mcp_servers.precis.env]\nA = \"1\"\n":                "already",
		"mcp_servers.precis.command = \"mine\"\n":              "already",
		"[mcp_servers]\nprecis = { command = \"mine\" }\n":     "already",
		"[mcp_servers]\n\"pre\\u0063is\".command = \"mine\"\n": "already",
		"mcp_servers = { other = { command = \"mine\" } }\n":   "[mcp_servers]",
		"a = 1\n[[[\n":               "line 2",
		"a = \"\"\"\nopen\n":         "line 2",
		"a = 'open\n":                "line 1",
		"a = [\n  1, # ]\n":          "line 2",
		"a = 1\nb\n":                 "line 2",
		"a =\n":                      "line 1",
		"":                           "",
		"\ufeffa = 1\r\n[b] # c\r\n": "",
		"a = \"\"\"\n[mcp_servers.precis]\n\\\"\"\" and \"\" \"\"\"\"\n": "",
		"a = '''\n[mcp_servers.precis]\n''''' # '''\n":                   "",
		"a = [\n  \"]\", # ]\n  '[', { b = 1 },\n]\nb = 2 # \"\n":        "",
		"[mcp_servers]\nother.command = \"x\"\n":                         "",
		"mcp_servers.other.command = \"x\"\n":                            "",
		"[[hooks.Stop]]\nprecis = 1\n[projects.\"/a.b/c\"]\nx = \"y\"\n": "",
	} {
		at, a := place(t), agent(t, "codex")
		put(t, at, ".codex/config.toml", text)
		before := tree(t, at.Home)
		cs, err := a.Plan(at, "/usr/local/bin/precis")
		if refused != "" {
			if err == nil || !strings.Contains(err.Error(), refused) || !strings.Contains(err.Error(), "config.toml") {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if table := "[mcp_servers.precis]\ncommand = \"/usr/local/bin/precis\"\n"; !strings.HasPrefix(string(cs[0].With), text) || !strings.Contains(strings.ReplaceAll(string(cs[0].With), "\r", ""), table) {
			t.Errorf("%q: %s", text, cs[0].With)
		}
		apply(t, a, at)
		undo(t, a, at)
		if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// A folder's name is what it is, also with what separates values.
//
// SPEC: B25
func TestProgramInOddFolder(t *testing.T) {
	at := place(t)
	cs, err := agent(t, "codex").Plan(at, "/home/Doe,Jane/a [b]/precis")
	if err != nil {
		t.Fatal(err)
	}
	if want := "command = \"/home/Doe,Jane/a [b]/precis\"\nargs = [\"mcp\", \"--proxied\"]\n"; !strings.Contains(string(cs[0].With), want) {
		t.Errorf("%s", cs[0].With)
	}
}
