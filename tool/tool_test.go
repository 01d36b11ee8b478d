package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// SPEC: L7. The placeholder is that of its design, byte for byte.
func TestClearedPlaceholder(t *testing.T) {
	e := tool.Envelope{Tool: "create_order", Outcome: tool.Success, KeyFields: json.RawMessage(`{"order_id":"W-17","total":42.50,"tags":["a","b"]}`)}
	want := "[create_order: success]\nKey data: {\"order_id\": \"W-17\", \"total\": 42.50, \"tags\": [\"a\", \"b\"]}"
	if got := e.Cleared(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, none := range []string{"", "{}", "null"} {
		if got := tool.Cleared("ls", tool.Failure, json.RawMessage(none)); got != "[ls: failure]" {
			t.Errorf("fields %q: got %q", none, got)
		}
	}
}

// SPEC: L8. Envelope, then override, then table, then anchoring.
func TestResolve(t *testing.T) {
	over := map[string]tool.Policy{"read": {Durability: tool.Ephemeral, ExternalizeAt: 9}}
	for _, c := range []struct {
		name string
		e    tool.Envelope
		over map[string]tool.Policy
		want tool.Durability
	}{
		{"envelope wins", tool.Envelope{Tool: "read", Durability: tool.NonReplayable}, over, tool.NonReplayable},
		{"override wins over table", tool.Envelope{Tool: "read"}, over, tool.Ephemeral},
		{"table", tool.Envelope{Tool: "read"}, nil, tool.Replayable},
		{"table without case", tool.Envelope{Tool: "WebSearch"}, nil, tool.NonReplayable},
		{"table behind a server's prefix", tool.Envelope{Tool: "mcp__files__read_file"}, nil, tool.Replayable},
		{"unknown is anchoring", tool.Envelope{Tool: "get_order"}, nil, tool.Anchoring},
		{"the default of what is not known", tool.Envelope{Tool: "get_order"}, map[string]tool.Policy{tool.AnyTool: {Durability: tool.NonReplayable}}, tool.NonReplayable},
		{"the table before the default", tool.Envelope{Tool: "read"}, map[string]tool.Policy{tool.AnyTool: {Durability: tool.NonReplayable}}, tool.Replayable},
		{"an override without durability takes the default", tool.Envelope{Tool: "x"}, map[string]tool.Policy{"x": {}, tool.AnyTool: {Durability: tool.Ephemeral}}, tool.Ephemeral},
		{"an override without durability is anchoring", tool.Envelope{Tool: "x"}, map[string]tool.Policy{"x": {}}, tool.Anchoring},
	} {
		if got := tool.Resolve(c.e, c.over).Durability; got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if got := tool.Resolve(tool.Envelope{Tool: "read", Durability: tool.Anchoring}, over).ExternalizeAt; got != 9 {
		t.Errorf("envelope durability must keep the override's threshold, got %d", got)
	}
}

// SPEC: L8. What each durability allows.
func TestDurabilityAllows(t *testing.T) {
	for d, want := range map[tool.Durability]bool{tool.Ephemeral: true, tool.Anchoring: true, tool.Replayable: true, tool.NonReplayable: false} {
		if got := d.Clearable(); got != want {
			t.Errorf("%s: clearable %v, want %v", d, got, want)
		}
	}
}

// SPEC: L9. Drift and doubt both make a replayable result non-replayable.
func TestDeterminism(t *testing.T) {
	d := func(h, e string, m float64, v string) *tool.Determinism {
		return &tool.Determinism{ContentHash: h, ETag: e, MTime: m, Version: v}
	}
	for _, c := range []struct {
		then, now *tool.Determinism
		changed   bool
	}{
		{d("a", "", 1, ""), d("a", "", 2, ""), false},
		{d("a", "x", 0, ""), d("b", "x", 0, ""), true},
		{d("", "x", 1, ""), d("", "x", 2, ""), false},
		{d("", "", 1, ""), d("", "", 1, ""), false},
		{d("", "", 1, ""), d("", "", 2, ""), true},
		{d("", "", 1, "v1"), d("", "", 1, "v2"), true},
		{d("", "", 0, "v1"), d("", "", 0, "v1"), true},
		{d("a", "", 0, ""), d("", "x", 0, ""), true},
		{nil, d("a", "", 0, ""), true},
		{d("a", "", 0, ""), nil, true},
	} {
		if got := c.then.HasChanged(c.now); got != c.changed {
			t.Errorf("%+v → %+v: changed %v, want %v", c.then, c.now, got, c.changed)
		}
		want := tool.Replayable
		if c.changed {
			want = tool.NonReplayable
		}
		if got := tool.Replayable.Now(c.then, c.now); got != want || got.Clearable() == c.changed {
			t.Errorf("%+v → %+v: %s clearable %v", c.then, c.now, got, got.Clearable())
		}
		if got := tool.Anchoring.Now(c.then, c.now); got != tool.Anchoring {
			t.Errorf("anchoring became %s", got)
		}
	}
}

func result(text string) *message.Part {
	return &message.Part{Kind: message.Result, Parts: []message.Part{{Kind: message.Text, Text: text}}}
}

// SPEC: L7. What a call touched, by its arguments.
func TestTouched(t *testing.T) {
	sh := func(cmd string) message.Part {
		b, _ := json.Marshal(map[string]string{"command": cmd})
		return message.Part{Name: "bash", Args: string(b)}
	}
	for _, c := range []struct {
		call message.Part
		want string
	}{
		{message.Part{Name: "Read", Args: `{"file_path":"/a/b.go","offset":3}`}, "read /a/b.go"},
		{message.Part{Name: "read_many_files", Args: `{"paths":["a.go","b.go"]}`}, "read a.go, read b.go"},
		{message.Part{Name: "write", Args: `{"path":"x.go","content":"path"}`}, "create x.go"},
		{message.Part{Name: "MultiEdit", Args: `{"file_path":"x.go","edits":[{"old_string":"a"}]}`}, "edit x.go"},
		{message.Part{Name: "str_replace_editor", Args: `{"command":"view","path":"/t/x.py"}`}, "read /t/x.py"},
		{message.Part{Name: "str_replace_editor", Args: `{"command":"create","path":"/t/x.py"}`}, "create /t/x.py"},
		{message.Part{Name: "str_replace_editor", Args: `{"command":"insert","path":"/t/x.py"}`}, "edit /t/x.py"},
		{message.Part{Name: "apply_patch", Args: "*** Begin Patch\n*** Update File: a/x.go\n@@\n-a\n+b\n*** Add File: n.go\n*** Delete File: o.go\n*** End Patch"}, "edit a/x.go, create n.go, delete o.go"},
		{message.Part{Name: "apply_patch", Args: `{"input":"*** Begin Patch\n*** Update File: y.go\n*** Move to: z.go\n*** End Patch"}`}, "delete y.go, create z.go"},
		{message.Part{Name: "shell", Args: `{"command":["bash","-lc","cat a.txt > b.txt"]}`}, "create b.txt, read a.txt"},
		{message.Part{Name: "shell", Args: `{"commands":["cat a.txt","sed -i s/a/b/ c.go"],"timeout_ms":null}`}, "read a.txt, edit c.go"},
		{message.Part{Name: "shell", Args: `{"command":["apply_patch","*** Begin Patch\n*** Add File: n.go\n+x\n*** End Patch"]}`}, "create n.go"},
		{sh("cat <<'EOF' > src/main.py\nprint('a > b')\nrm -rf x.py\nEOF\npython src/main.py"), "create src/main.py"},
		{sh("cat > f.py <<-EOF\n\tbody\n\tEOF\nrm old.py"), "create f.py, delete old.py"},
		{sh("sed -i 's/a/b/; s#x#y#' lib/a.py lib/b.py"), "edit lib/a.py, edit lib/b.py"},
		{sh("sed -n '10,20p' lib/a.py | head -5"), "read lib/a.py"},
		{sh("sed -i.bak -e s/a/b/ c.py"), "edit c.py"},
		{sh("perl -pi -e 's/a/b/' m.pl"), "edit m.pl"},
		{sh(`grep -rn "def f(x)" src/ --include=*.py 2>/dev/null`), "list src/"},
		{sh("cd /repo && make test 2>&1 | tee -a build.log"), "edit build.log"},
		{sh("mkdir -p src/ui"), "make src/ui"},
		{sh("sed -i 's|./a|./a|' x.js"), "read x.js"},
		{sh("echo hi >> notes.md; echo no > /dev/null"), "edit notes.md"},
		{sh("mv a.go b.go && cp c.go d.go"), "delete a.go, create b.go, read c.go, create d.go"},
		{sh("bash deploy.sh <<EOF\nrm a.txt\nEOF"), ""},
		{sh("bash -x deploy.sh <<EOF\nrm a.txt\nEOF"), ""},
		{sh("bash -s a b <<EOF\nrm a.txt\nEOF"), "delete a.txt"},
		{sh("bash -eu -o pipefail <<EOF\nrm a.txt\nEOF"), "delete a.txt"},
		{sh("bash <<EOF\nrm a.txt\nEOF\nsh - <<EOF\nrm b.txt\nEOF"), "delete a.txt, delete b.txt"},
		{sh("git apply <<'P'\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n--- a/none\nP"), "edit x.c"},
		{sh("python3 - <<'EOF'\nopen('out.json', 'w').write('')\ndata = open(\"in.csv\").read()\nEOF"), "create out.json, read in.csv"},
		{sh("python - <<'E'\ns = open('a.py').read()\nopen('a.py', 'w').write(s)\nopen('b.py', 'w').write(s)\nE"), "edit a.py, create b.py"},
		{sh("python - <<'E'\nos.popen('git log').read()\nurlopen('http://x/y')\nwebbrowser.open('a.html')\nopen('http://x/z')\nio.open('a.txt')\nE"), "read a.txt"},
		{sh("python - <<'E'\nPath('a.yaml').write_text('x')\ns = pathlib.Path(\"b.yaml\").read_text()\nPath('b.yaml').write_bytes(s)\nPath('c.log').open('a')\nPurePath('d.py').read_text()\nPath('e.py').exists()\nE"), "create a.yaml, edit b.yaml, edit c.log"},
		{sh(`bash -c "sed -i s/a/b/ q.py"`), "edit q.py"},
		{sh("FOO=1 timeout 20 cat 'my file.txt'"), ""},
		{sh("timeout -k 5 60 cat a.txt; sudo -u app rm b.txt; for f in *; do rm c.txt; done"), "read a.txt, delete b.txt, delete c.txt"},
		{sh("sort -o a.txt a.txt; sort -u b.txt -o c.txt"), "edit a.txt, create c.txt"},
		{sh("sed -Ei s/a/b/ a.py"), "edit a.py"},
		{sh(`echo "a > b.txt" # > c.txt`), ""},
		{message.Part{Name: "get_order", Args: `{"order_id":"#W1"}`}, ""},
		{message.Part{Name: "bash", Args: `not json: cat > x.py`}, "create x.py"},
	} {
		var got []string
		for _, p := range tool.Of(c.call, nil).Touched {
			got = append(got, string(p.Access)+" "+p.Path)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s %s:\n got  %s\n want %s", c.call.Name, c.call.Args, s, c.want)
		}
	}
}

// SPEC: L7, B18. What only the result names: the files that patch changed, that an editor
// has open, and that were not to be written.
func TestTouchedAsShown(t *testing.T) {
	for _, c := range []struct{ line, output, want string }{
		{"patch -p1 < x.patch", "patching file a.py\nHunk #1 FAILED at 1.\nHunk #2 succeeded at 9.\n1 out of 2 hunks FAILED -- saving rejects to file a.py.rej\npatching file b.py", "read x.patch, edit a.py, edit b.py"},
		{"patch -p1 < x.patch", "patching file a.py\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED -- saving rejects to file a.py.rej", "read x.patch"},
		{"patch -p1 < x.patch", "patch: **** malformed patch at line 39\npatching file a.py", "read x.patch"},
		{"patch -p1 --dry-run < x.patch", "patching file a.py", "read x.patch"},
		{"patch -R -p1 < x.patch", "patching file a.py", "read x.patch, restore a.py"},
		{"patch -p1 <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", "patching file a.py\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED", ""},
		{"edit\n    return 1\nend_of_edit", "[File: /repo/src/b.py (90 lines total)]\n3:    return 1", "edit /repo/src/b.py"},
		{"edit 3:5\n    return 1\nend_of_edit", "[File: /repo/src/a.py (90 lines total)]\n3:    return 1", "edit /repo/src/a.py"},
		{"cat notes", "patching file a.py", ""},
		{"patch -Rp1 <<'E'\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+b\nE", "patching file new.py", "delete new.py"},
		{"patch -p1 <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", `{"output":"patching file a.py\n1 out of 1 hunk FAILED","metadata":{"exit_code":1}}`, ""},
		{"wc -l src/a.py && cat src/b.py", "3 src/a.py", "list src/a.py, read src/b.py"},
		{"sed -i '1c\\ it\\'s (x)' a.py; rm b.py", "bash: -c: line 1: syntax error near unexpected token `)'", ""},
		{"git checkout -- a.py && patch -p1 < x.patch", "patching file a.py", "edit a.py, read x.patch"},
		{"git checkout -- a.py && patch -p1 <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", "patching file a.py\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED", "restore a.py"},
		{"patch -p1 < x.patch", "patching file b.py\ncan't find file to patch at input line 9\n1 out of 1 hunk ignored", "read x.patch, edit b.py"},
		{"patch -p1 < x.patch", "patching file b.py\nReversed (or previously applied) patch detected!  Skipping patch.\n1 out of 1 hunk ignored", "read x.patch"},
		{"patch -p1 <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", "can't find file to patch at input line 1", ""},
		{"patch -p1 -s <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", "", "edit a.py"},
		{"patch -p1 --dry-run <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", "checking file a.py", ""},
		{"patch -Rp1 < x.patch", "patching file a.py", "read x.patch, restore a.py"},
		{"patch -p1 -d sub < x.patch", "patching file a.py", "read x.patch, edit sub/a.py"},
		{"patch -d sub -p1 <<'E'\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\nE", "", "edit sub/a.py"},
		{"edit 3:3\n    rm -rf b.py && git stash\nend_of_edit", "[File: /repo/src/a.py (90 lines total)]\n3:    rm", "edit /repo/src/a.py"},
		{"git checkout --theirs go.sum && git checkout -3 -- a.py && git restore --ours b.py", "", ""},
		{"python3 e.py > /srv/a.csv", "Exit code 1\nbash: /srv/a.csv: Permission denied", ""},
		{"python3 e.py > /srv/a.csv", "zsh: permission denied: /srv/a.csv", ""},
		{"echo x > no/a.txt", "/bin/sh: 1: cannot create no/a.txt: Directory nonexistent", ""},
		{"echo x > no/a.txt", "bash: line 1: no/a.txt: No such file or directory", ""},
		{"cat a.txt; echo x > a.txt", "cat: a.txt: No such file or directory", "create a.txt"},
		{"cp a.py /srv/a.py", "cp: cannot create regular file '/srv/a.py': Permission denied", "read a.py"},
		{"rm src a.py", "rm: cannot remove ‘src’: Is a directory", "delete a.py"},
		{"python3 -c 'open(\"/srv/a.csv\", \"w\")'", "PermissionError: [Errno 13] Permission denied: '/srv/a.csv'", ""},
		{"echo x > a.csv; ./b > /srv/a.csv", "bash: /srv/a.csv: Permission denied", "create a.csv"},
	} {
		args, _ := json.Marshal(map[string]string{"command": c.line})
		var got []string
		for _, p := range tool.Of(message.Part{Name: "bash", Args: string(args)}, result(c.output)).Touched {
			did := string(p.Access)
			if p.Restored {
				did = "restore"
			}
			got = append(got, did+" "+p.Path)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%q %q: %q, want %q", c.line, c.output, s, c.want)
		}
	}
}

// SPEC: L7. Outcome, exit code and first error line, by the result.
func TestOutcome(t *testing.T) {
	for i, c := range []struct {
		name, args, text string
		failed           bool
		outcome          tool.Outcome
		exit, err        string
	}{
		{"bash", `{"command":"pytest"}`, "<returncode>1</returncode>\n<output>\nFAILED tests/a.py::b - x\n</output>", false, tool.Failure, "1", "FAILED tests/a.py::b - x"},
		{"bash", `{"command":"make"}`, "<returncode>0</returncode>\n<output>\nok\n</output>", false, tool.Success, "0", ""},
		{"bash", `{"command":"pytest | tail"}`, "<returncode>0</returncode>\n2 failed, 3 passed", false, tool.Partial, "0", "2 failed, 3 passed"},
		{"bash", `{"command":"pytest"}`, "30 passed, 0 failed", false, tool.Success, "", ""},
		{"bash", `{"command":"python x.py"}`, "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\n    g()\nKeyError: 'a'", false, tool.Failure, "", "KeyError: 'a'"},
		{"bash", `{"command":"lint fix a.sql | grep L003"}`, "<returncode>1</returncode>\n<output>\n</output>", false, tool.Partial, "1", ""},
		{"bash", `{"command":"cat x.log"}`, "all good\nTraceback (most recent call last):\n  x\nKeyError: 1", false, tool.Success, "", ""},
		{"bash", `{"command":"cat nope"}`, "cat: nope: No such file or directory", false, tool.Failure, "", "cat: nope: No such file or directory"},
		{"bash", `{"command":"grep x y.py"}`, "<returncode>1</returncode>\n<output>\n</output>", false, tool.Partial, "1", ""},
		{"bash", `{"command":"go build ./..."}`, "# m\n./a.go:12:5: undefined: y\n\nCommand exited with code 1", false, tool.Failure, "1", "./a.go:12:5: undefined: y"},
		{"shell", `{"command":["go","test"]}`, `{"output":"panic: boom\n","metadata":{"exit_code":2,"duration_seconds":0.1}}`, false, tool.Failure, "2", "panic: boom"},
		{"exec_command", `{"cmd":"true"}`, "Chunk ID: a1\nProcess exited with code 0\nOutput:\n", false, tool.Success, "0", ""},
		{"bash", `{"command":"go vet"}`, "x.go:1:1: declared and not used: x\nexit status 1", false, tool.Failure, "1", "x.go:1:1: declared and not used: x"},
		{"Bash", `{"command":"make"}`, "Exit code 2\nError: x", false, tool.Failure, "2", "Error: x"},
		{"Bash", `{"command":"python a.py"}`, "Testing: ValueError: x", false, tool.Partial, "0", "Testing: ValueError: x"},
		{"Bash", `{"command":"make"}`, "(Bash completed with no output)", false, tool.Success, "0", ""},
		{"Bash", `{"command":"make"}`, "main.c:7: error: x\nmake: *** [all] Error 1", false, tool.Failure, "", "main.c:7: error: x"},
		{"Bash", `{"command":"pytest"}`, "==== 1 failed, 2 passed in 0.1s ====", false, tool.Failure, "", "==== 1 failed, 2 passed in 0.1s ===="},
		{"Bash", `{"command":"git push"}`, "fatal: unable to access the repository", false, tool.Failure, "", "fatal: unable to access the repository"},
		{"Bash", `{"command":"make"}`, "it broke", true, tool.Failure, "", "it broke"},
		{"Bash", `{"command":"make"}`, tool.NoResult, false, tool.Success, "", ""},
		{"Bash", `{"command":"make | tail"}`, "ok", false, tool.Success, "", ""},
		{"Bash", `{"command":"make"}`, "Command running in background with ID: b1", false, tool.Success, "", ""},
		{"Bash", `{"command":"python a.py"}`, "Traceback (most recent call last):\nKeyError: 'a'", false, tool.Failure, "", "KeyError: 'a'"},
		{"Bash", `{"command":"x; make"}`, "bash: x: command not found", false, tool.Failure, "", "bash: x: command not found"},
		{"bash", `{"command":"python a.py"}`, "PASS: raised error: ValueError\n✓ Raised ValueError: x\n[PASS] e.Error: y", false, tool.Success, "", ""},
		{"bash", `{"command":"python a.py"}`, "Testing the issue: pkg.TypeError: x\n12: :raises KeyError: of a\nok", false, tool.Success, "", ""},
		{"bash", `{"command":"python a.py"}`, "Testing the issue: TypeError: x\nSorry: IndentationError: y", false, tool.Failure, "", "Sorry: IndentationError: y"},
		{"bash", `{"command":"java A"}`, "Exception in thread \"main\" java.lang.IllegalStateException: x", false, tool.Failure, "", "Exception in thread \"main\" java.lang.IllegalStateException: x"},
		{"bash", `{"command":"php a.php"}`, "PHP Fatal error: Uncaught Exception: x", false, tool.Failure, "", "PHP Fatal error: Uncaught Exception: x"},
		{"bash", `{"command":"make"}`, "In file a.c:3: parse error: x", false, tool.Failure, "", "In file a.c:3: parse error: x"},
		{"bash", `{"command":"python a.py"}`, "ok", false, tool.Success, "", ""},
		{"Edit", `{"file_path":"a"}`, "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", false, tool.Failure, "", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"},
		{"Edit", `{"file_path":"a"}`, "<tool_use_error>Found 3 matches of the string to replace, but replace_all is false.</tool_use_error>", false, tool.Failure, "", "<tool_use_error>Found 3 matches of the string to replace, but replace_all is false.</tool_use_error>"},
		{"Edit", `{"file_path":"a"}`, "Found 3 matches of the string to replace, but replace_all is false.", false, tool.Failure, "", "Found 3 matches of the string to replace, but replace_all is false."},
		{"Bash", `{"command":"make"}`, "<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>", false, tool.Failure, "", "<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>"},
		{"edit", `{"filePath":"a"}`, "oldString not found in content", false, tool.Failure, "", "oldString not found in content"},
		{"edit", `{"filePath":"a"}`, "Found multiple matches for oldString. Provide more surrounding lines.", false, tool.Failure, "", "Found multiple matches for oldString. Provide more surrounding lines."},
		{"write", `{"filePath":"a"}`, "File a has been modified since it was last read.", false, tool.Failure, "", "File a has been modified since it was last read."},
		{"write", `{"filePath":"a"}`, "You must read the file a before overwriting it.", false, tool.Failure, "", "You must read the file a before overwriting it."},
		{"apply_patch", `{"input":"*** Begin Patch\n*** End Patch"}`, "apply_patch verification failed: Failed to find expected lines in a", false, tool.Failure, "", "apply_patch verification failed: Failed to find expected lines in a"},
		{"edit", `{"filePath":"a"}`, "Edit applied successfully.\n\nLSP errors detected in this file, please fix:\n<diagnostics file=\"a\">\nERROR [12:8] x\n</diagnostics>", false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "old_string is what was there\nx", false, tool.Success, "", ""},
		{"edit", `{"path":"a"}`, "Could not find the exact text in a.", false, tool.Failure, "", "Could not find the exact text in a."},
		{"edit", `{"path":"a"}`, "Successfully replaced text in a.", false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "x\nError: this is file content", false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "no such thing", true, tool.Failure, "", "no such thing"},
		{"get_order", `{"id":"7"}`, `{"error":"order not found"}`, false, tool.Failure, "", "order not found"},
		{"get_order", `{"id":"7"}`, "Error: user not found", false, tool.Failure, "", "Error: user not found"},
		{"get_order", `{"id":"7"}`, `{"order":"7","error":null}`, false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "Error handling in Go\n\nErrors are values.", false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "Failed logins\n=============\nAre counted.", false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "Exception hierarchy\nfatal: no", false, tool.Success, "", ""},
		{"Read", `{"file_path":"a"}`, "Error reading file: no such thing", false, tool.Failure, "", "Error reading file: no such thing"},
		{"Read", `{"file_path":"a"}`, "Error: a is a folder\nTry ls.", false, tool.Failure, "", "Error: a is a folder"},
		{"Read", `{"file_path":"a"}`, "Failed to read a", false, tool.Failure, "", "Failed to read a"},
		{"bash", `{"command":"cat a.md"}`, "Error handling in Go\n\nErrors are values.", false, tool.Success, "", ""},
		{"lint", `{"id":"7"}`, `{"errors":0,"warnings":2}`, false, tool.Success, "", ""},
		{"lint", `{"id":"7"}`, `{"errors":3,"warnings":2}`, false, tool.Failure, "", "errors: 3"},
		{"lint", `{"id":"7"}`, `{"error":"no such file","errors":0}`, false, tool.Failure, "", "no such file"},
		{"lint", `{"id":"7"}`, `{"error":"","errors":"none"}`, false, tool.Success, "", ""},
	} {
		e := tool.Of(message.Part{Name: c.name, Args: c.args}, func() *message.Part { r := result(c.text); r.Failed = c.failed; return r }())
		exit := ""
		if e.Exit != nil {
			exit = fmt.Sprint(*e.Exit)
		}
		if e.Outcome != c.outcome || exit != c.exit || e.Error != c.err {
			t.Errorf("%d: got %s exit %q error %q, want %s %q %q", i, e.Outcome, exit, e.Error, c.outcome, c.exit, c.err)
		}
	}
	if got := tool.Of(message.Part{Name: "bash"}, nil).Outcome; got != tool.Partial {
		t.Errorf("a call without a result is %s", got)
	}
}

// SPEC: L7, L8. Key fields are those the table names, or what says which thing.
func TestKeyFields(t *testing.T) {
	for _, c := range []struct{ name, args, text, want string }{
		{"bash", `{"command":"a && b"}`, "Exit code: 3\nx", `{"command":"a && b","exit_code":3}`},
		{"write", `{"path":"x","content":"y"}`, "ok", `{"path":"x","success":true}`},
		{"get_order", `{"order_id":"#W1","verbose":true}`, `{"order_id":"#W1","status":"shipped","total":9007199254740993,"items":[1]}`, `{"order_id":"#W1","verbose":true,"status":"shipped","total":9007199254740993}`},
		{"update_plan", `{"explanation":"x"}`, "ok", ``},
	} {
		e := tool.Of(message.Part{Name: c.name, Args: c.args}, result(c.text))
		if diff := cmp.Diff(c.want, string(e.KeyFields)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// SPEC: B18. The folder that a shell's prompt names is the one at the end of its output.
func TestFolderOfThePrompt(t *testing.T) {
	for text, want := range map[string]string{
		"344\n(Open file: n/a)\n(Current directory: /repo)\nbash-$":        "/repo",
		"an old log:\n(Current directory: /repo)\nbash-$\nls\nREADME.md\n": "",
		"(Current directory: /repo)":                                       "",
	} {
		if got := tool.Parse(message.Part{Name: "bash", Args: `{"command":"ls"}`}, result(text)).Folder(); got != want {
			t.Errorf("%q: folder %q, want %q", text, got, want)
		}
	}
}

// SPEC: B2. What a line runs, without where and with what filter.
func TestAction(t *testing.T) {
	for _, c := range []struct{ line, acts string }{
		{"cd /repo && go test ./... 2>&1 | tail -20", "go test ./..."},
		{"cat > a.py <<'EOF'\nprint(1)\nEOF\npython a.py", "python a.py"},
		{"git add -A && git commit -m 'a && b'", "git add -A && git commit -m 'a && b'"},
		{"make; make test; ls", "make; make test"},
		{"pip install a -q 2>&1 | tail -1 && python b.py 2>&1 | head", "pip install a -q 2>&1 | tail -1 && python b.py"},
		{"make 2>&1 | grep x | tail -3; cat > a.py <<'E'\n1\nE\npython a.py", "make"},
		{"make | tail", "make"},
		{"pip install a -q && cat > a.py <<'E'\n1\nE\npython a.py", "python a.py"},
		{"pip install a -q && ls && cat a.py", "pip install a -q"},
		{"grep -rn x src | head", ""},
		{"sed -i s/a/b/ x.go", ""},
		{"FOO=1 npm run check", "FOO=1 npm run check"},
		{"cd /r && patch -p1 < fix.patch 2>&1 | tail", "patch -p1 < fix.patch"},
		{"open src/a.py 20", ""},
		{"cd /r && pytest a.py 2>/dev/null || python -c 'import a' | head", "pytest a.py 2>/dev/null || python -c 'import a'"},
		{"make all || true", "make all"},
		{"edit 3:3\n    make && git stash\nend_of_edit", ""},
		{"cd /r && echo 'select 1' | lint - | head", "echo 'select 1' | lint -"},
		{"cat a.sql; cat b.sql | lint -", "cat b.sql | lint -"},
		{"cd enc; lint a.sql", "lint a.sql"},
		{"for i in $(seq $((N+1)) $((N+9))); do sed -i 1d a.py; done", ""},
		{"at=$(date +%s) && lint a.sql", "lint a.sql"},
		{"echo $((", ""},
		{"cd enc && cat > a.sql <<'E'\n1\nE\nlint a.sql", "lint a.sql"},
		{"lint a.sql > out.txt", "lint a.sql"},
		{"", ""},
	} {
		r := bash(c.line)
		if got := r.Action(); got != c.acts {
			t.Errorf("%q: got %q, want %q", c.line, got, c.acts)
		}
		if r.OnAll() != program.Nothing {
			t.Errorf("%q changes all files", c.line)
		}
	}
}

// SPEC: V10. Any text, any arguments: no panic, valid key fields, bounded error.
func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "cat <<EOF > a\nx\nEOF", "sed -i 's/a/b/' x", `{"command":"ls \\\"x"}`, "a <<", "'", "\"\\", ">>>>", "<<<", "*** Add File: x", "é > ü"} {
		f.Add("bash", s, s)
		f.Add("apply_patch", s, s)
	}
	f.Add("shell", `{"command":["bash","-c","x"]}`, `{"output":1,"metadata":{"exit_code":"7"}}`)
	f.Fuzz(func(t *testing.T, name, args, text string) {
		e := tool.Of(message.Part{Name: name, Args: args}, result(text))
		if len(e.KeyFields) > 0 && !json.Valid(e.KeyFields) {
			t.Errorf("key fields %q", e.KeyFields)
		}
		if len(e.Error) > 300 || len(e.Touched) > 64 {
			t.Errorf("unbounded: %d bytes of error, %d paths", len(e.Error), len(e.Touched))
		}
		if e.Outcome != tool.Success && e.Outcome != tool.Failure && e.Outcome != tool.Partial {
			t.Errorf("outcome %q", e.Outcome)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	call := message.Part{Name: "bash", Args: `{"command":"cd /repo && cat <<'EOF' > src/a.py\nprint(1)\nEOF\npytest -q tests 2>&1 | tail -50"}`}
	res := result("<returncode>0</returncode>\n<output>\n" + strings.Repeat("tests/unit/test_models.py::test_case PASSED [ 12%]\n", 400) + "</output>")
	b.SetBytes(int64(len(res.Parts[0].Text)))
	b.ReportAllocs()
	for b.Loop() {
		tool.Of(call, res)
	}
}

// SPEC: B18. A relative path is of the folder that its line changed to before, as far as the line tells.
func TestFolderOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"cat a.py":                                "",
		"cd /srv/app && cat a.py":                 "/srv/app",
		"cd /srv/app && cd enc && cat a.py":       "/srv/app/enc",
		"cd /srv/app/enc/.. && cat a.py":          "/srv/app",
		"cd enc && echo x > a.py":                 "enc",
		"cd /srv; cat b.py; cd /tmp; cat a.py":    "/tmp",
		"cd /srv && cat > a.py && cd /tmp && ls":  "/srv",
		"cd /srv && bash -c 'cd app && cat a.py'": "/srv/app",
		"cd $HOME && cat a.py":                    "",
		"cd ~/app && cat a.py":                    "",
		"cd - && cat a.py":                        "",
		"(cd /srv && ls) && cat a.py":             "",
		"cd /srv && cat /tmp/a.py":                "",
	} {
		args, _ := json.Marshal(map[string]string{"command": line})
		for _, f := range tool.Of(message.Part{Name: "bash", Args: string(args)}, nil).Touched {
			if strings.HasSuffix(f.Path, "a.py") && f.In != want {
				t.Errorf("%s: in %q, want %q", line, f.In, want)
			}
		}
	}
}
