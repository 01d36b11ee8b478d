package llm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/llm"
)

// A model is asked for what the summary may take, and its answer is capped a quarter
// above that. What the configuration says goes before it.
//
// SPEC: S4, T3, C1
func TestAsksForTheCap(t *testing.T) {
	th := script(t, coding)
	for _, tt := range []struct {
		part              summary.Part
		answer            string
		limit, configured int
		asked, output     int
	}{
		{summary.Session, session, 800, 0, 800, 1000},
		{summary.Session, session, 400, 0, 400, 500},
		{summary.Chunk, account, 1024, 0, 1024, 1280},
		{summary.Chunk, account, 256, 0, 256, 320},
		{summary.Chunk, account, 64, 0, 64, 256},
		{summary.Range, account, 2000, 0, 2000, 2500},
		{summary.TurnHead, account, 400, 0, 400, 500},
		{summary.TurnHead, account, 400, 100, 80, 100},
		{summary.Chunk, account, 256, 5000, 256, 5000},
		{summary.Handover, account, 40_000, 0, 1638, 2048},
		{summary.Structure, structure, 50_000, 0, 1638, 2048},
	} {
		m := serve(t, anthropic.Name, says(tt.answer, "end"))
		c := m.config()
		c.MaxOutput = tt.configured
		in := input(th, tt.part, 1, 0)
		in.Cap = tt.limit
		if _, err := summarizer(t, c).Summarize(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		contains(t, m.prompt(0), fmt.Sprintf("Keep it below %d tokens", tt.asked))
		contains(t, string(m.sent[0]), fmt.Sprintf(`"max_tokens":%d,`, tt.output))
	}
}

// The prompt of a session tells the original task, fenced, in every round; so may a
// prompt of the caller's own.
//
// SPEC: S4, S5
func TestTaskIsTold(t *testing.T) {
	th := script(t, coding)
	m := serve(t, anthropic.Name, says(session, "end"))
	in := input(th, summary.Session, 3, 0)
	in.Task = "Make {messages} accept gzip files."
	if _, err := summarizer(t, m.config()).Summarize(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	contains(t, m.prompt(0), "The original request of the user:\n<<<task ", "\nMake {messages} accept gzip files.\n>>>task ")
	in.Task = ""
	if _, err := summarizer(t, m.config()).Summarize(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	contains(t, m.prompt(1), "The original request of the user:\nUnknown task\n")
}

// Where a prompt of the caller's own asks for an account, plain text is one. It is
// checked like any other; the prompts of the designs want their form.
//
// SPEC: C4, C5
func TestProseOfACustomPrompt(t *testing.T) {
	const told = "The user asked for gzip support in pkg/load/load.go. The agent wrapped the reader with gzip.NewReader."
	th := script(t, coding)
	for _, part := range []summary.Part{summary.Chunk, summary.TurnHead, summary.Range, summary.Handover} {
		m := serve(t, anthropic.Name, says(told, "end"))
		c := m.config()
		if _, err := summarizer(t, c).Summarize(t.Context(), input(th, part, 1, 0)); !errors.Is(err, llm.ErrSchema) {
			t.Errorf("%s: the design's prompt took plain text: %v", part, err)
		}
		c.Prompt = "Tell the story:\n{messages}"
		out, err := summarizer(t, c).Summarize(t.Context(), input(th, part, 1, 0))
		if err != nil || out.Narrative != told {
			t.Errorf("%s: %+v, %v", part, out, err)
		}
		if part == summary.Chunk || part == summary.TurnHead {
			lacks(t, m.prompt(1), "JSON")
			lacks(t, string(m.sent[1]), "output_config")
		}
	}
	m := serve(t, anthropic.Name, says("The user asked for zstd.v9 in pkg/other/none.go.", "end"))
	c := m.config()
	c.Prompt = "Tell the story:\n{messages}"
	if out, err := summarizer(t, c).Summarize(t.Context(), input(th, summary.Chunk, 1, 0)); !errors.Is(err, llm.ErrInvented) {
		t.Errorf("an invention was taken: %+v, %v", out, err)
	}
}
