package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// SPEC: B18. All that a line runs is found, behind other programs and in scripts; what is quoted is
// run by no one.
func TestCommandsOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"cd /r && make | tail -1; ls":  "cd /r, make, tail -1, ls",
		"sudo -u app env A=1 make":     "make",
		"sh -c 'make; ls'":             "sh -c make; ls, make, ls",
		"find . -name x -exec rm {} +": "find . -name x -exec rm {} +, rm {}",
		"echo 'rm a' # rm b":           "echo rm a",
		"cat > a <<'E'\nrm b\nE\nmake": "cat, make",
		"cat <<E":                      "cat",
		"'unclosed":                    "unclosed",
		"if make; then ls; fi":         "make, ls, fi",
		"":                             "",
	} {
		var got []string
		for _, c := range shell.Lex(line) {
			for x := range c.Commands() {
				got = append(got, strings.Join(x.Words, " "))
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%q runs %q, want %q", line, s, want)
		}
	}
}

// SPEC: L7. What words mean is not changed by joining them; an empty one is left out when they are read.
func TestJoin(t *testing.T) {
	words := []string{"git", "commit", "-m", "it's; rm a", ""}
	lexed := shell.Lex(shell.Join(words))
	if len(lexed) != 1 || !slices.Equal(lexed[0].Words, words[:4]) {
		t.Errorf("%+v", lexed)
	}
}
