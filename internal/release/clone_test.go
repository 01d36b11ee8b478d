package release_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// In a clean clone the line that the README gives installs the command, which says what it
// was built from; the report of the example, made there, is that of the README.
//
// SPEC: B29
func TestCleanClone(t *testing.T) {
	ofSnapshot(t)
	readme := string(read(t, root+"/README.md"))
	const line = "go install ./cmd/precis"
	if !strings.Contains(readme, "\n```\n"+line+"\n```\n") {
		t.Fatalf("the README does not say %q", line)
	}
	dir := t.TempDir()
	clone, bin := filepath.Join(dir, "clone"), filepath.Join(dir, "bin")
	output(t, "git", "clone", "--quiet", "--no-hardlinks", root, clone)
	in := func(line string) (string, string) {
		t.Helper()
		var stderr bytes.Buffer
		c := exec.CommandContext(t.Context(), "sh", "-c", line)
		c.Dir, c.Stderr = clone, &stderr
		c.Env = append(os.Environ(), "GOBIN="+bin, "PATH="+bin+":"+os.Getenv("PATH"), "XDG_DATA_HOME="+dir, "GOFLAGS=-trimpath")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, &stderr)
		}
		return string(out), stderr.String()
	}
	in(line)
	out, _ := in("precis version --json")
	var says struct {
		Version, Commit, Time string
		Modified              bool
	}
	if err := json.Unmarshal([]byte(out), &says); err != nil {
		t.Fatal(err)
	}
	if commit := strings.TrimSpace(output(t, "git", "-C", clone, "rev-parse", "HEAD")); says.Commit != commit || says.Modified || says.Time == "" || !strings.HasPrefix(says.Version, "v") {
		t.Errorf("installed from %s: %s", commit, out)
	}
	_, report := in("precis compact examples/session.jsonl --budget 32k --db demo.db --out compacted.json")
	_, shown, _ := strings.Cut(readme, "\nprécis  session.jsonl")
	shown, _, _ = strings.Cut(shown, "\n```")
	for want := range strings.SplitSeq(strings.ReplaceAll(shown, "bin/precis ", "precis "), "\n") {
		if words := strings.Fields(want); want != "…" && !strings.Contains(spaced(report), strings.Join(words, " ")) {
			t.Errorf("the README shows %q, and the report of a clean clone is\n%s", want, report)
		}
	}
	if status := output(t, "git", "-C", clone, "status", "--porcelain"); status != "" {
		t.Errorf("the clone is no longer clean:\n%s", status)
	}
}

// spaced is a text with one space where there is any.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
