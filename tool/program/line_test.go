package program_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/tool/program"
)

func read(line string) *program.Line {
	l := program.Read(line)
	return &l
}

// SPEC: B18. What a program runs for each file, and what options write, is no looking.
func TestLooksOnly(t *testing.T) {
	for line, want := range map[string]bool{
		"find . -name '*.go' | head":                    true,
		"find . -name '*.go' -exec grep -n x {} +":      true,
		"find . -name '*.go' -exec sed -i s/a/b/ {} +":  false,
		"find . -name '*.pyc' -delete":                  false,
		"find . -ok rm {} ';'":                          false,
		"fd -e go -x rm":                                false,
		"fd -e go -x cat":                               true,
		"grep -rl x src | xargs grep -n y":              true,
		"grep -rl x src | xargs sed -i s/a/b/":          false,
		"grep -rl x src | xargs -0 -n 1 sed -Ei s/a/b/": false,
		"ls | xargs":                                    true,
		"ls | xargs -I {} rm {}":                        false,
		"git branch -D old":                             false,
		"git branch work":                               false,
		"git branch":                                    true,
		"git branch -a --contains abc":                  true,
		"git branch --list 'x*'":                        true,
		"git stash list":                                true,
		"git stash show -p":                             true,
		"git stash":                                     false,
		"sort -o a a":                                   false,
		"sort -u a":                                     true,
		"sed -ni s/a/b/p a":                             false,
		"sed -n 1,2p a":                                 true,
		"command -v go":                                 true,
		"timeout -k 5 60 cat a":                         true,
		"/bin/cat notes.txt":                            true,
		"/usr/bin/sed -i s/a/b/ a":                      false,
		"./test":                                        false,
		"bin/cat a":                                     false,
		"sudo -u app rm a":                              false,
		"bash -c 'cat a'":                               false, // what it starts with is not known
	} {
		if got := program.Inspects(line); got != want {
			t.Errorf("%q looks only: %v", line, got)
		}
	}
}

// SPEC: B18. Commands act that are run through another program, too; what is said of them begins
// with them.
func TestProgramsBehindOthers(t *testing.T) {
	for _, c := range []struct {
		line, action string
		acts         bool
	}{
		{"ls | xargs rm", "", true},
		{"find . -name '*.pyc' -delete", "", true},
		{"find . -name x -exec rm -f {} \\;", "", true},
		{"find . -name '*_test.py' -exec pytest {} +", "find . -name '*_test.py' -exec pytest {} +", false},
		{"git branch -D old", "git branch -D old", true},
		{"git branch", "", false},
		{"git stash list", "", false},
		{"git log -- push", "", false},
		{"sort -o a a", "", false},
		{"sudo -u app pip install x", "sudo -u app pip install x", true},
		{"timeout -k 5 60 pip install x", "timeout -k 5 60 pip install x", true},
		{"timeout --signal=KILL 60 ls", "", false},
		{"nice -n 5 rm a", "", true},
		{"env -u HOME A=1 pip install x", "env -u HOME A=1 pip install x", true},
		{"bash -c 'cd /r && pip install x'", "bash -c 'cd /r && pip install x'", true},
		{"for d in a b; do go test ./b; done", "go test ./b", false},
		{"if make; then echo well; else make clean; fi", "make", false},
		{"while true\ndo\n  make\ndone", "make", false},
		{"{ make; }", "make", false},
		{"! make", "make", false},
		{"command -v pip", "", false},
		{"echo 'do it' && do_it", "do_it", false},
	} {
		r := read(c.line)
		if got := strings.TrimRight(r.Action(), "; "); got != c.action || r.Acts() != c.acts {
			t.Errorf("%q: %q acts %v, want %q %v", c.line, got, r.Acts(), c.action, c.acts)
		}
	}
}

// SPEC: B18. Files that an edit in place finds by itself may have been changed: those of the
// patterns by which they are found.
func TestSwept(t *testing.T) {
	for line, want := range map[string]string{
		"sed -i s/a/b/ src/*.go":                                                                "src/*.go",
		"sed -n p src/*.go":                                                                     "",
		"find src -name '*.go' -exec sed -i s/a/b/ {} +":                                        "*.go",
		"find src -name '*.go' -o -iname '*.md' | xargs sed -i s/a/b/":                          "*.go *.md",
		"find src ! -name '*.go' -type f | xargs sed -i s/a/b/":                                 "*",
		"grep -rl --include='*.py' x src | sort | xargs -r perl -pi -e s/a/b/":                  "*.py",
		"git ls-files '*.js' | xargs sed -i s/a/b/":                                             "*.js",
		"grep -rl x src | xargs sed -i s/a/b/":                                                  "*",
		"for f in src/*.go; do sed -i s/a/b/ $f; done":                                          "src/*.go",
		"for f in $(ls src); do sed -i s/a/b/ $f; done":                                         "*",
		"for f in a.go b.go; do echo; done; for f in *.md; do sed -i s/a/b/ \"$f\"; done":       "*.md",
		"for f in *.md; do echo $f; done; sed -i s/a/b/ $f":                                     "",
		"for d in *.md; do for f in *.go; do sed -i s/a/b/ $f; done; sed -i s/a/b/ $d; done":    "*.go *.md",
		"find . -name '*.py' | while read f; do sed -i s/a/b/ \"$f\"; done":                     "*.py",
		"find . -name '*.py' | sort | while IFS= read -r f; do echo $f; sed -i s/a/b/ $f; done": "*.py",
		"while read f; do sed -i s/a/b/ \"$f\"; done < names.txt":                               "*",
		"read f; sed -i s/a/b/ $f":                                                              "",
		"sed -i s/a/b/ $f":                                                                      "",
		"grep -rl x src | xargs grep y":                                                         "",
	} {
		if got := strings.Join(read(line).Swept(), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// SPEC: B18. Of a line that ends well, the commands have done so that only ran as those before
// them did, and whose exit code no other program hides.
func TestStepsOfALine(t *testing.T) {
	for line, want := range map[string][]program.Step{
		"cd /r && ruff check a && PGPORT=1 pytest -q && git commit -qam 'a && b'": {{Line: "ruff check a", In: "/r"}, {Line: "PGPORT=1 pytest -q", In: "/r"}, {Line: "git commit -qam 'a && b'", In: "/r"}},
		"make && cd enc && lint a.sql":                                            {{Line: "make"}, {Line: "lint a.sql", In: "enc"}},
		"make && pytest | tail -1":                                                {{Line: "make"}},
		"make | tail -1 && pytest":                                                {{Line: "pytest"}},
		"make; make test && lint a.sql":                                           {{Line: "make test"}, {Line: "lint a.sql"}},
		"make; make test":                                                         {{Line: "make test"}},
		"make\npytest && lint;":                                                   {{Line: "pytest"}, {Line: "lint"}},
		"make || pytest && lint":                                                  nil,
		"(make && pytest) && lint":                                                nil,
		"if make; then pytest && lint; fi":                                        nil,
		"for d in a b; do make && pytest; done":                                   nil,
		"cat a && grep b c":                                                       nil,
		"":                                                                        nil,
	} {
		r := read(line)
		if got := r.Steps(); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// SPEC: B18. An exit code is that of the last program of a line: it tells nothing of one
// before a pipe, or before a program that runs anyway.
func TestHidesExit(t *testing.T) {
	for line, hides := range map[string]bool{
		"python a.py":        false,
		"cd /r && make test": false,
		"cat > a.py <<'E'\nx = 1; y = a | b\nE\npython a.py": false,
		"python -c 'import a; a.b()'":                        false,
		"pytest | tail -5":                                   true,
		"pytest; ls":                                         true,
		"pytest || true":                                     true,
		"pytest && echo PASS || echo FAIL":                   true,
		"make test && echo ok; ls":                           true,
		"ls; pytest":                                         false,
	} {
		r := read(line)
		if got := r.HidesExit(); got != hides {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// SPEC: B18. A program that stands on the command line is a probe; one that lies in a file is not.
func TestIsInline(t *testing.T) {
	for line, want := range map[string]bool{
		`python -c "import a"`: true, `cd /srv && python3.11 -c 'x'`: true, `npx tsx -e "import a"`: true, "node -e 1": true, "python - <<'E'": true, "python <<E": true,
		"python a.py -c x": false, "pytest -c setup.cfg": false, "node a.js": false, "sed -e s/a/b/ a.py": false, "python": false, "": false,
	} {
		if program.IsInline(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

// SPEC: B18. A line silences what it sends to nowhere, and not what it reads there or only speaks of.
func TestSilences(t *testing.T) {
	for line, want := range map[string]bool{
		"pytest 2>/dev/null": true, "make > /dev/null 2>&1": true, "make &>/dev/null": true, "make": false, "make < /dev/null": false, "echo 'to /dev/null'": false,
	} {
		if got := read(line).Silences(); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
