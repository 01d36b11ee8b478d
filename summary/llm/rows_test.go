package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/llm"
)

// The default prompt asks for the design's six duties, one by one, and holds its
// three placeholders once each.
//
// SPEC: C5, C4
func TestSixDuties(t *testing.T) {
	for duty, said := range map[string][]string{
		"decisions, outcomes, workarounds": {"decisions", "outcomes of tools", "failures as well as successes", "workarounds"},
		"constraints and preferences":      {"constraints", "preferences", "users stated"},
		"causal chains":                    {"why something was done, not only what"},
		"condense":                         {"Condense", "repeated exchanges", "long output of tools", "small talk"},
		"chronological":                    {"the order of time"},
		"narrative":                        {"concise narrative", "not a list"},
	} {
		for _, words := range said {
			if !strings.Contains(llm.DefaultPrompt, words) {
				t.Errorf("%s: the prompt lacks %q", duty, words)
			}
		}
	}
	for _, p := range []string{"{persona}", "{existing_summary}", "{messages}"} {
		if strings.Count(llm.DefaultPrompt, p) != 1 {
			t.Errorf("%s stands %d times", p, strings.Count(llm.DefaultPrompt, p))
		}
	}
}

// Summaries are written by a model of their own, whatever the agent's is: the one
// that is configured is the one that is asked.
//
// SPEC: C5
func TestModelOfItsOwn(t *testing.T) {
	both(t, func(t *testing.T, dialect string) {
		m := serve(t, dialect, says(account, "end"))
		c := m.config()
		c.Model = "claude-haiku-4-5-20251001"
		if _, err := summarizer(t, c).Summarize(t.Context(), input(script(t, coding), summary.Chunk, 1, 0)); err != nil {
			t.Fatal(err)
		}
		contains(t, string(m.sent[0]), `"model":"claude-haiku-4-5-20251001"`)
	})
}

// A single huge result is cut before it is summarized, and everything around it is
// still read.
//
// SPEC: S7, S4
func TestHugeResult(t *testing.T) {
	huge := strings.Repeat("0123456789", 1_200) + "THE END"
	m := serve(t, anthropic.Name, says(session, "end"))
	th := script(t, strings.Replace(coding, "result: edited pkg/load/load.go", "result: edited pkg/load/load.go\n"+huge, 1))
	if _, err := summarizer(t, m.config()).Summarize(t.Context(), input(th, summary.Session, 1, 0)); err != nil {
		t.Fatal(err)
	}
	p := m.prompt(0)
	contains(t, p, "[Result of edit: edited pkg/load/load.go", "[#13] ASSISTANT", "load_test.go:42")
	if n := strings.Count(p, "0123456789"); n > 50 || n < 40 || m.calls() != 1 {
		t.Errorf("%d characters of it shown, in %d calls", 10*n, m.calls())
	}
}

// A result that names its tool is shown as a result, not as a call, and what tools
// said is never left out: alone, beside others, or beside a user's words.
//
// SPEC: S4
func TestResultsAreRead(t *testing.T) {
	call := func(id, name string) message.Part {
		return message.Part{Kind: message.Call, CallID: id, Name: name, Args: fmt.Sprintf(`{"id":%q}`, id)}
	}
	named := result("a", "alpha output")
	named.Name = "read"
	th := chain(t,
		message.TextOf(message.User, "Look at all three files."),
		message.Message{Role: message.Assistant, Parts: []message.Part{call("a", "read"), call("b", "read"), call("c", "read")}},
		message.Message{Role: message.Tool, Parts: []message.Part{named}},
		message.Message{Role: message.User, Parts: []message.Part{result("c", "gamma output"), result("b", "beta output"), {Kind: message.Text, Text: "and hurry"}}},
	)
	for _, part := range []summary.Part{summary.Structure, summary.Session, summary.Range, summary.TurnHead, summary.Handover, summary.Chunk} {
		m := serve(t, anthropic.Name, says(`{}`, "end"))
		_, _ = summarizer(t, m.config()).Summarize(t.Context(), input(th, part, 1, 0))
		p := m.prompt(0)
		contains(t, p, "[Result of read: alpha output]", "[Result of read: beta output]", "[Result of read: gamma output]", "and hurry")
		if n := strings.Count(p, "[Tool: read("); n != 3 {
			t.Errorf("%q: %d calls shown", part, n)
		}
	}
}
