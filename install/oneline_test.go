package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of a file in one line that was changed meanwhile only the entry goes, and no space of
// somebody else's with it.
//
// SPEC: B25
func TestOneLineChangedMeanwhile(t *testing.T) {
	for _, text := range []string{`{ "theme": "x", "mcpServers": { "x": {} } }`, `{"theme": "x", "mcpServers": {"x": {}}}`, `{"theme":"x","mcpServers":{"x":{}}}`, `{ "theme": "x", "mcpServers": {  "x": {}, "y": {} } }`} {
		at, a := place(t), agent(t, "gemini-cli")
		put(t, at, paths[a.Name], text)
		apply(t, a, at)
		path := filepath.Join(at.Home, filepath.FromSlash(paths[a.Name]))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		edit := func(s string) string { return strings.Replace(s, `"theme"`, `"vim": true, "theme"`, 1) }
		if err := os.WriteFile(path, []byte(edit(string(b))), 0o600); err != nil {
			t.Fatal(err)
		}
		undo(t, a, at)
		if b, err = os.ReadFile(path); err != nil || string(b) != edit(text) {
			t.Errorf("%v\ngot  %s\nwant %s", err, b, edit(text))
		}
	}
}
