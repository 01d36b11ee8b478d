package install_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"

	"github.com/seed-3db51b0e/precis/install"
)

// place is a home folder of its own.
func place(t *testing.T) install.Place {
	t.Helper()
	return install.Place{Home: t.TempDir(), Env: func(string) string { return "" }}
}

// tree is every file below a folder, with its mode.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(root, func(path string, i os.FileInfo, err error) error {
		if err != nil || i.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root)] = i.Mode().String() + "\n" + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// folders are all below a folder.
func folders(t *testing.T, root string) (all []string) {
	t.Helper()
	err := filepath.Walk(root, func(path string, i os.FileInfo, err error) error {
		if err == nil && i.IsDir() {
			all = append(all, strings.TrimPrefix(path, root))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t *testing.T, at install.Place, file, text string) {
	t.Helper()
	path := filepath.Join(at.Home, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func changes(t *testing.T, a install.Agent, at install.Place) []install.Change {
	t.Helper()
	cs, err := a.Plan(at, "/usr/local/bin/precis", install.StatusLine)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

func apply(t *testing.T, a install.Agent, at install.Place) {
	t.Helper()
	for _, c := range changes(t, a, at) {
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
	}
}

func undo(t *testing.T, a install.Agent, at install.Place) {
	t.Helper()
	cs := changes(t, a, at)
	for _, c := range cs {
		if err := c.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	install.Tidy(cs)
}

func agent(t *testing.T, name string) install.Agent {
	t.Helper()
	a, ok := install.Named(name)
	if !ok {
		t.Fatal(name)
	}
	return a
}

// files are what agents have before: nothing, empty, small, commented, in one line, with
// tabs and CRLF, with entries of others and a trailing comma.
var files = map[string][]string{
	"claude-code": {"", "{}", "{}\n", `{"hooks":{"Stop":[]},"model":"x"}`, "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n", "{\r\n\t\"hooks\": {\r\n\t},\r\n\t\"é\": [1.50]\r\n}"},
	"codex":       {"", "model = \"gpt-5\"\n", "# mine\n[mcp_servers.other]\ncommand = \"x\"  # why\n\n\n[profiles.a]\nx = 1", "a = 1\r\n"},
	"gemini-cli":  {"", "{ }", "\ufeff{}", "\ufeff", "\ufeff{\r\n  \"theme\": \"dark\"\r\n}\r\n", "// mine\n{\n    // servers\n    \"mcpServers\": {\n        \"x\": { \"command\": \"y\" }, // why\n    },\n    \"theme\": \"dark\", /* end */\n}\n", `{"mcpServers": {}}`},
	"pi":          {""},
	"opencode":    {"", "{\n\t\"$schema\": \"https://opencode.ai/config.json\"\n}\n", `{ "mcp": { "a": {"type":"remote"} } }`},
}

// paths are the files of agents that are there before, or the one of ours.
var paths = map[string]string{
	"claude-code": ".claude/settings.json", "codex": ".codex/config.toml", "pi": ".pi/agent/extensions/precis.ts", "gemini-cli": ".gemini/settings.json", "opencode": ".config/opencode/opencode.json",
}

// ours are files that hold nothing else.
var ours = map[string][]string{
	"claude-code": {".claude/skills/precis/hooks/hooks.json", ".claude/skills/precis/hooks/register.js", ".claude/skills/precis/.mcp.json", ".claude/skills/precis/commands/why.md"},
	"opencode":    {".config/opencode/plugins/precis.js"},
}

// Whatever a file holds: what is installed is there, all else stands where it stood,
// installing again changes nothing, and uninstalling gives the bytes back.
//
// SPEC: B25
func TestInstallAndBack(t *testing.T) {
	for _, a := range install.Agents {
		for _, text := range files[a.Name] {
			t.Run(a.Name+"/"+text[:min(len(text), 12)], func(t *testing.T) {
				at := place(t)
				if text != "" {
					put(t, at, paths[a.Name], text)
				}
				before, around := tree(t, at.Home), folders(t, at.Home)
				for _, c := range changes(t, a, at) {
					if c.State != install.Absent || !strings.HasPrefix(c.File, at.Home) || len(c.Entries) == 0 {
						t.Errorf("%+v", c)
					}
				}
				if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
					t.Errorf("planning changed files: %s", d)
				}
				apply(t, a, at)
				once := tree(t, at.Home)
				got := once["/"+paths[a.Name]]
				if !strings.Contains(got, "/usr/local/bin/precis") || text != "" && !strings.HasPrefix(got, "-rw-r-----\n") {
					t.Errorf("%s: %s", paths[a.Name], got)
				}
				keeps(t, text, strings.SplitN(got, "\n", 2)[1])
				for _, f := range ours[a.Name] {
					if got := once["/"+f]; !strings.Contains(got, "/usr/local/bin/precis") {
						t.Errorf("%s: %s", f, got)
					}
				}
				for _, c := range changes(t, a, at) {
					if c.State != install.Present {
						t.Errorf("%s is %s", c.File, c.State)
					}
				}
				apply(t, a, at)
				if d := cmp.Diff(once, tree(t, at.Home)); d != "" {
					t.Errorf("the second time: %s", d)
				}
				undo(t, a, at)
				if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
					t.Errorf("back: %s", d)
				}
				if d := cmp.Diff(around, folders(t, at.Home)); d != "" {
					t.Errorf("folders: %s", d)
				}
				undo(t, a, at)
				if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
					t.Errorf("back twice: %s", d)
				}
			})
		}
	}
}

// keeps wants every line of a file in another, in order, and JSON to be JSON.
func keeps(t *testing.T, was, is string) {
	t.Helper()
	if strings.Contains(was, "\n  ") || strings.Contains(was, "\n\t") || strings.HasPrefix(was, "#") {
		rest := is
		for _, line := range strings.Split(strings.TrimSpace(was), "\n") {
			line = strings.TrimSpace(line)
			i := strings.Index(rest, line)
			if i < 0 {
				t.Errorf("%q is gone or moved: %s", line, is)
				return
			}
			rest = rest[i+len(line):]
		}
	}
	if strings.Contains(is, "[mcp_servers.precis]") || strings.HasPrefix(is, "//") && was == "" {
		return
	}
	b, err := hujson.Standardize([]byte(strings.TrimPrefix(is, "\ufeff")))
	if err != nil || !json.Valid(b) {
		t.Errorf("%v: %s", err, is)
	}
}

// An agent writes its files anew, in its own style: then the entries of ours go and all
// others stay.
//
// SPEC: B25
func TestRewrittenMeanwhile(t *testing.T) {
	at := place(t)
	a := agent(t, "gemini-cli")
	put(t, at, ".gemini/settings.json", `{"numStartups":1}`)
	apply(t, a, at)
	path := filepath.Join(at.Home, ".gemini", "settings.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	v["numStartups"], v["mcpServers"].(map[string]any)["later"] = 2, map[string]any{"command": "x"}
	if b, err = json.MarshalIndent(v, "", "    "); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range changes(t, a, at) {
		if c.State != install.Present {
			t.Errorf("%s is %s", c.File, c.State)
		}
	}
	undo(t, a, at)
	delete(v["mcpServers"].(map[string]any), "precis")
	var got map[string]any
	if b, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	want, _ := json.Marshal(v)
	if have, _ := json.Marshal(got); string(have) != string(want) {
		t.Errorf("got  %s\nwant %s", have, want)
	}
	if left := tree(t, at.Home); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// A folder that installing made stays where something else came to be in it, and so does
// one that was there before; nothing of ours is in either.
//
// SPEC: B25
func TestFoldersInUseStay(t *testing.T) {
	at, a := place(t), agent(t, "pi")
	apply(t, a, at)
	put(t, at, ".pi/agent/extensions/mine.ts", "mine")
	undo(t, a, at)
	if left := tree(t, at.Home); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	at = place(t)
	if err := os.MkdirAll(filepath.Join(at.Home, ".pi", "agent", "extensions"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := folders(t, at.Home)
	apply(t, a, at)
	undo(t, a, at)
	if d := cmp.Diff(before, folders(t, at.Home)); d != "" || len(tree(t, at.Home)) > 0 {
		t.Errorf("%s %v", d, tree(t, at.Home))
	}
}

// A plugin's folder goes with its files, unless somebody else's are in it; a status line is
// added where it is asked for, and no other's is touched.
//
// SPEC: B25
func TestPluginFolder(t *testing.T) {
	at, a := place(t), agent(t, "claude-code")
	folder := filepath.Join(at.Home, ".claude", "skills", "precis")
	apply(t, a, at)
	undo(t, a, at)
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	apply(t, a, at)
	put(t, at, ".claude/skills/precis/mine.md", "mine")
	undo(t, a, at)
	if left := tree(t, at.Home); len(left) != 1 || !strings.HasSuffix(left["/.claude/skills/precis/mine.md"], "mine") {
		t.Errorf("left: %v", left)
	}
	for file, text := range map[string]string{
		"README.md": "How I use precis", ".claude-plugin/plugin.json": `{"name":"precis","repository":"https://example.org/precis"}`,
	} {
		at := place(t)
		put(t, at, ".claude/skills/precis/"+file, text)
		if _, err := a.Plan(at, "precis"); err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("a file of the user's, %s: %v", file, err)
		}
	}
}

// A status line of somebody else's, which may call the program itself, stays as it is
// while the plugin comes and goes; asking for one of ours is refused.
//
// SPEC: B25
func TestStatusLineOfOthers(t *testing.T) {
	a := agent(t, "claude-code")
	for _, command := range []string{"theirs", "ccusage statusline", "bun x ccusage statusline", "~/line.sh; precis statusline", "'/my line/x' '/precis' statusline", "theirs # /bin/precis statusline"} {
		at, theirs := place(t), `{"statusLine":{"type":"command","command":"`+command+`"}}`
		put(t, at, ".claude/settings.json", theirs)
		before := tree(t, at.Home)
		if _, err := a.Plan(at, "/usr/local/bin/precis", install.StatusLine); err == nil || !strings.Contains(err.Error(), "settings.json") {
			t.Errorf("%s: %v", command, err)
		}
		for _, do := range []func(install.Change) error{install.Change.Apply, install.Change.Undo} {
			cs, err := a.Plan(at, "/usr/local/bin/precis")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cs {
				if err := do(c); err != nil {
					t.Fatal(err)
				}
			}
			if got := tree(t, at.Home)["/.claude/settings.json"]; !strings.HasSuffix(got, theirs) {
				t.Errorf("%s: %s", command, got)
			}
			install.Tidy(cs)
		}
		if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
}

// What is published is what is installed, for a program that is found by its name.
//
// SPEC: B25
func TestPublished(t *testing.T) {
	at, a := place(t), agent(t, "claude-code")
	cs, err := a.Plan(at, "precis")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		rel, err := filepath.Rel(c.Folder, c.File)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "plugins", "claude-code", rel))
		if err != nil || !bytes.Equal(want, c.With) {
			t.Errorf("%s: %v", rel, err)
		}
		if strings.HasSuffix(rel, ".json") && !json.Valid(want) {
			t.Errorf("%s is no JSON", rel)
		}
	}
	b, err := os.ReadFile("../.claude-plugin/marketplace.json")
	var m struct {
		Plugins []struct{ Name, Source string }
	}
	if err != nil || json.Unmarshal(b, &m) != nil || len(m.Plugins) != 1 {
		t.Fatalf("%v: %s", err, b)
	}
	if _, err := os.Stat(filepath.Join("..", m.Plugins[0].Source, ".claude-plugin", "plugin.json")); err != nil {
		t.Error(err)
	}
}

// A newer program's path replaces the older one's, and what was before either comes back.
//
// SPEC: B25
func TestMovedProgram(t *testing.T) {
	for _, a := range install.Agents {
		at := place(t)
		if len(files[a.Name]) > 1 {
			put(t, at, paths[a.Name], files[a.Name][1])
		}
		before := tree(t, at.Home)
		for _, program := range []string{"/old folder/precis", "/usr/local/bin/precis"} {
			cs, err := a.Plan(at, program, install.StatusLine)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cs {
				if program != "/old folder/precis" && c.State != install.Differs && bytes.Contains(c.With, []byte(program)) {
					t.Errorf("%s is %s", c.File, c.State)
				}
				if err := c.Apply(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for f, text := range tree(t, at.Home) {
			if strings.Contains(text, "old folder") {
				t.Errorf("%s: %s", f, text)
			}
		}
		undo(t, a, at)
		if d := cmp.Diff(before, tree(t, at.Home)); d != "" {
			t.Errorf("%s: %s", a.Name, d)
		}
	}
}

// What cannot be read as it should is left alone, and said.
//
// SPEC: B25
func TestInstallRefuses(t *testing.T) {
	for file, text := range map[string]string{
		".gemini/settings.json": `{"mcpServers":[]}`, ".config/opencode/opencode.json": `{"mcp":`, ".claude/skills/precis/hooks/hooks.json": "mine",
		".pi/agent/extensions/precis.ts":  "mine",
		".config/opencode/opencode.jsonc": `{"mcp":{"precis":{"command":["mine","mcp"]}}}`,
		".codex/config.toml":              "[mcp_servers.precis]\ncommand = \"mine\"\n",
	} {
		at := place(t)
		put(t, at, file, text)
		failed := 0
		for _, a := range install.Agents {
			if _, err := a.Plan(at, "precis"); err != nil {
				failed++
				if !strings.Contains(err.Error(), filepath.Base(file)) {
					t.Error(err)
				}
			}
		}
		if failed != 1 {
			t.Errorf("%s: %d agents", file, failed)
		}
	}
}

// A link to a file that is not there, as with settings kept on another disk, stays a link.
//
// SPEC: B25
func TestLinkToNowhere(t *testing.T) {
	for _, a := range install.Agents {
		at := place(t)
		path := filepath.Join(at.Home, filepath.FromSlash(paths[a.Name]))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(filepath.Join(at.Home, "elsewhere", "x"), path)); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Plan(at, "precis", install.StatusLine); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}

// opencode reads two files. An entry in one of them is found, renewed and taken out also
// where the other came later.
//
// SPEC: B25
func TestSecondFileCameLater(t *testing.T) {
	at, a := place(t), agent(t, "opencode")
	const json, jsonc = ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"
	put(t, at, json, "{}")
	apply(t, a, at)
	put(t, at, jsonc, "{ /* mine */ }")
	cs, err := a.Plan(at, "/moved/precis")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
	}
	if got := tree(t, at.Home); !strings.Contains(got["/"+json], "/moved/precis") || !strings.Contains(got["/"+jsonc], "/moved/precis") {
		t.Errorf("%v", got)
	}
	undo(t, a, at)
	want := map[string]string{"/" + json: "-rw-r-----\n{}", "/" + jsonc: "-rw-r-----\n{ /* mine */ }"}
	if d := cmp.Diff(want, tree(t, at.Home)); d != "" {
		t.Error(d)
	}
}
