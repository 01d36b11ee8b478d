package precis_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
)

// compactor is the port of the clip-archive design over Prepare: a program that
// was written for that design needs no more than this. Chunk size, what is kept
// and what is shown are the policy's. It compacts whenever it is asked, whatever
// the size.
type compactor struct {
	engine *precis.Engine
	in     precis.Input         // model, meter and budget
	known  map[string][]batchID // of each conversation
	done   map[string]int       // messages compressed before, of each conversation
}

// compression is what one call of a compactor did. Tokens are of the whole request.
type compression struct {
	history           []message.Message
	batches, messages int // created, and compressed that were not before
	before, after     int // tokens
}

// compress returns the history as it is to be sent from now on. Nothing to
// compress is no error: the history comes back as it was, with zero batches.
func (c *compactor) compress(ctx context.Context, history []message.Message, conversation string) (compression, error) {
	in := c.in
	in.Thread, in.Messages, in.Mode.Force = conversation, history, true
	turn, err := c.engine.Prepare(ctx, in)
	if err != nil {
		return compression{history: history}, err
	}
	out := compression{history: turn.Messages, before: turn.Original, after: turn.Compacted}
	if turn.Plan == nil {
		return out, nil
	}
	now := batches(turn.Plan)
	for _, b := range now {
		if !slices.Contains(c.known[conversation], b) {
			out.batches++
		}
	}
	if c.known == nil {
		c.known, c.done = map[string][]batchID{}, map[string]int{}
	}
	c.known[conversation] = now
	for _, r := range turn.Plan.Records {
		if r.Action == plan.Summarize {
			out.messages += r.Span.Count()
		}
	}
	out.messages, c.done[conversation] = out.messages-c.done[conversation], out.messages
	return out, nil
}

// batchID tells batches of one thread apart.
type batchID struct{ from, to, depth int }

// batches are those of a plan's archives; a summary that is no archive is one.
func batches(p *plan.Plan) (out []batchID) {
	for _, r := range p.Records {
		var a summary.Archive
		switch {
		case r.Action != plan.Summarize:
		case json.Unmarshal(r.Summary, &a) != nil:
			out = append(out, batchID{r.Span.FirstTurn, r.Span.LastTurn, -1})
		default:
			for _, b := range a.Batches {
				out = append(out, batchID{b.From.N, b.To.N, b.Depth})
			}
		}
	}
	return out
}

// The port of the clip-archive design: history and conversation in; history,
// batches created, messages compressed and tokens out. What stands is not
// created again.
//
// SPEC: C1, C2
func TestCompactor(t *testing.T) {
	c := &compactor{engine: newEngine(t, memory.New(), policyOf(t, "clip")), in: precis.Input{Meter: token.Truncate(), Budget: 128_000}}
	ms := work(62, 1) // 125 messages: 119 in six batches, the last 6 stay
	first, err := c.compress(t.Context(), ms, "talk")
	if err != nil {
		t.Fatal(err)
	}
	if first.batches != 6 || first.messages != 119 || len(first.history) != 7 || first.after >= first.before {
		t.Errorf("first: %d batches of %d messages, %d stay, %d → %d", first.batches, first.messages, len(first.history)-1, first.before, first.after)
	}
	again, err := c.compress(t.Context(), ms, "talk")
	if err != nil || again.batches != 0 || again.messages != 0 || printed(again.history) != printed(first.history) {
		t.Errorf("again: %d batches of %d messages, %v", again.batches, again.messages, err)
	}
	grown, err := c.compress(t.Context(), work(82, 1), "talk") // 40 more
	if err != nil || grown.messages != 40 || grown.batches != 3 {
		t.Errorf("grown: %d batches of %d messages, %v", grown.batches, grown.messages, err)
	}
	short, err := c.compress(t.Context(), ms[:3], "short")
	if err != nil || short.batches != 0 || len(short.history) != 3 {
		t.Errorf("short: %+v, %v", short, err)
	}
}
