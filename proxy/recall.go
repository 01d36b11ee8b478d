package proxy

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/ear"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/upstream"
)

// Recall says when the recall tools are declared to the model (SPEC B8).
type Recall string

// The values of Recall.
const (
	RecallWithPlan Recall = "with-plan" // together with the thread's first plan, and from then on
	RecallAlways   Recall = "always"    // from the first request: that adds bytes to every one
	RecallOff      Recall = "off"
)

// declarer is a codec whose requests can be given more tools.
type declarer interface {
	Declare(body []byte, tools []codec.Tool) ([]byte, bool)
}

const (
	// mostRounds is how often the model is asked again with what it looked up.
	mostRounds = 4
	// lookShare of the budget is what it gets to see in one round at most, and
	// asideShare what is put back of earlier ones.
	lookShare, asideShare = 16, 4
	// leastLook is what it gets to see at least, in tokens.
	leastLook = 256
)

// looks are what the model looks up in a call.
type looks struct {
	tools    []codec.Tool      // offered; nil if none are
	declared bool              // what goes out declares them
	asides   []aside           // of earlier answers
	said     []message.Message // of this one, as the model sees it
	rounds   [][]byte          // bodies of this one, if it is no stream
	hides    bool              // a call was left out of what the client gets
	seen     int               // how often it was asked again
}

func (p *Proxy) recallsAlways() bool { return p.opts.Recall == RecallAlways }

// offer makes room for the recall tools where they can be declared. They cannot
// where the API has no weaver, where a model checks its thinking against a
// prefix that has tools in it, where they would take more than a tenth of the
// budget, and where the client has tools of those names.
func (c *call) offer() {
	_, ok := c.codec.(declarer)
	if !ok || newWeaver(c.codec.Name()) == nil || c.p.opts.Mode != Compact || c.p.opts.Recall == RecallOff || c.in.Model.Thinking == model.Bound {
		return
	}
	for _, t := range c.req.Tools {
		if recall.Answers(t.Name) {
			return
		}
	}
	tools := recall.Definitions(c.p.policy.Recall)
	cost := 0
	for _, t := range tools {
		cost += c.in.Meter.Tool(t.Name, t.Description, t.Schema)
	}
	as, ok := c.p.asides.of(c.subject)
	if !ok || cost > c.in.Budget/10 {
		return
	}
	c.looks.tools, c.looks.asides = tools, as
	c.in.Tools = slices.Concat(c.in.Tools, tools)
	c.in.Meter.Overhead.Request += total(c.looks.asides)
}

// encode writes the prompt, with what the model looked up before and in this
// call at its place, and the recall tools.
func (c *call) encode(turn *precis.Turn) ([]byte, error) {
	c.looks.declared = false
	if c.looks.tools == nil || turn.Thread == nil {
		return c.codec.Encode(c.req, turn.Messages)
	}
	ms, gone := c.recounted(turn)
	c.p.asides.drop(c.subject, gone)
	out, err := c.codec.Encode(c.req, append(ms, c.looks.said...))
	if err != nil && len(c.looks.said) == 0 {
		c.failed("recall", err)
		out, err = c.codec.Encode(c.req, turn.Messages)
	}
	if err != nil {
		return nil, err
	}
	out, c.looks.declared = c.codec.(declarer).Declare(out, c.looks.tools)
	return out, nil
}

// recounted is the prompt with the asides in it. Those of answers that the plan
// took out or changed are gone for good.
func (c *call) recounted(turn *precis.Turn) (ms []message.Message, gone map[thread.ID]bool) {
	known := map[thread.ID]aside{}
	gone = map[thread.ID]bool{}
	for _, a := range c.looks.asides {
		if _, ok := turn.Thread.Find(a.at); ok {
			known[a.at], gone[a.at] = a, true
		}
	}
	for i, m := range turn.Messages {
		if at := turn.Origins[i].First; at >= 0 && turn.Origins[i].Record == nil && !m.Edited {
			id := turn.Thread.At(at).ID
			if a, ok := known[id]; ok {
				ms = append(ms, a.messages...)
				delete(gone, id)
				continue
			}
		}
		ms = append(ms, m)
	}
	return ms, gone
}

// converse forwards an answer in which the model may look things up: it is asked
// again with what it got, and the client has one answer in the end.
func (c *call) converse(a *answer) error {
	if a.loom != nil {
		a.gate.release()
	}
	for {
		err := a.listen()
		c.learn(a.heard)
		if err != nil {
			return err
		}
		r := a.heard.Reply()
		if r == nil || r.Stop == "" { // too large, or cut
			return c.conclude(a, ending{})
		}
		c.looks.rounds = append(c.looks.rounds, a.whole)
		calls, own := wanted(r)
		c.looks.hides = c.looks.hides || len(calls) > 0
		asks := r.Stop == codec.StopCalls && len(calls) > 0
		if !asks {
			c.looks.said = append(c.looks.said, without(r.Message)...)
			return c.conclude(a, ending{})
		}
		c.looks.said = append(slices.Clip(c.looks.said), r.Message, c.results(calls))
		if own || c.looks.seen == mostRounds || !c.prolong() {
			return c.conclude(a, ending{stop: !own})
		}
		c.looks.seen++
		resp, err := c.ask()
		if err == nil && resp.Status/100 == 4 && resp.Status != http.StatusTooManyRequests {
			_ = resp.Body.Close() // it is asked again otherwise
			resp, err = c.retreat()
		}
		if err != nil || resp.Status != http.StatusOK {
			return c.broken(a, resp, err)
		}
		a.next(c.codec, resp)
	}
}

// retreat asks again as if there were no recall tools, and leaves them away from
// then on: the provider does not take what the model got.
func (c *call) retreat() (*upstream.Response, error) {
	c.p.metrics.failed(c.codec.Name(), "recall")
	c.p.log.Warn("provider refused a look-up, there are no more", "api", c.codec.Name(), "thread", c.in.Thread, "status", c.status)
	c.p.asides.refuse(c.subject)
	c.looks.tools, c.looks.said, c.looks.seen = nil, nil, mostRounds
	out, err := c.encode(c.turn)
	if err != nil {
		return nil, err
	}
	c.out = out
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
	a.resp, a.heard, a.ended, a.whole = resp, ear.New(c, resp.Status, resp.Header), false, nil
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

// without is a reply without calls that are answered in here, nil if nothing is
// left of it.
func without(m message.Message) []message.Message {
	kept := slices.DeleteFunc(slices.Clone(m.Parts), func(p message.Part) bool {
		return p.Kind == message.Call && recall.Answers(p.Name)
	})
	if len(kept) < len(m.Parts) {
		m.Parts, m.Edited = kept, true
	}
	if len(kept) == 0 {
		return nil
	}
	return []message.Message{m}
}

// results answers calls from the thread that the request is of, and no other
// (SPEC V10).
func (c *call) results(calls []message.Part) message.Message {
	r, err := recall.Open(c.r.Context(), c.p.opts.Engine.Store, c.turn.Key, c.p.now())
	if err != nil {
		c.failed("recall", err)
	}
	who := recall.Answerer{
		Who:    artifact.Requester{ID: "model", Tenant: c.turn.Key.Tenant},
		Tokens: max(c.in.Budget/lookShare/len(calls), leastLook), Count: c.in.Meter.Text,
		Tell: c.retrieved,
	}
	out := message.Message{Role: message.Tool}
	for _, p := range calls {
		text, failed := unavailable, true
		if err == nil {
			text, failed = c.look(who, r, p)
		}
		out.Parts = append(out.Parts, message.Part{
			Kind: message.Result, CallID: p.CallID, Failed: failed, Parts: []message.Part{{Kind: message.Text, Text: text}},
		})
	}
	return out
}

const unavailable = "unavailable: the log cannot be read now; the same call may work later"

// look answers one call.
func (c *call) look(who recall.Answerer, r *recall.Reader, p message.Part) (text string, failed bool) {
	defer func() {
		if v := recover(); v != nil {
			c.failed("recall", panicked(v))
			text, failed = unavailable, true
		}
	}()
	return who.Answer(c.r.Context(), r, p.Name, json.RawMessage(cmp.Or(p.Args, "{}")))
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
// whether there is one.
func (c *call) prolong() bool {
	in := c.in
	in.Force, in.Trigger = false, ""
	in.Meter.Overhead.Request += c.in.Meter.Messages(c.looks.said)
	was := c.looks
	turn, out := c.compact(in)
	if turn == nil || turn.Outcome == precis.Failed || !c.looks.declared || turn.Compacted > in.Budget {
		c.looks = was
		return false
	}
	c.turn, c.out, c.sent = turn, out, turn.Compacted
	return true
}

// conclude ends the answer, and remembers what the model saw where the client
// sees less.
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
	a.gate.resume(a.resp)
	if err := a.gate.write(body); err != nil {
		return err
	}
	if len(c.looks.said) > 1 {
		c.remember(a, body)
	}
	return nil
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
	if echo == nil {
		return
	}
	c.p.asides.put(c.subject, aside{
		at: thread.Chain(c.turn.Thread.Tip(), echo.Message.Digest()), messages: c.looks.said, tokens: c.in.Meter.Messages(c.looks.said),
	}, c.in.Budget/asideShare)
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
	return a.gate.write(sorry(c.codec.Name(), text))
}

// sorry is an error as an event of a stream.
func sorry(dialect, text string) []byte {
	inner := map[string]string{"type": "api_error", "message": text}
	if dialect == anthropicName {
		return encoded("error", written(map[string]any{"type": "error", "error": inner}))
	}
	return encoded("", written(map[string]any{"error": inner}))
}
