package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/upstream"
)

// declarer is a codec whose requests can be given more tools.
type declarer interface {
	Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool)
}

const (
	// mostRounds is how often the model is asked again with what it looked up.
	mostRounds = 4
	// lookShare of the budget is what it gets to see in one round at most, and
	// asideShare what is left of earlier ones by a new plan.
	lookShare, asideShare = 16, 4
	// leastLook is what it gets to see at least, in tokens.
	leastLook = 256
)

// looks are what the model looks up in a call.
type looks struct {
	tools    []codec.Tool      // offered; nil if none are
	cost     int               // of them, in tokens
	declared bool              // what goes out declares them
	view     *view             // of earlier answers; nil where it matters to nothing
	failed   error             // why it may not be all of it
	heavy    int               // tokens of the asides that were made room for
	cut      bool              // some went that no plan took
	said     []message.Message // of this one, as the model sees it
	counted  int               // tokens of it that are counted as sent
	rounds   [][]byte          // bodies of this one, if it is no stream
	hides    bool              // a call was left out of what the client gets
	apart    bool              // what the model saw and what the client gets are two things
	seen     int               // how often it was asked again
}

// offer makes room for the recall tools where they can be declared, and for what
// was looked up before. They cannot be declared where the API has no weaver,
// where its answers are kept to be continued by their ids, where the tools would
// take more than a tenth of the budget, and where the client has tools of those
// names.
func (c *call) offer() {
	if c.p.opts.Mode != Compact {
		return
	}
	can := c.recalls()
	if !can && !c.binds() {
		return
	}
	c.looks.view = new(view)
	c.looks.failed = guarded(func() (err error) {
		ctx, cancel := context.WithTimeout(c.r.Context(), c.p.opts.Limits.PrepareTimeout)
		defer cancel()
		c.looks.view, err = c.p.views.of(ctx, c.key())
		return err
	})
	if !can || c.looks.view.refused {
		return
	}
	tools := c.p.recalls
	cost := c.p.prices.of(tools, c.in.Meter)
	if cost > c.in.Budget/10 {
		return
	}
	c.looks.tools, c.looks.cost, c.looks.heavy = tools, cost, c.looks.view.present(c.in.Messages)
	c.in.Tools = slices.Concat(c.in.Tools, tools)
	c.in.Meter.Overhead.Request += c.looks.heavy
}

// recalls says whether the tools may be declared to what asks: what the provider
// is to compact has none.
func (c *call) recalls() bool {
	_, ok := c.codec.(declarer)
	return ok && c.native.asks != byPath && newWeaver(c.codec.Name()) != nil && c.p.opts.Prompt.Recall != RecallOff && !c.req.Stored &&
		!slices.ContainsFunc(c.req.Tools, func(t codec.Tool) bool { return recall.Answers(t.Name) })
}

// declares says whether a prompt has the tools with it.
func (c *call) declares(turn *precis.Turn) bool {
	return c.looks.tools != nil && (turn.Plan != nil || c.p.opts.Prompt.Recall == RecallAlways)
}

// binds says whether the model checks its thinking against what it stood behind,
// the tools included.
func (c *call) binds() bool { return c.in.Model.Thinking == model.Bound }

// key is the conversation as the client calls it.
func (c *call) key() store.Key { return store.Key{Tenant: c.subject.Tenant, Thread: c.in.Thread} }

// encode writes the prompt, with what the model looked up before and in this
// call at its place, and the recall tools.
func (c *call) encode(turn *precis.Turn) ([]byte, error) {
	c.looks.declared = false
	if c.looks.view == nil || turn.Thread == nil {
		return c.codec.Encode(c.req, c.points(turn))
	}
	if c.in.Mode.DropThinking {
		c.looks.said = unthought(c.looks.said)
	}
	req, declared := c.req, false
	if c.declares(turn) {
		req, declared = c.codec.(declarer).Declare(req, c.looks.tools)
	}
	out, err := c.codec.Encode(req, append(c.placed(turn), c.looks.said...))
	if err != nil && len(c.looks.said) == 0 {
		c.failed("recall", err)
		out, err = c.codec.Encode(req, c.points(turn))
	}
	c.looks.declared = declared && err == nil
	return out, err
}

// converse forwards an answer in which the model may look things up: it is asked
// again with what it got, and the client has one answer in the end.
func (c *call) converse(a *answer) error {
	if a.loom != nil {
		a.gate.release()
	}
	for {
		err := a.listen()
		r := a.reply()
		c.learn(r)
		if err != nil {
			return err
		}
		if r == nil || r.Stop == "" { // too large, cut, or no answer, which goes on as it came
			c.looks.hides = c.looks.hides && r != nil
			return c.conclude(a, ending{})
		}
		c.looks.rounds = append(c.looks.rounds, a.whole)
		calls, own := wanted(r)
		c.looks.hides = c.looks.hides || len(calls) > 0
		asks := r.Stop == codec.StopCalls && len(calls) > 0
		if !asks {
			c.looks.said = append(c.looks.said, without(r)...)
			return c.conclude(a, ending{})
		}
		c.looks.said, c.looks.apart = append(slices.Concat(c.looks.said, r.Messages()), c.results(calls)), true
		if own || c.looks.seen == mostRounds || !c.prolong() {
			return c.conclude(a, ending{stop: !own})
		}
		c.looks.seen++
		resp, err := c.ask()
		if err == nil && resp.Status/100 == 4 && resp.Status != http.StatusTooManyRequests {
			resp, err = c.retreat(resp)
		}
		if err != nil || resp.Status != http.StatusOK {
			return c.broken(a, resp, err)
		}
		a.next(c.codec, resp)
	}
}

// retreat asks again without what the model looked up in this answer. Where the
// provider does not take it that it does, there are no recall tools from then on;
// where there was no room for it, the window is remembered.
func (c *call) retreat(refusal *upstream.Response) (*upstream.Response, error) {
	said, _ := io.ReadAll(io.LimitReader(refusal.Body, mostError)) // what cannot be read says nothing
	_ = refusal.Body.Close()                                       // it was read
	o, long := overflow.Classify(refusal.Status, string(said))
	c.p.metrics.failed(c.codec.Name(), "recall")
	c.p.log.Warn("provider refused a look-up", "api", c.codec.Name(), "thread", c.in.Thread, "status", c.status, "too_long", long)
	switch {
	case long:
		c.p.lessons.Refused(c.subject, o, c.sent)
	case refusal.Status == http.StatusBadRequest, refusal.Status == http.StatusUnprocessableEntity:
		c.keep(remark{Refused: true}.logged())
		c.looks.tools, c.looks.cost = nil, 0
	}
	c.sent -= c.looks.counted
	c.looks.said, c.looks.counted, c.looks.seen = nil, 0, mostRounds
	out, err := c.encode(c.turn)
	if err != nil {
		return nil, err
	}
	c.out = c.controlled(c.turn, out)
	return c.ask()
}

// listen takes all of a round.
func (a *answer) listen() error {
	for !a.ended {
		if err := a.step(); err != nil {
			return err
		}
	}
	return a.err
}

// next goes on with another round.
func (a *answer) next(c Codec, resp *upstream.Response) {
	_ = a.resp.Body.Close() // it was read
	a.resp, a.heard, a.read, a.known, a.ended, a.whole = resp, exchange.New(c, resp.Status, resp.Header), nil, false, false, nil
	if a.loom != nil {
		a.loom.next()
	}
}

// wanted are the calls of a reply that are answered in here, and whether there
// are others.
func wanted(r *codec.Reply) (calls []message.Part, own bool) {
	for _, at := range r.Message.Calls() {
		if p := r.Message.Parts[at]; recall.Answers(p.Name) {
			calls = append(calls, p)
		} else {
			own = true
		}
	}
	return calls, own
}

// without is a reply as the client gets it, without calls that are answered in
// here.
func without(r *codec.Reply) (ms []message.Message) {
	if r.Items != nil {
		for _, i := range remaining(len(r.Items), true, func(i int) role { return roleIn(r.Items[i]) }) {
			ms = append(ms, r.Items[i])
		}
		return ms
	}
	m := r.Message
	kept := slices.DeleteFunc(slices.Clone(m.Parts), lookedUp)
	if len(kept) < len(m.Parts) {
		m.Parts, m.Edited = kept, true
	}
	if len(kept) == 0 {
		return nil
	}
	return []message.Message{m}
}

func lookedUp(p message.Part) bool { return p.Kind == message.Call && recall.Answers(p.Name) }

// roleIn is what an item of an answer is to what is left of it.
func roleIn(m message.Message) role {
	switch {
	case slices.ContainsFunc(m.Parts, lookedUp):
		return asks
	case m.Has(message.Thinking):
		return reasons
	}
	return speaks
}

// results answers calls from the thread that the request is of, and no other
// (SPEC V10).
func (c *call) results(calls []message.Part) message.Message {
	looked := c.begin("lookup")
	defer func() { looked(attribute.Int("precis.calls", len(calls))) }()
	ctx, cancel := context.WithTimeout(c.r.Context(), c.p.opts.Limits.PrepareTimeout)
	defer cancel()
	r, err := c.opened(ctx)
	if err != nil {
		c.failed("recall", err)
	}
	who := recall.ToolHandler{
		Who:    artifact.Requester{ID: "model", Tenant: c.turn.Key.Tenant},
		Tokens: max(c.in.Budget/lookShare/len(calls), leastLook), Count: c.in.Meter.Text,
		Tell: c.retrieved,
	}
	out := message.Message{Role: message.Tool}
	for _, p := range calls {
		text, failed := unavailable, true
		if err == nil {
			text, failed = c.look(ctx, who, r, p)
		}
		out.Parts = append(out.Parts, message.Part{
			Kind: message.Result, CallID: p.CallID, Failed: failed, Parts: []message.Part{{Kind: message.Text, Text: text}},
		})
	}
	return out
}

// opened is the thread that the request is of, with what waits to be written.
func (c *call) opened(ctx context.Context) (r *recall.Reader, err error) {
	err = guarded(func() error {
		r, err = recall.Open(ctx, c.p.behind, c.turn.Key, c.p.now())
		return err
	})
	return r, err
}

// guarded makes a failure of a panic.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	return f()
}

const unavailable = "unavailable: the log cannot be read now; the same call may work later"

// look answers one call.
func (c *call) look(ctx context.Context, who recall.ToolHandler, r *recall.Reader, p message.Part) (text string, failed bool) {
	defer func() {
		if v := recover(); v != nil {
			c.failed("recall", panicked(v))
			text, failed = unavailable, true
		}
	}()
	return who.Answer(ctx, r, p.Name, json.RawMessage(cmp.Or(p.Args, "{}")))
}

func (p *Proxy) now() time.Time {
	if p.opts.Engine.Now != nil {
		return p.opts.Engine.Now()
	}
	return time.Now()
}

// retrieved tells of a call that was answered.
func (c *call) retrieved(got recall.Retrieval) {
	c.p.metrics.recalled(c.codec.Name(), got.Tool, string(got.Outcome))
	v := event.Event{
		Kind: event.Retrieved, Time: c.p.now().UTC(), Tenant: c.turn.Key.Tenant, Thread: c.turn.Key.Thread,
		Strategy: got.Tool, Outcome: string(got.Outcome), Details: event.Details{Tokens: got.Tokens},
	}
	if c.turn.Plan != nil {
		v.Version = c.turn.Plan.Version
	}
	c.p.opts.Engine.Events.Emit(v)
}

// prolong makes the prompt of the next round, within the same budget, and says
// whether there is one. Where there is room it only grows: a new plan would
// change what comes before the answer that is being given.
func (c *call) prolong() bool {
	was, more := c.looks, c.in.Meter.Messages(c.looks.said)
	size := c.sent - c.looks.counted + more
	if size > c.in.Budget {
		return c.rework(was, more)
	}
	out, err := c.encode(c.turn)
	if err != nil || !c.looks.declared {
		c.looks = was
		return false
	}
	c.out, c.sent, c.looks.counted = c.controlled(c.turn, out), size, more
	return true
}

// rework is prolong by a new plan. Where thinking is bound, that of this answer
// stands on the old one.
func (c *call) rework(was looks, more int) bool {
	in := c.in
	in.Mode.Force, in.Mode.Trigger = false, ""
	in.Meter.Overhead.Request += more
	if c.binds() {
		c.looks.said = unthought(c.looks.said)
	}
	turn, out := c.compact(in)
	if turn == nil || turn.Outcome == precis.Failed || !c.looks.declared || turn.Compacted > in.Budget {
		c.looks = was
		return false
	}
	c.turn, c.out, c.sent, c.looks.counted = turn, out, c.size(turn), more
	return true
}

// conclude ends the answer, and remembers what the model saw where the client
// sees less, before the client has all of it.
func (c *call) conclude(a *answer, e ending) error {
	body := a.whole
	switch {
	case a.loom != nil:
		body = a.loom.close(e)
	case !a.mute: // it was too large, and has gone out
		return a.gate.failure()
	case c.looks.hides:
		body = newWeaver(c.codec.Name()).whole(c.looks.rounds, e)
		a.resp.Header.Del("Content-Length")
	}
	if c.looks.apart && c.looks.tools != nil && len(c.looks.said) > 0 {
		c.remember(a, body)
	}
	a.gate.resume(a.resp)
	return a.gate.write(body)
}

// remember keeps what the model said and saw for the place of the answer that
// the client will send back.
func (c *call) remember(a *answer, body []byte) {
	var echo *codec.Reply
	if a.loom != nil {
		echo, _ = a.loom.client.Reply() // what was cut will not come back
	} else {
		echo, _ = c.codec.Reply(http.StatusOK, body)
	}
	if echo == nil || len(echo.Messages()) == 0 {
		return
	}
	es := thread.Extend(c.turn.Thread.Tip(), echo.Messages())
	kept := thread.Extend("", c.looks.said)
	for i := range kept {
		kept[i].Tokens, kept[i].Counter = c.in.Meter.Message(kept[i].Message), c.in.Meter.Name()
	}
	mark := remark{Aside: &place{
		After: c.turn.Thread.Tip(), At: es[len(es)-1].ID, Index: c.turn.Thread.Len(), Count: len(es), Messages: len(kept),
	}}
	c.keep(append(mark.logged(), kept...))
}

// mostKeeping is how long an answer waits until what was looked up for it is
// logged.
const mostKeeping = 5 * time.Second

// keep adds to the conversation's view; what cannot be logged holds while the
// proxy runs.
func (c *call) keep(es []thread.Entry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), min(mostKeeping, c.p.opts.Limits.PrepareTimeout))
	defer cancel()
	err := guarded(func() (err error) {
		c.looks.view, err = c.p.views.add(ctx, c.key(), c.p.now(), es)
		return err
	})
	if err != nil {
		c.failed("recall", err)
	}
}

// broken ends an answer whose next round the provider refused: the client gets
// the refusal, and asks again.
func (c *call) broken(a *answer, resp *upstream.Response, err error) error {
	if a.mute {
		if err != nil {
			c.unreached(err)
			return nil
		}
		b := newAnswer(c.w, resp, c.codec)
		defer b.close()
		return b.finish()
	}
	text := "precis: the provider did not answer"
	if err == nil {
		text = "precis: the provider refused to go on: " + http.StatusText(resp.Status)
		_ = resp.Body.Close() // why is in the log of the provider
	}
	c.p.log.Warn("answer broke off after a look-up", "api", c.codec.Name(), "thread", c.in.Thread, "status", c.status)
	return a.gate.write(a.loom.fail(text))
}

// failure is an error of the proxy's own within a stream.
func failure(text string) map[string]string {
	return map[string]string{"type": "api_error", "message": text}
}
