// Package adapt holds what the adapters of agent frameworks share (folder adapters): the
// framework's messages go through the engine as neutral ones, and come back by position.
//
// Use: an adapter makes an Adapter of an engine, a Conversation for each run of an
// agent, and a Step for each call of the model; Read makes its request, Send calls the
// model with its prompt, Write puts the prompt in the framework's words. Law: whatever
// goes wrong in here, a panic in reading and writing included, the prompt is the
// framework's own messages, or what the plan last in force leaves of them. Promise: a
// message that no plan touches comes back as the same value; one that is edited names the
// parts that stand as they were; a prompt that is refused for its length is sent again
// once, compacted, and never twice.
package adapt

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
)

// Options are those of every adapter. The zero value is the usual case.
type Options struct {
	// Thread names the conversation within the engine's tenant; WithThread names it for
	// one run. "" leaves that to the framework's session, and where it has none, to what
	// the conversation begins with. Agents that run at the same time need names of their
	// own, or none.
	Thread string
	// Model is the model's name, of which window and counts follow, where the
	// framework's requests do not name one.
	Model string
	// Budget is the cap of a request in tokens; with 0 the policy derives it from the model.
	Budget int
	// NoRecall leaves out the tools with which the model reads back what its prompt
	// does not show.
	NoRecall bool
	// PrepareTimeout bounds the time that a call waits for its prompt, and the model for
	// what it reads back. 0 = 1 min.
	PrepareTimeout time.Duration
	// Log takes the failures that a call survives; nil: nothing is logged.
	Log *slog.Logger
}

type threadKey struct{}

// WithThread names the conversation of the calls made with the context, over
// Options.Thread.
func WithThread(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, threadKey{}, name)
}

// Adapter holds what the conversations of an adapter share: the engine, and what
// refusals and reported usage taught. It is safe for concurrent use.
type Adapter struct {
	engine  *precis.Engine
	options Options
	limits  limits.LearnedLimits
}

// New makes an adapter. The caller closes the engine.
func New(e *precis.Engine, o Options) *Adapter {
	o.PrepareTimeout = cmp.Or(o.PrepareTimeout, time.Minute)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Adapter{engine: e, options: o}
}

// Tools declares the tools with which the model reads back what its prompt does not
// show; none with Options.NoRecall.
func (a *Adapter) Tools() []codec.Tool {
	if a.options.NoRecall {
		return nil
	}
	return a.engine.RecallTools()
}

// SessionName joins the names that a framework's session has. Other names make another: a "/" in one is escaped.
func SessionName(names ...string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = url.PathEscape(name)
	}
	return strings.TrimRight(strings.Join(escaped, "/"), "/")
}

// Conversation begins a run of an agent. session is the framework's own name for the
// conversation, "" where it has none.
func (a *Adapter) Conversation(session string) *Conversation {
	return &Conversation{adapter: a, session: session}
}

// Conversation is one run of an agent, or all runs of one session. It is safe for
// concurrent use; its calls of the model are one after another.
type Conversation struct {
	adapter *Adapter
	session string
	mu      sync.Mutex
	last    *precis.Turn // of the last step; nil before the first
	meter   token.Meter  // that Turn was counted with
}

// Request is one call of a model in neutral words.
type Request struct {
	// Framework names who asks. It is the Dialect of the messages that have a Raw.
	Framework string
	// Messages are the whole history, one for each of the framework's.
	Messages []message.Message
	System   []message.Part // that is not among the messages
	Tools    []codec.Tool
	Model    string // "": Options.Model
	// MaxOutput is the cap of the reply in tokens, 0 if none is stated.
	MaxOutput int
}

// Read returns the request that read makes of a framework's. Where read panics it is the
// zero Request: Write then hands on the framework's own messages.
func (c *Conversation) Read(ctx context.Context, read func() Request) Request {
	var r Request
	err := request.Guard(func() error {
		r = read()
		return nil
	})
	if err != nil {
		(&Step{conversation: c}).failed(ctx, request.Prepare, err)
	}
	return r
}

// Step makes the prompt of a call. Messages of the request must not be changed
// afterwards.
func (c *Conversation) Step(ctx context.Context, r Request) *Step {
	s := &Step{conversation: c, own: r.Messages, Prompt: asTheyCame(r.Messages)}
	if len(r.Messages) == 0 {
		return s
	}
	err := request.Guard(func() error { return s.begin(ctx, r) })
	if err != nil {
		s.failed(ctx, request.Prepare, err)
		return s
	}
	s.prepare(ctx, s.input)
	return s
}

// begin makes the input of a step.
func (s *Step) begin(ctx context.Context, r Request) error {
	c, a := s.conversation, s.conversation.adapter
	name := cmp.Or(r.Model, a.options.Model)
	m, _ := model.Lookup(name)
	req := &codec.Request{
		Dialect: r.Framework, Model: name, System: r.System, Tools: r.Tools,
		Messages: r.Messages, MaxOutput: r.MaxOutput,
		UserLeads: true, ThinkingStays: m.Provider == "deepseek" || slices.ContainsFunc(r.Messages, signed),
	}
	named, _ := ctx.Value(threadKey{}).(string)
	key := request.Bounded(cmp.Or(named, a.options.Thread, c.session, request.Key(http.Header{}, req)))
	s.input = request.NewInput(key, req, r.Framework, m)
	s.subject = limits.Subject{Provider: r.Framework, Model: req.Model, Thread: key}
	s.declared = req.Declares(recall.Answers)
	caps := request.Caps{Budget: a.options.Budget, ByPolicy: a.engine.Budget}
	return request.Fit(&s.input, caps, r.MaxOutput, &a.limits, s.subject)
}

// signed reports whether a message holds thinking that its provider may want back as it was.
func signed(m message.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p message.Part) bool { return p.Kind == message.Thinking && p.Signature != "" })
}

// answerShare is the part of the budget that one answer may take, leastAnswer the
// tokens that it may always take.
const answerShare, leastAnswer = 16, 256

// The answers where there is nothing to read from.
const (
	nothingYet  = "miss: nothing of this conversation has left the prompt"
	unavailable = "unavailable: the log cannot be read now; the same call may work later"
)

// Answer answers a call of one of Tools from what the last step's history holds. args
// is the JSON of the call's arguments. What cannot be answered is a text, too, which
// says why.
func (c *Conversation) Answer(ctx context.Context, name, args string) string {
	c.mu.Lock()
	turn, meter := c.last, c.meter
	c.mu.Unlock()
	if turn == nil || turn.Thread == nil {
		return nothingYet
	}
	text := unavailable
	ctx, cancel := context.WithTimeout(ctx, c.adapter.options.PrepareTimeout)
	defer cancel()
	err := request.Guard(func() error {
		log, err := c.adapter.engine.Recall(ctx, turn)
		if err != nil {
			return err
		}
		who := recall.ToolHandler{
			Who:    artifact.Requester{ID: "model", Tenant: turn.Key.Tenant},
			Tokens: max(turn.Budget/answerShare, leastAnswer), Count: meter.Text,
		}
		text, _ = who.Answer(ctx, log, name, json.RawMessage(cmp.Or(args, "{}")))
		return nil
	})
	if err != nil {
		c.adapter.options.Log.Warn(request.Recall.Text(), "stage", request.Recall, "thread", turn.Key.Thread, "error", summary.Redact(err))
	}
	return text
}
