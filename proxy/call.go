package proxy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/upstream"
)

// call is one request of a conversation, on its way there and back.
type call struct {
	p       *Proxy
	w       http.ResponseWriter
	r       *http.Request
	side    *side
	codec   Codec
	req     *codec.Request
	engine  *precis.Engine
	subject limits.Subject
	in      precis.Input
	turn    *precis.Turn // nil if it could not be prepared
	out     []byte       // what goes upstream
	sent    int          // its tokens, as counted
	looks   looks
	beta    string // the header that having thinking dropped takes, "" to strip it
	drops   bool   // what goes out asks for that
	native  native
	note
}

// call serves one request of a conversation.
func (p *Proxy) call(w http.ResponseWriter, r *http.Request, s *side, c Codec) {
	began := time.Now()
	body, whole, err := read(r.Body, r.ContentLength, p.opts.Limits.MaxBody)
	if err != nil {
		fail(w, s.Name, http.StatusBadRequest, "invalid_request_error", "precis: the request broke off")
		return
	}
	req, why := p.decoded(r.Header, body, whole, c)
	if why != "" {
		p.metrics.untouched(c.Name(), why)
		p.log.Info("call passes untouched", "api", c.Name(), "reason", why, "bytes", len(body))
		p.pass(w, again(r, body), s)
		return
	}
	x := &call{p: p, w: w, r: r, side: s, codec: c, req: req, out: body, note: note{began: began}}
	prepared := x.begin("prepare")
	x.prepare()
	x.prepared = time.Since(began)
	prepared(x.traced()...)
	if r.Context().Err() == nil {
		err = x.serve()
	}
	x.tell(err)
	x.told(err)
	if err != nil && r.Context().Err() == nil {
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
}

// read takes at most limit bytes, and says whether that is all. size is what the
// client announced, -1 if nothing.
func read(body io.Reader, size, limit int64) (b []byte, whole bool, err error) {
	var buf bytes.Buffer
	if size > 0 {
		buf.Grow(int(min(size, limit)) + bytes.MinRead) // so that nothing is copied
	}
	_, err = buf.ReadFrom(io.LimitReader(body, limit+1))
	return buf.Bytes(), int64(buf.Len()) <= limit, err
}

// decoded reads a request, or says why it is left as it is.
func (p *Proxy) decoded(h http.Header, body []byte, whole bool, c Codec) (*codec.Request, string) {
	if !whole {
		return nil, "too_large"
	}
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, "encoded"
	}
	req, err := p.histories.decode(p.owner(h).Name, c, body)
	switch {
	case err != nil:
		return nil, "malformed"
	case req.Stateful:
		return nil, "stateful"
	case len(req.Messages) == 0:
		return nil, "no_messages"
	}
	return req, ""
}

// prepare decides what goes upstream. Whatever goes wrong, it is the client's
// own bytes (SPEC V9).
func (c *call) prepare() {
	owner := c.p.owner(c.r.Header)
	c.expand(owner.Name)
	c.window()
	name := c.req.Model
	if strings.Contains(strings.Join(c.r.Header.Values("Anthropic-Beta"), ","), "context-1m") && !strings.Contains(name, "[") {
		name += "[1m]"
	}
	m, _ := c.p.opts.Models.Lookup(name)
	c.in = precis.Input{
		Thread: cmp.Or(c.native.known, conversation(c.r.Header, c.req)), Messages: c.native.own, Model: m,
		Mode: precis.Mode{NoCompact: c.native.asks != nothing}, Pins: c.native.pins,
		System: c.req.System, Tools: c.req.Tools, Client: precis.Client{Envelope: c.req.Envelope(), Source: c.codec.Name()},
	}
	c.subject = limits.Subject{Provider: c.side.Name, Tenant: owner.Name, Model: name, Thread: c.in.Thread}
	asked := owner.Budget
	if asked == 0 {
		asked = c.p.policy.Budget(m)
		m.Guess = false // it is what the budget is made of
	}
	c.in.Budget = c.p.lessons.Room(c.subject, m, asked, c.req.MaxOutput)
	c.in.Limits.Payload = c.weight(m)
	var err error
	if c.engine, err = c.p.tenants.engine(owner.Name); err == nil {
		c.in.Meter, err = bpe.Meter(c.in.Model)
	}
	if err != nil {
		c.failed("prepare", err)
		return
	}
	c.in.Meter = c.in.Meter.Calibrated(c.p.lessons.Of(c.subject.Everywhere()).Applied)
	c.unbind()
	c.offer()
	if turn, out := c.compact(c.in); turn != nil {
		c.turn, c.out, c.sent = turn, out, c.size(turn)
	}
}

// size is the tokens of what goes out, as counted: the room that is kept for
// tools that are not declared yet is none of it.
func (c *call) size(turn *precis.Turn) int {
	if c.looks.declared {
		return turn.Compacted
	}
	return turn.Compacted - c.looks.cost
}

// compact has the engine make the prompt, and returns it as a body; nil if the
// client's own is to be sent.
func (c *call) compact(in precis.Input) (turn *precis.Turn, out []byte) {
	defer func() {
		if v := recover(); v != nil {
			c.failed("prepare", panicked(v))
			turn, out = nil, nil
		}
	}()
	ctx, cancel := context.WithTimeout(c.r.Context(), c.p.opts.Limits.PrepareTimeout)
	defer cancel()
	turn = c.engine.SafeCompact(ctx, in)
	if c.relieve(turn, &in) {
		turn = c.engine.SafeCompact(ctx, in)
	}
	for _, err := range turn.Failures {
		c.failed(stage(err), err)
	}
	if err := c.looks.failed; err != nil && len(turn.Failures) == 0 {
		c.failed("recall", err)
	}
	if turn.Plan == nil && turn.Outcome != precis.Failed && !c.p.opts.addsBytes() || c.p.opts.Mode == Observe {
		return turn, c.req.Body
	}
	out, err := c.encode(turn)
	if err != nil {
		c.failed("encode", err)
		turn.Compacted = turn.Original
		return turn, c.req.Body
	}
	return turn, c.controlled(turn, out)
}

func stage(err error) string {
	if errors.Is(err, precis.ErrImpossible) {
		return "impossible"
	}
	return "prepare"
}

// panicked says what was thrown; only the runtime's own words are repeated, any
// other value may hold content.
func panicked(v any) error {
	if err, ok := v.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %T", v)
}

// serve answers the client: for the provider, where that has no compaction.
func (c *call) serve() error {
	if c.answers() {
		return c.answerCompaction()
	}
	err := c.exchange()
	if errors.Is(err, errUnaided) {
		return c.answerCompaction()
	}
	return err
}

// exchange sends the prompt and forwards the answer; a refusal of a prompt that
// is too long is answered by a shorter one, once. The error is that of an answer
// that broke off.
func (c *call) exchange() error {
	a, err := c.send(c.p.opts.Mode == Compact && c.turn != nil)
	if errors.Is(err, errUnaided) {
		return err
	}
	if err != nil {
		c.unreached(err)
		return nil
	}
	if o, refused := a.refused(); refused && c.shrink(o) {
		a.close()
		c.retried = true
		if a, err = c.send(false); err != nil {
			c.unreached(err)
			return nil
		}
	}
	defer func() { a.close() }()
	if a.loom != nil || a.mute {
		err = c.converse(a)
	} else {
		err = a.finish()
		c.learn(a.reply())
	}
	c.record(a)
	return err
}

func (c *call) unreached(err error) {
	c.status = c.p.unreached(c.w, c.r, c.side, err)
}

// send sends what is to go out. hold keeps the answer's beginning back until it
// is known whether it is a refusal.
func (c *call) send(hold bool) (*answer, error) {
	resp, err := c.ask()
	if err != nil {
		return nil, err
	}
	a := newAnswer(c.w, resp, c.codec)
	if c.looks.declared {
		a.weave(c.codec)
	}
	a.begin(hold, c.p.opts.Limits.SniffTimeout)
	return a, nil
}

// ask sends what is to go out.
func (c *call) ask() (*upstream.Response, error) {
	resp, err := c.once()
	if err != nil {
		return nil, err
	}
	if c.unaided(resp) {
		return nil, errUnaided
	}
	return c.thoughtless(resp)
}

func (c *call) once() (*upstream.Response, error) {
	h := upstream.EndToEnd(c.r.Header)
	h.Del(ThreadHeader)
	if c.p.opts.Mode == Compact {
		h.Set("Accept-Encoding", "identity")
	}
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // none, and not the standard library's
	}
	c.announced(h)
	answered := c.begin("upstream", client)
	defer func() {
		answered(attribute.Int("http.response.status_code", c.status), attribute.Int("http.request.body.size", len(c.out)))
	}()
	c.inject(h)
	resp, err := c.p.client.Do(c.r.Context(), upstream.Request{
		Method: c.r.Method, URL: c.side.url(c.r.URL).String(), Header: h, Body: c.out,
	})
	if err != nil {
		return nil, err
	}
	c.status = resp.Status
	c.p.metrics.answered(c.side.Name, resp.Status)
	return resp, nil
}

// shrink makes a shorter prompt of one that was refused, and says whether there
// is one. It needs no model.
func (c *call) shrink(o overflow.Overflow) bool {
	in := c.in
	in.Mode.Force, in.Mode.NoCompact, in.Mode.Trigger = true, false, event.Overflow
	if o.Unit == overflow.Bytes && c.lighten(&in, o) {
		in.Mode.Force = false
	} else {
		in.Budget = min(in.Budget, c.p.lessons.Refused(c.subject, o, c.sent))
	}
	turn, out := c.compact(in)
	ok := turn != nil && turn.Outcome != precis.Failed && !bytes.Equal(out, c.out) &&
		(c.size(turn) < c.sent || o.Unit == overflow.Bytes && len(out) < len(c.out))
	c.p.metrics.overflowed(c.codec.Name(), ok)
	if ok {
		c.turn, c.out, c.sent, c.in = turn, out, c.size(turn), in
	}
	return ok
}

// plus adds up what answers cost.
func plus(a, b codec.Usage) codec.Usage {
	return codec.Usage{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
		Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning, Context: b.Context,
	}
}

// learn takes what the answer cost, nil for none.
func (c *call) learn(r *codec.Reply) {
	if r == nil {
		return
	}
	recorded := c.begin("record")
	defer func() { recorded(c.answered()...) }()
	c.usage = plus(c.usage, r.Usage)
	c.p.metrics.used(c.codec.Name(), r.Usage)
	if c.turn == nil || r.Usage.Context == 0 || c.in.Meter.Exact() {
		return
	}
	c.p.lessons.Observe(c.subject.Everywhere(), c.in.Meter.Estimate(c.sent), r.Usage.Context)
}
