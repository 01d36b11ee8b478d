package program_test

import (
	"strings"
	"testing"
)

// SPEC: B18. Commands that change something beside files' text act; those that look, test or
// compute do not.
func TestCommandsThatAct(t *testing.T) {
	for line, want := range map[string]bool{
		"pip install pytz -q": true, "cd /testbed && pip install -e .": true, "python3 -m pip install numpy": true, "npm ci": true, "git -C /repo commit -m 'x'": true,
		"cd /repo && git add -A && git commit -m x": true, "mkdir -p a/b": true, "curl -X POST https://example.org -d 1": true, "rm -rf build": true,
		"pip list": false, "git log --oneline": false, "npm run check": false, "go test ./...": false, "curl https://example.org": false, "grep -rn 'git commit' docs": false, "cat install": false, "": false,
	} {
		if got := read(line).Acts(); got != want {
			t.Errorf("%q acts: %v", line, got)
		}
	}
}

// SPEC: B18. What is installed is named behind the installer's verb; other programs that add or get
// something install nothing.
func TestInstalls(t *testing.T) {
	for line, want := range map[string]string{
		"pip install utils==1": "utils==1", "cd /srv && sudo apt-get install -y jq": "-y jq", "python3 -m pip install -q numpy": "-q numpy", "uv pip install x": "x",
		"npm i a && yarn add b": "a b", "go get golang.org/x/text": "golang.org/x/text", "npm ci": "none", "git add utils": "none", "kubectl get redis": "none",
		"npm run get redis": "none", "pip list": "none", "echo pip install x": "none", "uv sync": "",
	} {
		named, ok := read(line).Installs()
		got := strings.Join(named, " ")
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("%q installs %q, want %q", line, got, want)
		}
	}
}

// Of what only copies, moves and deletes files, Accesses tells all.
func TestActsOnFiles(t *testing.T) {
	for line, want := range map[string]bool{
		"cp a.py a.py.orig":                true,
		"cd /src && mv old.go new.go":      true,
		"rm -rf build && cp -r dist build": true,
		"rm a/b.py && rmdir a":             true,
		"cp a.py b.py && python b.py":      true,
		"ls":                               false,
		"pip install pytz -q":              false,
		"cp settings.py.in settings.py && pip install -e .": false,
		"git checkout -- a.py && rm -rf build":              false,
		"mkdir -p src/modes":                                false,
	} {
		if got := read(line).ActsOnFiles(); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
