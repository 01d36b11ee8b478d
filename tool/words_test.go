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
