package precis

import (
	"context"
	"encoding/json"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
)

// Compactor is the port of the clip-archive design (SPEC C1): a history and a
// conversation's id in, the compressed history and what it took out. It
// compacts whenever it is asked, whatever the size.
type Compactor struct {
	e  *Engine
	in Input
}

// Compression is what a Compactor made. Tokens are of the whole request.
type Compression struct {
	History            []message.Message
	BatchesCreated     int
	MessagesCompressed int
	TokensBefore       int
	TokensAfter        int
}

// Compactor makes one with the engine's policy; chunk size, what is kept and
// what is shown are the policy's. in gives model, meter and budget; its thread
// and messages are not read.
func (e *Engine) Compactor(in Input) *Compactor { return &Compactor{e, in} }

// Compress returns the history as it is to be sent from now on. Nothing to
// compress is no error: the history comes back as it was, with zero batches.
func (c *Compactor) Compress(ctx context.Context, history []message.Message, conversation string) (Compression, error) {
	in := c.in
	in.Thread, in.Messages, in.Mode.Force = conversation, history, true
	before := map[batchKey]bool{}
	if p, err := c.e.store.Plan(ctx, c.e.key(conversation)); err == nil {
		before = batches(p)
	}
	turn, err := c.e.Prepare(ctx, in)
	if err != nil {
		return Compression{History: history}, err
	}
	out := Compression{History: turn.Messages, TokensBefore: turn.Original, TokensAfter: turn.Compacted}
	if turn.Plan == nil {
		return out, nil
	}
	for k := range batches(turn.Plan) {
		if !before[k] {
			out.BatchesCreated++
		}
	}
	for _, r := range turn.Plan.Records {
		if r.Action == plan.Summarize {
			out.MessagesCompressed += r.Span.Count()
		}
	}
	return out, nil
}

// batchKey tells batches of one thread apart.
type batchKey struct{ from, to, depth int }

// batches are those of a plan's archives; a summary that is no archive is one.
func batches(p *plan.Plan) map[batchKey]bool {
	out := map[batchKey]bool{}
	for _, r := range p.Records {
		if r.Action != plan.Summarize {
			continue
		}
		var a summary.Archive
		if json.Unmarshal(r.Summary, &a) != nil {
			out[batchKey{r.Span.FirstTurn, r.Span.LastTurn, -1}] = true
			continue
		}
		for _, b := range a.Batches {
			out[batchKey{b.From.N, b.To.N, b.Depth}] = true
		}
	}
	return out
}
