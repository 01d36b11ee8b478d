package proxy

import (
	"context"
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/proxy/merge"
	"github.com/seed-3db51b0e/precis/proxy/native"
	"github.com/seed-3db51b0e/precis/proxy/upstreamview"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/staged"
	"github.com/seed-3db51b0e/precis/token"
)

// job is a conversation with all that its prompts are made from.
type job struct {
	conversation
	engine  *precis.Engine // nil: no prompt can be made
	subject limits.Subject
	input   precis.Input // of the first prompt
	recall  recallState
	trial   *staged.Stage // holds back what the request writes; nil: it writes at once
	// dropsThinking is set where the provider is to drop thinking that does not fit:
	// the engine leaves it alone.
	dropsThinking bool
}

// recallState holds what the recall tools mean for a call.
type recallState struct {
	tools []codec.Tool // offered; nil if none are
	cost  int          // of them, in tokens
	// view holds what the provider saw of earlier answers; nil where it matters to
	// nothing.
	view *upstreamview.View
	// failed is why view may not be all of it.
	failed error
	// bound is set where the model checks its thinking against what it stood behind,
	// the tools included.
	bound bool
}

// declarer is a codec whose requests can be given more tools.
type declarer interface {
	Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool)
}

// dropper is a codec whose requests can ask the provider to drop thinking that does
// not fit.
type dropper interface {
	// DropBlocks asks for that, and names the beta header that this takes.
	DropBlocks(body []byte) (out []byte, beta string, ok bool)
}

// prepare is the third stage: it gathers what the prompt of a conversation is made
// from. Where that fails there is no engine, and the call goes on with its own bytes.
func (p *Proxy) prepare(ctx context.Context, c conversation, trial *staged.Stage) job {
	name := request.ModelName(c.http.Header, c.request)
	m, _ := p.opts.Models.Lookup(name)
	j := job{conversation: c, trial: trial, input: request.NewInput(c.thread, c.request, c.codec.Name(), m)}
	j.input.Messages, j.input.Pins, j.input.Mode.NoCompact = c.native.Messages, c.native.Pins, c.native.Demand != native.None
	j.input.Mode.NoPrefetch, j.input.Client.Source = trial != nil, store.ProxySource(c.codec.Name())
	j.input.Client.User = request.User(c.http.Header, c.request, p.opts.Tenancy.UserHeaders...)
	j.input.Client.CachePoints = p.cache(j).Excerpts()
	j.subject = limits.Subject{Provider: c.endpoint.Name, Tenant: c.owner.Name, Model: name, Thread: c.thread}
	caps := request.Caps{Budget: c.owner.Budget, Images: p.opts.Limits.Images, Bytes: p.opts.Limits.Bytes, ByPolicy: c.owner.Policy.Budget}
	err := request.Fit(&j.input, caps, c.request.MaxOutput, &p.limits, j.subject)
	if err == nil {
		j.engine, err = p.engines.of(c.owner.Name)
	}
	if err != nil {
		p.failed(ctx, c, request.Prepare, err)
		return j
	}
	if d, ok := c.codec.(dropper); ok && p.opts.Prompt.Thinking == ThinkingDropBlock && m.Thinking == model.Bound {
		if _, _, j.dropsThinking = d.DropBlocks(c.request.Body); j.dropsThinking {
			j.input.Model.Thinking = model.Kept
		}
	}
	return p.offer(ctx, j)
}

// cache sets the cache markers of a job's request.
func (p *Proxy) cache(j job) request.Cache {
	return request.CacheOf(j.codec, j.request, j.input.Model, j.endpoint.base.Hostname(), p.opts.Prompt.CachePoints)
}

// offer makes room for the recall tools where they can be declared, and for what was
// looked up before.
func (p *Proxy) offer(ctx context.Context, j job) job {
	j.recall.bound = j.input.Model.Thinking == model.Bound
	can := p.canRecall(j)
	if p.opts.Mode == Off || !can && !j.recall.bound {
		return j
	}
	if p.opts.Mode == Compact { // else the provider sees nothing that the client does not
		timed, cancel := p.patient(ctx, j.conversation)
		defer cancel()
		j.recall.view, j.recall.failed = p.recall.views.Open(timed, store.Key{Tenant: j.owner.Name, Thread: j.thread})
	}
	if !can || j.recall.view != nil && j.recall.view.Refused() {
		return j
	}
	if p.opts.Prompt.Notes && j.recall.view != nil {
		j.input.Notes = j.recall.view.Notes(j.input.Messages)
	}
	j.recall.tools, j.recall.cost = p.recall.within(j.owner.Policy.Recall, j.input.Meter, j.input.Budget/10)
	if len(j.recall.tools) == 0 {
		return j
	}
	j.input.Tools = slices.Concat(j.input.Tools, j.recall.tools)
	if j.recall.view != nil {
		j.input.Meter.Overhead.Request += j.recall.view.Reserve(j.input.Messages)
	}
	return j
}

// canRecall reports whether the recall tools may be declared in a request. They may
// not where the codec cannot, in what the provider is to compact, where the API's
// answers cannot be merged, where answers are kept to be continued by their ids, where
// the client has tools of those names, and where it declares its tools among its
// messages and nowhere else.
func (p *Proxy) canRecall(j job) bool {
	_, ok := j.codec.(declarer)
	return ok && j.native.Demand != native.ByPath && merge.Supports(j.codec.Name()) && p.opts.Prompt.Recall != RecallOff && !j.request.Stored &&
		(len(j.request.Tools) > 0 || !slices.ContainsFunc(j.request.Messages, message.Message.Fixed)) &&
		!j.request.Declares(recall.Answers)
}

// within returns the tools of a policy that names the first as read, or those of them that a model
// cannot do without, with what they cost; none that cost more than room, in tokens.
func (r *recallTools) within(read string, m token.Meter, room int) (tools []codec.Tool, cost int) {
	for _, tools := range [][]codec.Tool{recall.Definitions(read), recall.Definitions(read)[:recall.Essential]} {
		if r.notes {
			tools = append(tools, recall.NoteDefinition())
		}
		if cost := r.cost(tools, m); cost <= room {
			return tools, cost
		}
	}
	return nil, 0
}

// cost returns the tokens of the recall tools: a meter counts them once.
func (r *recallTools) cost(tools []codec.Tool, m token.Meter) int {
	at := toolPrice{m.Counter.Name(), tools[0].Name, len(tools), m.Factor, m.Margin, m.Learned, m.Overhead.Tool}
	n, _ := r.costs.GetOrMake(at, func() (n, bytes int, err error) {
		for _, t := range tools {
			n += m.Tool(t.Name, t.Description, t.Read())
		}
		return n, 0, nil
	})
	return n
}
