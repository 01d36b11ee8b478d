package llm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
)

// Compacting is a dialect whose provider compacts a conversation on demand.
type Compacting interface {
	Dialect
	// AskCompaction makes a request one for a compaction, with instructions of
	// our own or "", and names the beta header that this takes.
	AskCompaction(body []byte, instructions string) (out []byte, beta string)
	// Compaction is what a compaction block says; false where a reply has none.
	Compaction(m message.Message) (text string, ok bool)
}

// Native has a provider compact a span with its own means. Of the signed block
// that comes back only the text is used: the block itself would have to stand
// first in every later request, with nothing before it and nothing behind it
// changed. Make it with NewNative; it is safe for concurrent use.
type Native struct {
	s     *Summarizer
	facts summary.Summarizer
	ask   Compacting
}

// NewNative makes one over a Compacting dialect. Facts keeps what a summary must
// hold (constraints, files, open items), and needs no model; what the provider
// says stands beside it, but for what the span does not bear out. Of the config,
// Prompt and Prefix are not used.
func NewNative(c Config, facts summary.Summarizer) (*Native, error) {
	d, ok := c.Dialect.(Compacting)
	if !ok || facts == nil {
		return nil, fmt.Errorf("native summarizer: dialect %T compacts nothing, or no summarizer keeps the facts", c.Dialect)
	}
	c.Header = c.Header.Clone()
	if c.Header == nil {
		c.Header = http.Header{}
	}
	_, beta := d.AskCompaction([]byte("{}"), "")
	c.Header.Add("Anthropic-Beta", beta)
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	return &Native{s, facts, d}, nil
}

// Name names the model and who keeps the facts.
func (n *Native) Name() string { return "native/" + n.s.cfg.Model + "," + n.facts.Name() }

// Close closes the connections of the summarizer's own client.
func (n *Native) Close() { n.s.Close() }

// Usage returns what all calls so far cost.
func (n *Native) Usage() Usage { return n.s.Usage() }

// Summarize implements summary.Summarizer. A span is compacted in one call, so
// one that exceeds the model's window is ErrTooLong; the other errors are those of
// Summarizer.Summarize.
func (n *Native) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	return n.s.guard(ctx, "compact", func(ctx context.Context) (*summary.Structured, error) { return n.write(ctx, in) })
}

func (n *Native) write(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	facts, err := n.facts.Summarize(ctx, in)
	r := newRun(n.s, in)
	if err != nil || !r.anyVisible(r.fresh) {
		return facts, err
	}
	r.state = r.standing()
	text, err := n.compact(ctx, r)
	if err != nil {
		return nil, err
	}
	made := fromText(r, text)
	if err := made.check(in.Span, false); err != nil {
		n.s.tally(1, made.dropped)
		return nil, err
	}
	n.s.tally(0, made.dropped)
	out := *facts
	out.Facts = slices.Concat(facts.Facts, made.out.Facts)
	if made.out.Narrative != "" {
		out.Narrative = made.out.Narrative
	}
	return r.finish(&out)
}

// fromText returns what the provider says as a summary: an account where the part is
// one, else findings, which supersede nothing that was said.
func fromText(r *run, text string) *parser {
	if r.part.narrates() {
		return parse(&answer{Narrative: text}, newAttributor(r.in.Thread, r.fresh))
	}
	w := parse(&answer{}, newAttributor(r.in.Thread, r.fresh))
	for _, s := range sentences(text) {
		if s = strings.TrimLeft(clean(s), "*- "); s != "" && s[0] != '<' && s[0] != '#' { // tags and heads
			w.items++
			w.out.Facts = append(w.out.Facts, summary.Fact{Kind: summary.Finding, Text: s, From: w.out.To})
		}
	}
	return w
}

// compact sends the span's own messages, after what earlier summaries say.
func (n *Native) compact(ctx context.Context, r *run) (string, error) {
	req := &codec.Request{Model: n.s.cfg.Model, MaxOutput: cmp.Or(n.s.cfg.MaxOutput, 8192), Stream: n.s.cfg.Stream}
	if was := r.earlier(); was != "" {
		req.Messages = append(req.Messages, message.TextOf(message.User, "What was said before, in short:\n"+fence("summary", was)))
	}
	for _, i := range r.fresh {
		if r.visible(i) {
			req.Messages = append(req.Messages, withoutThinking(r.in.Thread.At(i).Message))
		}
	}
	names := map[string]bool{}
	for _, name := range r.tools {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		req.Tools = append(req.Tools, codec.Tool{Name: name, Schema: []byte(`{"type":"object"}`)})
	}
	body, err := n.ask.Encode(req, req.Messages)
	if err != nil {
		return "", fmt.Errorf("ask for a compaction: %w", err)
	}
	body, _ = n.ask.AskCompaction(body, r.in.Instructions)
	return n.send(ctx, body)
}

// withoutThinking returns a message without thinking, which is bound to where it was.
func withoutThinking(m message.Message) message.Message {
	if m.Has(message.Thinking) {
		m.Edited = true
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p message.Part) bool { return p.Kind == message.Thinking })
	}
	return m
}

// send sends the body of a request for a compaction and returns what the block that comes back says.
// An answer without one is an error, and counts as refused.
func (n *Native) send(ctx context.Context, body []byte) (string, error) {
	reply, err := n.s.call(ctx, n.s.cfg.Model, body)
	if err != nil {
		return "", fmt.Errorf("ask for a compaction: %w", err)
	}
	if text, ok := n.ask.Compaction(reply.Message); ok && strings.TrimSpace(text) != "" {
		return text, nil
	}
	n.s.tally(1, 0)
	if _, err := n.s.text(reply); err != nil {
		return "", fmt.Errorf("ask for a compaction: %w", err)
	}
	return "", fmt.Errorf("ask for a compaction: %w", ErrEmpty)
}
