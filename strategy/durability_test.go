package strategy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/filestate"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// round is one tool call and its result.
type round struct{ call, result message.Part }

// rounds is a view of a thread of a task, the rounds, and one newest round that
// no rung touches.
func rounds(t *testing.T, target int, rs ...round) *strategy.View {
	t.Helper()
	ms := []message.Message{message.TextOf(message.User, "go")}
	last := round{message.Part{Kind: message.Call, Name: "ls", Args: "{}"}, text("x")}
	for i, r := range append(rs, last) {
		r.call.CallID, r.result.CallID = fmt.Sprint("c", i), fmt.Sprint("c", i)
		ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{r.call}}, message.Message{Role: message.Tool, Parts: []message.Part{r.result}})
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return view(strategy.NewDraft(th, nil, render.StyleOf("ladder"), token.Truncate(), 0), target)
}

func text(s string) message.Part {
	return message.Part{Kind: message.Result, Parts: []message.Part{{Kind: message.Text, Text: s}}}
}

func calls(name, args string, result message.Part) round {
	return round{message.Part{Kind: message.Call, Name: name, Args: args}, result}
}

func declare(t *testing.T, p message.Part, e tool.Envelope) message.Part {
	t.Helper()
	if err := tool.Declare(&p, e); err != nil {
		t.Fatal(err)
	}
	return p
}

// tools names the tools whose results records stand over.
func tools(v *strategy.View, rs []plan.Record) []string {
	var names []string
	for _, r := range rs {
		i, _ := v.T.Find(r.Span.Start())
		call, _ := v.CallOf(i, r.Span.Part)
		names = append(names, call.Name)
	}
	return names
}

var output = strings.Repeat("a line of output\n", 100)

// The envelope decides, then the overrides, then the table, then anchoring.
//
// SPEC: L8, L10
func TestClearByDurability(t *testing.T) {
	source := func(tool.Envelope) *tool.Determinism { return &tool.Determinism{Version: "2", ETag: "same"} }
	same := &tool.Determinism{ETag: "same"}
	v := rounds(t, 1,
		calls("ls", "{}", text(output)),
		calls("get_order", "{}", text(output)),
		calls("read", `{"path":"a"}`, text(output)),
		calls("web_search", "{}", text(output)),
		calls("mine", "{}", text(output)),
		calls("declared", "{}", declare(t, text(output), tool.Envelope{Durability: tool.NonReplayable})),
		calls("paid_api", "{}", text(output)),
		calls("paid_api_free", "{}", declare(t, text(output), tool.Envelope{Durability: tool.Ephemeral})),
		calls("same", "{}", declare(t, text(output), tool.Envelope{Durability: tool.Replayable, Determinism: same})),
		calls("drifted", "{}", declare(t, text(output), tool.Envelope{Durability: tool.Replayable, Determinism: &tool.Determinism{ETag: "other"}})),
		calls("unknowable", "{}", declare(t, text(output), tool.Envelope{Durability: tool.Replayable, Determinism: &tool.Determinism{ContentHash: "x"}})),
		calls("bare", "{}", declare(t, text(output), tool.Envelope{Durability: tool.Replayable})),
	)
	v.Source = source
	v.Tools = map[string]tool.Policy{
		"mine": {Durability: tool.Ephemeral}, "paid_api": {Durability: tool.NonReplayable}, "paid_api_free": {Durability: tool.NonReplayable},
	}
	want := []string{"ls", "get_order", "mine", "paid_api_free", "same"}
	rs := run(t, strategy.Clear{Above: 50}, v)
	if got := tools(v, rs); !slices.Equal(got, want) {
		t.Errorf("cleared %q, want %q", got, want)
	}
	if r := rs[len(rs)-1]; r.Reason != "old result of same, its source unchanged" {
		t.Errorf("reason %q", r.Reason)
	}
	blind := rounds(t, 1, calls("same", "{}", declare(t, text(output), tool.Envelope{Durability: tool.Replayable, Determinism: same})))
	if rs := run(t, strategy.Clear{Above: 50}, blind); len(rs) != 0 {
		t.Errorf("nothing can be checked, yet %+v", rs)
	}
}

// A file read is cleared while its file is what was read, and the plan stands
// whatever becomes of the file.
//
// SPEC: L9, V5
func TestClearWhileTheFileStands(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"same.go", "edited.go", "deleted.go"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(output), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := filestate.Files(root)
	read := tool.Declaration{Name: "read", Policy: tool.Policy{Durability: tool.Replayable}, Capture: files}
	var rs []round
	for _, name := range []string{"same.go", "edited.go", "deleted.go"} {
		call := message.Part{Kind: message.Call, Name: "read", Args: fmt.Sprintf(`{"path":%q}`, name)}
		result, err := read.Result(call, output, tool.Envelope{})
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, round{call, result})
	}
	if err := os.WriteFile(filepath.Join(root, "edited.go"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "deleted.go")); err != nil {
		t.Fatal(err)
	}
	v := rounds(t, 1, rs...)
	v.Source = files
	got := run(t, strategy.Clear{Above: 50}, v)
	if len(got) != 1 || string(got[0].Fields) != `{"path":"same.go"}` {
		t.Fatalf("cleared %+v", got)
	}
	p, err := plan.Build(plan.Plan{Style: "ladder", Records: got}, v.T)
	if err != nil {
		t.Fatal(err)
	}
	before := render.Prompt(v.T, p, nil).Messages[2].Parts[0].Body()
	if err := os.Remove(filepath.Join(root, "same.go")); err != nil {
		t.Fatal(err)
	}
	if after := render.Prompt(v.T, p, nil).Messages[2].Parts[0].Body(); after != before || !strings.Contains(after, "[read: success]\nKey data: {\"path\": \"same.go\"}") {
		t.Errorf("before %q, after %q", before, after)
	}
}

// The placeholder keeps what the tool's policy names and what the result
// declared.
//
// SPEC: L7, L8
func TestClearPreserves(t *testing.T) {
	v := rounds(t, 1,
		calls("create_order", `{"note":"n"}`, text(`{"order_id":"W-1","state":"paid","log":"`+strings.Repeat("x ", 900)+`"}`)),
		calls("create_order", `{"note":"n"}`, declare(t, text(output), tool.Envelope{Outcome: tool.Partial, KeyFields: []byte(`{"step":2}`)})),
	)
	v.Tools = map[string]tool.Policy{"create_order": {Durability: tool.Anchoring, Preserve: []string{"order_id", "note"}}}
	rs := run(t, strategy.Clear{Above: 50}, v)
	if len(rs) != 2 || string(rs[0].Fields) != `{"order_id":"W-1","note":"n"}` || string(rs[1].Fields) != `{"step":2,"note":"n"}` || rs[1].Outcome != "partial" {
		t.Errorf("%+v", rs)
	}
}

// A tool's own threshold decides what is externalized: web searches from 500
// tokens, and never more than a tenth of a small budget.
//
// SPEC: L8, L10
func TestExternalizeByTool(t *testing.T) {
	sized := func(n int) message.Part { return text(strings.Repeat("word ", n*4/5)) } // 4 bytes a token
	over := map[string]tool.Policy{"mine": {ExternalizeAt: 300}, "huge": {ExternalizeAt: 3000}}
	for _, c := range []struct {
		budget int
		want   []string
	}{
		{100_000, []string{"huge", "bash", "web_search", "mine"}},
		{4_000, []string{"huge", "huge", "bash", "web_search", "mine", "web_search"}},
	} {
		v := rounds(t, 1,
			calls("web_search", "{}", sized(600)), calls("web_search", "{}", sized(450)), calls("mine", "{}", sized(500)), calls("mine", "{}", sized(250)),
			calls("huge", "{}", sized(2000)), calls("huge", "{}", sized(4000)), calls("bash", "{}", sized(1500)), calls("bash", "{}", sized(900)),
		)
		v.Limits.Budget, v.Tools = c.budget, over
		rs := run(t, strategy.Externalize{Above: 1000, To: 20, Relevance: strategy.NewRelevance(v.Draft, v.Limits.Budget)}, v)
		slices.SortStableFunc(rs, func(a, b plan.Record) int { return b.Saves - a.Saves })
		if got := tools(v, rs); !slices.Equal(got, c.want) {
			t.Errorf("budget %d: externalized %q, want %q", c.budget, got, c.want)
		}
	}
}

// A result whose call id came before has its tool's own threshold, too: a repair gives
// the result another id, not another tool.
//
// SPEC: L8, L10
func TestExternalizeByToolOfReusedID(t *testing.T) {
	ms := []message.Message{message.TextOf(message.User, "go")}
	for range 3 {
		r := calls("huge", "{}", text(strings.Repeat("word ", 1600)))
		r.call.CallID, r.result.CallID = "c", "c"
		ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{r.call}}, message.Message{Role: message.Tool, Parts: []message.Part{r.result}})
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	d := strategy.NewDraft(th, nil, render.StyleOf("ladder"), token.Truncate(), 0)
	if !strategy.Reconcile(d, false) {
		t.Fatal("nothing was repaired")
	}
	v := view(d, 1)
	v.Limits.Budget, v.Tools = 100_000, map[string]tool.Policy{"huge": {ExternalizeAt: 3000}}
	for _, r := range run(t, strategy.Externalize{Above: 1000, To: 20}, v) {
		if r.Action == plan.Externalize {
			t.Errorf("externalized the result of turn %d", r.Span.FirstTurn)
		}
	}
}
