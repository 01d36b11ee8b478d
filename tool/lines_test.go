package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// SPEC: B18, V9. Whatever stands in a command line, all that is asked of it has an answer.
func TestAnyLineIsRead(t *testing.T) {
	leads := rapid.SampledFrom([]string{"", "", "", "if ", "then ", "do ", "! ", "{ ", "sudo ", "env ", "timeout ", "timeout 9 ", "FOO=1 ", "( ", "$( ", "'", "\"", "`"})
	commands := rapid.SampledFrom([]string{
		"", "git commit -m x", "git -C /srv commit", "git add a.py", "git", "git -C", "git stash pop", "git checkout -- a.py", "cd /srv", "ls", "python -m", "./fix.py", "sed -i s/a/b/ a.py",
		"cp a.py b.py", "mkdir", "cat > a.py <<'EOF'\nx\nEOF", "cat <<", "patch -p1 < a", "curl -d", "sh -c 'rm a'", "find . -exec rm {} +", "find -exec", "xargs rm", "xargs -n", "sudo -u", "timeout -k 5", "git stash push a.py", "git stash pop", "sort -o", "for f in *.py", "sed -i s/a/b/ $f", "bash -o", "fi", "done", "> a", "2>&1", "\\",
	})
	ends := rapid.SampledFrom([]string{" && ", " || ", "; ", " | ", "\n", " & ", ")", "'", "\"", "`", ""})
	rapid.Check(t, func(t *rapid.T) {
		line := ""
		for range rapid.IntRange(1, 6).Draw(t, "commands") {
			line += leads.Draw(t, "lead") + commands.Draw(t, "command") + ends.Draw(t, "end")
		}
		args, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		call := message.Part{Kind: message.Call, CallID: "1", Name: "bash", Args: string(args)}
		r := tool.Parse(call, &message.Part{Kind: message.Result, CallID: "1", Parts: []message.Part{{Kind: message.Text, Text: "[main 1234567] x\n"}}})
		if _, told := r.Committed(); r.Commits() && told == "" {
			t.Errorf("%q commits, and nothing tells it", line)
		}
		if at := r.Action(); !strings.Contains(line, at) {
			t.Errorf("%q runs %q", line, at)
		}
		if r.Acts(); r.HidesExit() && r.Action() == "" {
			t.Errorf("%q hides an exit code and runs nothing", line)
		}
		if r.ChangesTree(true) && !r.ChangesTree(false) {
			t.Errorf("%q changes more of what is committed", line)
		}
		if program.Inspects(line) && (r.Acts() || len(r.Moving()) > 0 || len(r.Swept()) > 0) {
			t.Errorf("%q looks only, and acts", line)
		}
		if told := program.Brief(line, 0); r.Acts() && strings.Trim(told, " …") == "" {
			t.Errorf("%q acts, and is told as %q", line, told)
		}
		r.OnAll()
		r.Stages()
		r.Folder()
		r.Telling()
	})
}
