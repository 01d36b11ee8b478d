package llm_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/llm"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// compacts answers as the API does that compacts on demand.
func compacts(content, stop string) step {
	return func(_ *model, w http.ResponseWriter, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[%s],"stop_reason":%q,"usage":{"input_tokens":0,"output_tokens":0,"iterations":[{"type":"compaction","input_tokens":900,"output_tokens":60}]}}`, content, stop)
	}
}

func nativeOver(t *testing.T, m *model) *llm.Native {
	t.Helper()
	n, err := llm.NewNative(llm.Config{URL: m.url + "/messages", Model: "claude-opus-5-5", Dialect: anthropic.Codec{}, APIKey: key}, extract.Summarizer{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// The provider's own compaction is asked for as its rules want it, and what it
// says stands beside the facts, but for what nobody said.
//
// SPEC: B6, C5 · WN1, WN2, WN3
func TestNative(t *testing.T) {
	block := `{"type":"compaction","content":"## State\n- The reader in pkg/load/load.go is wrapped with gzip.NewReader.\n- TestLoad failed with an invalid header.\n- The magic bytes are sniffed.\n- Deploy to host-9931 is next.","signature":"c2ln"}`
	m := serve(t, anthropic.Name, compacts(block, "compaction"))
	th := script(t, coding)
	n := nativeOver(t, m)
	out, err := n.Summarize(t.Context(), input(th, summary.Structure, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	text := wording.Text(out, 0, nil)
	contains(t, text, "Never change the public API of pkg/load", "wrapped with gzip.NewReader", "magic bytes are sniffed", "edited pkg/load/load.go")
	lacks(t, text, "host-9931", "- State")
	for _, f := range wirecheck.Anthropic(m.sent[0], wirecheck.Options{AllowUnknown: true}) {
		t.Error(f)
	}
	contains(t, string(m.sent[0]), `"compaction":{"type":"summarize"}`, `"name":"bash"`, `"name":"edit"`)
	if got := m.heads[0].Get("Anthropic-Beta"); got != "compact-2026-09-04" {
		t.Errorf("beta %q", got)
	}
	if u := n.Usage(); u.Calls != 1 || u.Input != 900 || u.Output != 60 || u.Dropped != 1 {
		t.Errorf("usage %+v", u)
	}

	out, err = n.Summarize(t.Context(), input(th, summary.Handover, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, out.Narrative, "wrapped with gzip.NewReader")
	lacks(t, out.Narrative, "host-9931")
}

// No summary is an error that says why, and the next summarizer's turn.
//
// SPEC: G4, S7 · WN4, WN9
func TestNativeFails(t *testing.T) {
	for name, c := range map[string]struct {
		step step
		want error
	}{
		"nothing":      {compacts("", "end_turn"), llm.ErrEmpty},
		"null":         {compacts(`{"type":"compaction","content":null}`, "compaction"), llm.ErrSchema},
		"at the cap":   {compacts("", "max_tokens"), llm.ErrTruncated},
		"window":       {compacts("", "model_context_window_exceeded"), llm.ErrTooLong},
		"refusal":      {compacts("", "refusal"), llm.ErrRefused},
		"invention":    {compacts(`{"type":"compaction","content":"It runs on host-9931."}`, "compaction"), llm.ErrInvented},
		"too long":     {fails(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1000001 tokens > 1000000 maximum"}}`), llm.ErrTooLong},
		"not yet open": {func(_ *model, w http.ResponseWriter, _ []byte) { w.WriteHeader(400); _, _ = io.WriteString(w, `{}`) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := nativeOver(t, serve(t, anthropic.Name, c.step))
			out, err := n.Summarize(t.Context(), input(script(t, coding), summary.Structure, 1, 0))
			if out != nil || err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v, %v", out, err)
			}
		})
	}
	if _, err := llm.NewNative(llm.Config{URL: "http://x/v1", Model: "gpt-5", Dialect: openai.Codec{}}, extract.Summarizer{}); err == nil {
		t.Error("a dialect that compacts nothing is taken")
	}
}

// Thinking does not go along: it is bound to where it was.
//
// SPEC: B9 · WT5
func TestNativeSendsNoThinking(t *testing.T) {
	m := serve(t, anthropic.Name, compacts(`{"type":"compaction","content":"The answer is given."}`, "compaction"))
	think := message.Part{Kind: message.Thinking, Text: "hm", Signature: "c2ln", Dialect: anthropic.Name, Raw: []byte(`{"type":"thinking","thinking":"hm","signature":"c2ln"}`)}
	th := chain(t, message.TextOf(message.User, "What is the answer?"), message.Message{Role: message.Assistant, Parts: []message.Part{think, {Kind: message.Text, Text: "The answer is given."}}})
	if _, err := nativeOver(t, m).Summarize(t.Context(), input(th, summary.Structure, 1, 0)); err != nil {
		t.Fatal(err)
	}
	lacks(t, string(m.sent[0]), "c2ln", "hm")
}
