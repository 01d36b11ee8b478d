package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

func bash(line string) *tool.Reading {
	args, _ := json.Marshal(map[string]string{"command": line})
	return tool.Parse(message.Part{Kind: message.Call, Name: "bash", Args: string(args)}, nil)
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
		if got := tool.Inspects(line); got != want {
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
		r := bash(c.line)
		if got := strings.TrimRight(r.Action(), "; "); got != c.action || r.Acts() != c.acts {
			t.Errorf("%q: %q acts %v, want %q %v", c.line, got, r.Acts(), c.action, c.acts)
		}
	}
}

// SPEC: L7. Words of a command that a call gives one by one stay words.
func TestCommandsInWords(t *testing.T) {
	for _, c := range []struct{ words, command, action, touched string }{
		{`["rg","-n","foo|bar","src/"]`, `rg -n 'foo|bar' src/`, "", "list src/"},
		{`["go","test","./..."]`, "go test ./...", "go test ./...", ""},
		{`["bash","-lc","cd /r && go test ./..."]`, "cd /r && go test ./...", "go test ./...", ""},
		{`["bash","-l","-c","cd /r && go test ./..."]`, "cd /r && go test ./...", "go test ./...", ""},
		{`["sudo","-u","app","bash","--noprofile","-c","cat a.go"]`, "cat a.go", "", "read a.go"},
		{`["bash","-euo","pipefail","-c","cat a.go"]`, "cat a.go", "", "read a.go"},
		{`["bash","run.sh","-c","rm a.go"]`, "bash run.sh -c 'rm a.go'", "bash run.sh -c 'rm a.go'", ""},
		{`["cd /r && cat a.go"]`, "cd /r && cat a.go", "", "read a.go"},
		{`["echo","it's",">","b.go",""]`, `echo 'it'\''s' '>' b.go ''`, "", ""},
		{`["git","commit","-m","a; rm b.go"]`, "git commit -m 'a; rm b.go'", "git commit -m 'a; rm b.go'", ""},
	} {
		r := tool.Parse(message.Part{Kind: message.Call, Name: "shell", Args: `{"command":` + c.words + `}`}, nil)
		var touched []string
		for _, x := range r.Touched {
			touched = append(touched, string(x.Access)+" "+x.Path)
		}
		if got := strings.Join(touched, ", "); r.Command != c.command || r.Action() != c.action || got != c.touched {
			t.Errorf("%s: %q runs %q, touches %q; want %q, %q, %q", c.words, r.Command, r.Action(), got, c.command, c.action, c.touched)
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
		if got := strings.Join(bash(line).Swept(), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
