package precis_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// The bytes in docs/format.md are what the code makes.
//
// SPEC: L4, V1
func TestFormatPage(t *testing.T) {
	page, err := os.ReadFile("docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	want := func(text string) {
		t.Helper()
		if !strings.Contains(string(page), text) {
			t.Errorf("the page does not show\n%s", text)
		}
	}
	th := formatThread(t)
	for i := range th.Len() {
		e := th.At(i)
		want("| `" + string(e.Message.Raw) + "` | `" + hex.EncodeToString(e.Digest[:]) + "` | `" + string(e.ID) + "` |")
	}
	last := th.At(2)
	p, err := plan.Build(plan.Plan{
		Thread: "s1", Base: last.ID, Version: 1, ThreadVersion: 3, Policy: "ladder", Style: "ladder",
		Records: []plan.Record{{
			Action: plan.Clear, Span: plan.Span{IDs: []thread.ID{last.ID}, Part: 1, FirstTurn: 1, LastTurn: 1},
			Tool: "bash", Outcome: "success", Fields: []byte(`{"exit_code":0}`), Strategy: "clear", Reason: "old result of bash",
		}},
	}, th)
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Format()
	if err != nil {
		t.Fatal(err)
	}
	want(text)
	want("```\n" + render.Prompt(th, p, nil).Messages[2].Parts[0].Body() + "\n```")
}

func formatThread(t *testing.T) *thread.Thread {
	t.Helper()
	var ms []message.Message
	for _, raw := range []string{
		`{"role":"user","content":"List the files."}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`,
		`{"role":"tool","tool_call_id":"call_1","content":"a.go\nb.go\n"}`,
	} {
		m, err := openai.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, m)
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}
