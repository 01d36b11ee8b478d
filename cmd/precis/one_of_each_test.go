package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// many is a count of one with a noun in the plural. Words that end in s without being one
// are notPlural.
var many, notPlural = regexp.MustCompile(`\b1 ([a-z]+s)\b`), map[string]bool{"is": true, "was": true, "has": true, "less": true, "ms": true, "user's": true}

// Every report over data with one of each says so in the singular.
//
// SPEC: B16
func TestOneOfEach(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program two dozen times")
	}
	here := newReader(t)
	said := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` + "\n" }
	long := strings.Repeat("crate 4711 of salt went to berth 9; ", 300)
	for name, text := range map[string]string{
		"one.jsonl": said("user", "hi"),
		"two.jsonl": said("user", "Read.") + said("assistant", long) + said("user", "Go on.") + said("assistant", "Yes.") + said("user", "hi"),
		"no.jsonl":  `{"type":"nothing"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(here.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"count one.jsonl", "count --text one.jsonl", "compact one.jsonl --budget 2k --out o.json", "thread list", "thread show", "db size", "doctor", "doctor --look-for hi", "grep hi", "describe '#1'",
		"compact two.jsonl --budget 1k --out o.json", "compact two.jsonl --budget 1k --policy session --out o.json", "compact two.jsonl --budget 1k --policy timeline --out o.json",
		"plan show", "plan undo", "plan undo", "thread show", "read '#2' --lines 2:3", "pin '#1'", "plan show", "unpin '#1'", "pin '#9'", "db size", "db vacuum", "db retain --older-than 1d --dry-run",
		"db copy $XDG_DATA_HOME/precis/precis.db copy.db", "erase '#1' --reason test --yes", "discover --root .", "replay two.jsonl --budget 1k", "policy show --budget 1k", "limits list", "limits forget gpt-5", "man pages", "handover two.jsonl",
	} {
		c := exec.CommandContext(t.Context(), "sh", "-c", "precis "+line)
		c.Dir, c.Env = here.dir, here.vars
		out, err := c.CombinedOutput() // some of them fail, which is a report, too
		if len(out) == 0 && err != nil {
			t.Errorf("precis %s: %v, without a word", line, err)
		}
		for _, found := range many.FindAllStringSubmatch(string(out), -1) {
			if !notPlural[found[1]] {
				t.Errorf("precis %s says %q:\n%s", line, found[0], out)
			}
		}
	}
}
