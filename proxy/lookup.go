package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/proxy/merge"
	"github.com/seed-3db51b0e/precis/proxy/upstreamview"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/upstream"
)

const (
	// maxRounds is how often the model is asked again with what it looked up, and
	// maxAsked that with the further pages of a message it reads, which do not count.
	maxRounds, maxAsked = 4, 16
	// A round shows the model at most a lookShare of the budget, and at least leastLook
	// tokens.
	lookShare, leastLook = 16, 256
)

// UsageHeader tells what an answer of several rounds cost in all, where it is not
// streamed; its body tells of the last round.
const UsageHeader = "X-Precis-Usage"

// lookUps is an answer in which the model may look things up, round by round.
type lookUps struct {
	*Proxy
	w      http.ResponseWriter
	job    job
	answer *answer
	result
	work    *recall.Work    // left for all look-ups of this answer
	counted int             // tokens of what was seen that are counted as sent
	bodies  [][]byte        // of the rounds, where they are no streams
	looked  int             // rounds that count
	told    bool            // the model knows that no look-up is left
	reads   map[string]bool // messages that were read in this answer
	hides   bool            // a call was left out of what the client gets
	apart   bool            // what the model saw and what the client gets are two things
}

// lookUp is the seventh stage: it forwards an answer in which the model may look things
// up. The model is asked again with what it got, and the client has one answer in the
// end.
func (p *Proxy) lookUp(ctx context.Context, w http.ResponseWriter, j job, r result, a *answer) (result, error) {
	if a.merge != nil {
		a.gate.release()
	}
	l := &lookUps{Proxy: p, w: w, job: j, answer: a, result: r, work: recall.NewWork(), reads: map[string]bool{}}
	err := l.converse(ctx)
	if l.hides {
		l.rounds = len(l.bodies)
	}
	return l.result, err
}

func (l *lookUps) converse(ctx context.Context) error {
	for {
		err := l.answer.all()
		r := l.answer.reply()
		l.result = l.observe(ctx, l.job, l.result, r)
		if err != nil {
			return err
		}
		if r == nil || r.Stop == "" { // too large, cut, or no answer, which goes on as it came
			l.hides = l.hides && r != nil
			if l.asked > 0 {
				l.endedEarly("cut")
			}
			return l.conclude(ctx, false)
		}
		l.bodies = append(l.bodies, l.answer.whole)
		calls, own := merge.LookUps(r)
		l.hides = l.hides || len(calls) > 0
		said := &l.prompt.partial
		said.begun = true
		if r.Stop != codec.StopCalls || len(calls) == 0 {
			said.seen = append(said.seen, merge.Visible(r)...)
			if len(calls) > 0 {
				l.endedEarly("cut")
			}
			return l.conclude(ctx, false)
		}
		if !l.pages(calls) {
			l.looked++
		}
		last := l.told || l.looked >= maxRounds || l.asked+1 >= maxAsked
		results := l.results(ctx, calls)
		if last && !own {
			results = noMore(results)
		}
		said.seen, l.apart = append(slices.Concat(said.seen, r.Messages()), results), true
		if own {
			return l.conclude(ctx, false)
		}
		if l.told || !l.nextPrompt(ctx) && !l.tellNoRoom(ctx) {
			l.endedEarly("used up")
			return l.conclude(ctx, true)
		}
		l.told = l.told || last
		l.asked++
		resp, err := l.ask(ctx)
		if err == nil && resp.Status/100 == 4 && resp.Status != http.StatusTooManyRequests {
			resp, err = l.askWithout(ctx, resp)
		}
		if err != nil || resp.Status != http.StatusOK {
			return l.broken(resp, err)
		}
		l.answer.next(l.job.codec, resp)
	}
}

// pages reports whether calls go on reading messages of which a page was read before in
// this answer.
func (l *lookUps) pages(calls []message.Part) bool {
	further := true
	for _, p := range calls {
		var asked struct {
			ID     string `json:"id"`
			Cursor string `json:"cursor"`
			From   int    `json:"from_line"`
		}
		if json.Unmarshal([]byte(p.Args), &asked) != nil || asked.ID == "" {
			return false
		}
		further = further && l.reads[asked.ID] && (asked.Cursor != "" || asked.From > 1)
		l.reads[asked.ID] = true
	}
	return further
}

// noLookUpLeft ends what the model gets in the last round in which it may look up, and
// noRoom stands for what there was no room for.
const (
	noLookUpLeft = "[No look-up is left for this answer: answer now with what you have.]"
	noRoom       = "[There is no room for what this found, and no look-up is left: answer now with what you have.]"
)

// noMore tells the model behind its last result that it may not look up again.
func noMore(results message.Message) message.Message {
	p := &results.Parts[len(results.Parts)-1]
	p.Parts = append(slices.Clip(p.Parts), message.Part{Kind: message.Text, Text: noLookUpLeft})
	return results
}

// tellNoRoom is nextPrompt where there is no room for what was found: the model is told that.
func (l *lookUps) tellNoRoom(ctx context.Context) bool {
	seen := l.prompt.partial.seen
	results := seen[len(seen)-1].Clone()
	for i := range results.Parts {
		results.Parts[i].Parts = []message.Part{{Kind: message.Text, Text: noRoom}}
	}
	l.prompt.partial.seen = append(seen[:len(seen)-1:len(seen)-1], results)
	l.told = l.nextPrompt(ctx)
	return l.told
}

// endedEarly reports an answer that ended with a look-up that the model did not get.
func (l *lookUps) endedEarly(why string) {
	api := l.job.codec.Name()
	l.metrics.failed(api, request.Recall)
	l.log.Warn("answer ended with a look-up that was not answered", "api", api, "thread", l.job.thread, "reason", why, "rounds", l.asked+1)
	v := event.Event{Kind: event.Failed, Time: l.now().UTC(), Tenant: l.job.owner.Name, Thread: l.job.thread, Outcome: "look_ups_" + strings.ReplaceAll(why, " ", "_")}
	if turn := l.prompt.Turn; turn != nil {
		v.Thread = turn.Key.Thread
	}
	l.opts.Engine.Events.Emit(v)
}

// ask sends the prompt of another round.
func (l *lookUps) ask(ctx context.Context) (*upstream.Response, error) {
	d, err := l.forward(ctx, l.job, l.prompt)
	l.prompt, l.retried = d.prompt, l.retried || d.retried
	if d.resp != nil {
		l.status = d.resp.Status
	}
	return d.resp, err
}

// askWithout asks again without what the model looked up in this answer. Where the
// provider does not accept look-ups, there are no recall tools from then on; where there
// was no room for them, the window is remembered.
func (l *lookUps) askWithout(ctx context.Context, refusal *upstream.Response) (*upstream.Response, error) {
	said, _ := io.ReadAll(io.LimitReader(refusal.Body, request.MaxError)) // what cannot be read says nothing
	_ = refusal.Body.Close()                                              // it was read
	o, long := overflow.Classify(refusal.Status, string(said))
	l.metrics.failed(l.job.codec.Name(), request.Recall)
	l.log.Warn("provider refused a look-up", "api", l.job.codec.Name(), "thread", l.job.thread, "status", l.status, "too_long", long)
	switch {
	case long:
		l.limits.Refused(l.job.subject, l.prompt.Input.Model, o, l.prompt.Tokens)
	case refusal.Status == http.StatusBadRequest, refusal.Status == http.StatusUnprocessableEntity:
		l.failed(ctx, l.job.conversation, request.Recall, l.job.recall.view.Refuse(ctx))
		l.job.recall.tools, l.job.recall.cost = nil, 0
	}
	l.prompt.Tokens -= l.counted
	l.prompt.partial.seen, l.counted, l.told = nil, 0, true
	made, err := l.splice(ctx, l.job, l.prompt)
	if err != nil {
		return nil, err
	}
	l.prompt = made
	return l.ask(ctx)
}

// results answers calls from what the request itself holds of its thread.
func (l *lookUps) results(ctx context.Context, calls []message.Part) message.Message {
	ctx, looked := l.tracing.begin(ctx, "lookup")
	defer func() { looked(attribute.Int("precis.calls", len(calls))) }()
	timed, cancel := context.WithTimeout(ctx, l.opts.Limits.PrepareTimeout)
	defer cancel()
	var log *recall.Reader
	err := request.Guard(func() (err error) {
		turn := l.prompt.Turn
		log, err = recall.OpenView(timed, l.behind, turn.Key, l.now(), recall.View{Thread: turn.Thread, Plan: turn.Plan, Earlier: turn.Earlier})
		return err
	})
	l.failed(ctx, l.job.conversation, request.Recall, err)
	who := recall.ToolHandler{
		Who:    artifact.Requester{ID: "model", Tenant: l.prompt.Turn.Key.Tenant, Permissions: l.job.owner.Permissions},
		Tokens: max(l.prompt.Input.Budget/lookShare/len(calls), leastLook), Count: l.prompt.Input.Meter.Text,
		Work: l.work, Tell: l.retrieved,
	}
	out := message.Message{Role: message.Tool}
	for _, p := range calls {
		text, failed := unavailable, true
		switch {
		case err == nil:
			text, failed = l.lookAt(timed, who, log, p)
		case errors.Is(err, context.DeadlineExceeded):
			text = stopped
			l.retrieved(recall.Retrieval{Tool: p.Name, Outcome: recall.Stopped, Err: err})
		default:
			l.retrieved(recall.Retrieval{Tool: p.Name, Outcome: recall.Unavailable, Err: err})
		}
		out.Parts = append(out.Parts, message.Part{
			Kind: message.Result, CallID: p.CallID, Failed: failed, Parts: []message.Part{{Kind: message.Text, Text: text}},
		})
	}
	return out
}

// What the model is told where the log is not open.
const (
	unavailable = "unavailable: the log cannot be read now; the same call may work later"
	stopped     = "stopped: the log did not answer in time; the same call may work later"
)

// lookAt answers one call.
func (l *lookUps) lookAt(ctx context.Context, who recall.ToolHandler, log *recall.Reader, p message.Part) (text string, failed bool) {
	err := request.Guard(func() error {
		text, failed = who.Answer(ctx, log, p.Name, json.RawMessage(cmp.Or(p.Args, "{}")))
		return nil
	})
	if err != nil {
		l.failed(ctx, l.job.conversation, request.Recall, err)
		return unavailable, true
	}
	return text, failed
}

// retrieved reports a call that was answered.
func (l *lookUps) retrieved(got recall.Retrieval) {
	turn := l.prompt.Turn
	l.metrics.recalled(l.job.codec.Name(), got.Tool, string(got.Outcome))
	v := event.Event{
		Kind: event.Retrieved, Time: l.now().UTC(), Tenant: turn.Key.Tenant, Thread: turn.Key.Thread,
		Version: turn.Version(), Strategy: got.Tool, Outcome: string(got.Outcome), Details: event.Details{Tokens: got.Tokens},
	}
	l.opts.Engine.Events.Emit(v)
}

// nextPrompt makes the prompt of the next round, within the same budget, and reports
// whether there is one. Where there is room it only grows: a new plan would change what
// comes before the answer that is being given.
func (l *lookUps) nextPrompt(ctx context.Context) bool {
	more := l.prompt.Input.Meter.Messages(l.prompt.partial.seen)
	size := l.prompt.Tokens - l.counted + more
	if size > l.prompt.Input.Budget {
		return l.replan(ctx, more)
	}
	next, err := l.splice(ctx, l.job, l.prompt)
	if err != nil || !next.declared {
		return false
	}
	next.Tokens = size
	l.prompt, l.counted = next, more
	return true
}

// replan is nextPrompt by a new plan. Where thinking is bound, that of this answer stands
// behind the old one.
func (l *lookUps) replan(ctx context.Context, more int) bool {
	in, answer := l.prompt.Input, l.prompt.partial
	in.Mode.Force, in.Mode.Trigger = false, ""
	in.Meter.Overhead.Request += more
	if l.job.recall.bound {
		answer.seen = upstreamview.WithoutThinking(answer.seen)
	}
	next := l.compact(ctx, l.job, in, answer)
	if next.Turn == nil || next.Turn.Outcome == precis.Failed || !next.declared || next.Turn.Compacted > in.Budget {
		return false
	}
	next.Input = l.prompt.Input
	l.prompt, l.counted = next, more
	return true
}

// conclude ends the answer, and remembers what the model saw where the client sees
// less, before the client has all of it. stop is as for merge.Writer.
func (l *lookUps) conclude(ctx context.Context, stop bool) error {
	a, body := l.answer, l.answer.whole
	switch {
	case a.merge != nil:
		body = a.merge.Close(stop)
	case !a.buffering: // it was too large, and has gone out
		return a.gate.failure()
	case l.hides:
		body = merge.Bodies(l.job.codec.Name(), l.bodies, stop)
		a.resp.Header.Del("Content-Length")
		if u := l.usage; len(l.bodies) > 1 {
			a.resp.Header.Set(UsageHeader, fmt.Sprintf("rounds=%d, input=%d, cache_read=%d, cache_write=%d, output=%d", len(l.bodies), u.Input, u.CacheRead, u.CacheWrite, u.Output))
		}
	}
	var echo *codec.Reply // what the client gets
	if a.merge != nil {
		echo = a.merge.Reply()
	} else if a.resp.Status == http.StatusOK {
		echo, _ = l.job.codec.Reply(http.StatusOK, body)
	}
	if l.apart && l.job.recall.tools != nil && len(l.prompt.partial.seen) > 0 {
		l.remember(ctx, echo)
	}
	l.record(ctx, l.job, l.prompt, echo)
	a.gate.resume(a.resp)
	return a.gate.write(body)
}

// remember keeps what the model said and saw for the place of the answer that the
// client will send back.
func (l *lookUps) remember(ctx context.Context, echo *codec.Reply) {
	if echo == nil || len(echo.Messages()) == 0 {
		return
	}
	err := l.job.recall.view.Remember(ctx, l.prompt.Turn.Thread, echo.Messages(), l.prompt.partial.seen, l.prompt.Input.Meter)
	l.failed(ctx, l.job.conversation, request.Recall, err)
}

// broken ends an answer whose next round the provider refused: the client gets the
// refusal, and asks again.
func (l *lookUps) broken(resp *upstream.Response, err error) error {
	if l.answer.buffering {
		if err != nil {
			l.status = l.network.unreached(l.w, l.job.http, l.job.endpoint, err)
			return nil
		}
		b := newAnswer(l.w, resp, l.job.codec)
		defer b.close()
		return b.finish()
	}
	text := "precis: the provider did not answer"
	if err == nil {
		text = "precis: the provider refused to go on: " + http.StatusText(resp.Status)
		_ = resp.Body.Close() // why is in the log of the provider
	}
	l.endedEarly("refused")
	l.log.Warn("answer broke off after a look-up", "api", l.job.codec.Name(), "thread", l.job.thread, "status", l.status)
	return l.answer.gate.write(l.answer.merge.Fail(text))
}
