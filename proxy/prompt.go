package proxy

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/proxy/upstreamview"
	"github.com/seed-3db51b0e/precis/rehydrate"
)

// prompt goes upstream for a job.
type prompt struct {
	request.Prompt
	partial  partial
	declared bool   // the body declares the recall tools
	beta     string // the beta header that the body takes, "" for none
	// unwritten: the API has no form for what the turn's prompt holds, so Body is the
	// client's own.
	unwritten bool
}

// partial is an answer that has begun: the prompt goes on with it.
type partial struct {
	begun bool
	seen  []message.Message // what the model said and saw
}

// turnShare divides the budget: a new plan leaves at most one part of that many to
// earlier look-ups.
const turnShare = 4

// compact is the fourth stage: it has the engine make a prompt, and splices that into
// the request. Whatever goes wrong, it is the client's own bytes.
func (p *Proxy) compact(ctx context.Context, j job, in precis.Input, answer partial) prompt {
	own := prompt{Prompt: request.Prompt{Input: in, Body: j.request.Body}, partial: answer}
	if j.engine == nil {
		return own
	}
	made := own
	if err := request.Guard(func() error {
		made = p.compacted(ctx, j, own)
		return nil
	}); err != nil {
		p.failed(ctx, j.conversation, request.Prepare, err)
		return own
	}
	return made
}

func (p *Proxy) compacted(ctx context.Context, j job, made prompt) prompt {
	timed, cancel := p.patient(ctx, j.conversation)
	defer cancel()
	turn := j.engine.SafeCompact(timed, made.Input)
	if request.NothingFits(turn) && len(made.partial.seen) == 0 && j.recall.tools != nil && j.recall.view != nil {
		room, err := j.recall.view.Release(ctx, made.Input.Messages)
		p.failed(ctx, j.conversation, request.Recall, err)
		if made.Input.Meter.Overhead.Request -= room; room > 0 {
			turn = j.engine.SafeCompact(timed, made.Input)
		}
	}
	for _, err := range turn.Failures {
		p.failed(ctx, j.conversation, request.StageOf(err), err)
	}
	if len(turn.Failures) == 0 {
		p.failed(ctx, j.conversation, request.Recall, j.recall.failed)
	}
	made.Turn, made.Tokens = turn, turn.Compacted
	if turn.Shadow != nil {
		turn.Shadow.Compacted = p.wouldSend(j, turn.Planned())
	}
	p.warnOfBudget(j, turn)
	if (turn.Plan != nil || len(turn.Earlier) > 0 || turn.Outcome == precis.Failed || p.opts.addsBytes()) && p.opts.Mode != Observe {
		spliced, err := p.splice(ctx, j, made)
		if err == nil {
			made = spliced
		} else {
			made.Tokens, made.unwritten = turn.Original, true
			p.failed(ctx, j.conversation, request.Encode, overBudget(err, turn.Original-j.recall.cost, turn.Budget))
		}
	}
	if !made.declared { // the room for the tools is kept, and not taken
		made.Tokens -= j.recall.cost
	}
	return made
}

// overBudget adds to why a prompt could not be written that what goes out instead is over
// the budget, if it is.
func overBudget(err error, tokens, budget int) error {
	if tokens > budget {
		return fmt.Errorf("%w: %d tokens are over the budget of %d", err, tokens, budget)
	}
	return err
}

// warnOfBudget says, once, that most of a budget goes to what cannot be compacted: the
// client's own system prompt and tools.
func (p *Proxy) warnOfBudget(j job, turn *precis.Turn) {
	overhead := turn.Overhead - j.recall.cost
	if p.opts.Mode == Off || overhead <= 0 || !p.limits.Tight(j.subject.Everywhere(), overhead, turn.Budget) {
		return
	}
	p.log.Warn("system prompt and tools take most of the budget: raise it, or give the agent fewer tools",
		"api", j.codec.Name(), "model", j.request.Model, "overhead", overhead, "budget", turn.Budget, "left", turn.Budget-overhead)
}

// splice writes a turn's prompt into the body of its request, with what the model
// looked up before and in this answer at its place, and the recall tools.
func (p *Proxy) splice(ctx context.Context, j job, made prompt) (prompt, error) {
	turn, req := made.Turn, j.request
	declares := p.declares(j, turn)
	ms, fewer := p.marked(j, made, declares)
	whole := made.Tokens
	made.Tokens = whole - fewer
	made.declared = false
	if j.recall.view == nil || turn.Thread == nil {
		out, err := j.codec.Encode(req, ms)
		made.Body = out
		return made.controlled(j), err
	}
	if made.Input.Mode.DropThinking {
		made.partial.seen = upstreamview.WithoutThinking(made.partial.seen)
	}
	placed, err := j.recall.view.Place(ctx, upstreamview.Prompt{
		Turn: turn, Messages: ms, Declared: declares, Bound: j.recall.bound, Answering: made.partial.begun, MaxTokens: made.Input.Budget / turnShare,
	})
	p.failed(ctx, j.conversation, request.Recall, err)
	if declares {
		req, made.declared = j.codec.(declarer).Declare(req, j.recall.tools)
	}
	out, err := j.codec.Encode(req, append(placed, made.partial.seen...))
	if withRecall := err; err != nil && len(made.partial.seen) == 0 {
		made.declared = false
		ms, fewer = p.marked(j, made, false)
		made.Tokens = whole - fewer
		if out, err = j.codec.Encode(j.request, ms); err == nil { // else it is not the recall tools that have no form
			p.failed(ctx, j.conversation, request.Recall, withRecall)
		}
	}
	made.Body = out
	return made.controlled(j), err
}

// controlled asks the provider to drop thinking, once a plan changed the prefix.
func (made prompt) controlled(j job) prompt {
	made.beta = ""
	if plan := made.Turn.Plan; j.dropsThinking && plan != nil && (len(plan.Records) > 0 || plan.Version > 1) {
		if out, beta, ok := j.codec.(dropper).DropBlocks(made.Body); ok {
			made.Body, made.beta = out, beta
		}
	}
	return made
}

// declares reports whether a turn's request declares the recall tools.
func (p *Proxy) declares(j job, turn *precis.Turn) bool {
	return j.recall.tools != nil && turn.Thread != nil && (turn.Plan != nil || len(turn.Earlier) > 0 || p.opts.Prompt.Recall == RecallAlways)
}

// wouldSend counts the request of a turn that is only observed, as it would be sent.
func (p *Proxy) wouldSend(j job, turn *precis.Turn) int {
	if p.declares(j, turn) {
		return turn.Compacted
	}
	_, fewer := p.readable(j.incoming, turn)
	return turn.Compacted - fewer - j.recall.cost
}

// readable are a turn's messages where the proxy declares no recall tools, and how many
// tokens fewer they have: unless the client has such tools, they name none.
func (p *Proxy) readable(in incoming, turn *precis.Turn) (ms []message.Message, fewer int) {
	if in.request.Declares(rehydrate.Explicit) {
		return turn.Messages, 0
	}
	return turn.WithoutRecall(in.owner.Policy.Recall)
}

// marked are a turn's messages, which say where to cache them, and how many tokens fewer than
// the turn's they have.
func (p *Proxy) marked(j job, made prompt, declares bool) (ms []message.Message, fewer int) {
	ms = made.Turn.Messages
	if !declares {
		ms, fewer = p.readable(j.incoming, made.Turn)
	}
	return p.cache(j).Mark(made.Turn, ms), fewer
}
