package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// call is one request of a conversation, on its way there and back.
type call struct {
	t       *Transport
	r       *http.Request // the caller's; its body was read and closed
	codec   Codec
	req     *codec.Request
	subject limits.Subject
	in      precis.Input
	turn    *precis.Turn // nil if it could not be prepared
	out     []byte       // what is sent
	sent    int          // its tokens, as counted
}

// call serves one request of a conversation.
func (t *Transport) call(r *http.Request, c Codec) (*http.Response, error) {
	read, err := read(r.Body, r.ContentLength, t.opts.MaxBody)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read request body: %w", err), r.Body.Close())
	}
	req := t.decoded(r.Header, read, c)
	if req == nil {
		return t.opts.Base.RoundTrip(again(r, bytes.NewReader(read)))
	}
	if err := r.Body.Close(); err != nil {
		return nil, fmt.Errorf("close request body: %w", err)
	}
	x := &call{t: t, r: r, codec: c, req: req, out: read}
	x.prepare()
	return x.exchange()
}

// read takes at most a byte more than limit. size is what the request announced,
// below 1 if nothing.
func read(body io.Reader, size, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	if size > 0 {
		buf.Grow(int(min(size, limit)) + bytes.MinRead) // so that nothing is copied
	}
	_, err := buf.ReadFrom(io.LimitReader(body, limit+1))
	return buf.Bytes(), err
}

// decoded is a request to be compacted, nil for one that is left as it is.
func (t *Transport) decoded(h http.Header, body []byte, c Codec) *codec.Request {
	if e := h.Get("Content-Encoding"); int64(len(body)) > t.opts.MaxBody || e != "" && !strings.EqualFold(e, "identity") {
		return nil
	}
	req, err := c.Decode(body)
	if err != nil || req.Stateful || len(req.Messages) == 0 {
		return nil
	}
	return req
}

// prepare decides what is sent. Whatever goes wrong, it is the caller's own bytes
// (SPEC V9).
func (c *call) prepare() {
	o, name := c.t.opts, c.req.Model
	if strings.Contains(strings.Join(c.r.Header.Values("Anthropic-Beta"), ","), "context-1m") && !strings.Contains(name, "[") {
		name += "[1m]"
	}
	m, _ := model.Lookup(name)
	c.in = precis.Input{
		Thread: c.conversation(), Messages: c.req.Messages, Model: m, Mode: precis.Mode{NoCompact: c.req.Compacts},
		System: c.req.System, Tools: c.req.Tools, Client: precis.Client{Envelope: c.req.Envelope(), Source: c.codec.Name()},
		Limits: precis.Limits{Payload: token.Load{Media: m.Images, Bytes: m.Bytes}},
	}
	c.subject = limits.Subject{Provider: c.r.URL.Host, Model: name, Thread: c.in.Thread}
	asked := o.Budget
	if asked == 0 {
		asked = o.Engine.Budget(m)
		m.Guess = false // it is what the budget is made of
	}
	c.in.Budget = c.t.lessons.Room(c.subject, m, asked, c.req.MaxOutput)
	meter, err := bpe.Meter(m)
	if err != nil {
		c.failed(err)
		return
	}
	c.in.Meter = meter.Calibrated(c.t.lessons.Of(c.subject.Everywhere()).Applied)
	if turn, out := c.compact(c.in); turn != nil {
		c.turn, c.out, c.sent = turn, out, turn.Compacted
	}
}

// compact has the engine make the prompt, and returns it as a body; nil if the
// caller's own is to be sent.
func (c *call) compact(in precis.Input) (turn *precis.Turn, out []byte) {
	defer func() {
		if v := recover(); v != nil {
			c.failed(panicked(v))
			turn, out = nil, nil
		}
	}()
	ctx, cancel := context.WithTimeout(c.r.Context(), c.t.opts.Patience)
	defer cancel()
	turn = c.t.opts.Engine.SafeCompact(ctx, in)
	for _, err := range turn.Failures {
		c.failed(err)
	}
	if turn.Plan == nil && turn.Outcome != precis.Failed {
		return turn, c.req.Body
	}
	out, err := c.codec.Encode(c.req, turn.Messages)
	if err != nil {
		c.failed(err)
		turn.Compacted = turn.Original
		return turn, c.req.Body
	}
	return turn, out
}

// failed tells of a failure that the call survives.
func (c *call) failed(err error) {
	if c.r.Context().Err() == nil {
		c.t.opts.Log.Warn("compaction failed, the call goes on", "api", c.codec.Name(), "thread", c.in.Thread, "error", summary.Redact(err))
	}
}

// panicked says what was thrown; only the runtime's own words are repeated, any
// other value may hold content.
func panicked(v any) error {
	if err, ok := v.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %T", v)
}

// exchange sends the prompt; a refusal of a prompt that is too long is answered
// by a shorter one, once.
func (c *call) exchange() (*http.Response, error) {
	if err := context.Cause(c.r.Context()); err != nil {
		return nil, err
	}
	resp, b, err := c.send()
	if err != nil || c.turn == nil {
		return resp, err
	}
	if o, refused := b.refused(c.t.opts.Hold); refused && c.shrink(o) {
		_ = b.Close() // it has been read
		resp, _, err = c.send()
	}
	return resp, err
}

// send sends what is to go out. The caller's request is not changed.
func (c *call) send() (*http.Response, *body, error) {
	r := unmarked(c.r).WithContext(c.r.Context())
	r.ContentLength = int64(len(c.out))
	if r.Header.Get("Content-Length") != "" {
		r.Header = r.Header.Clone()
		r.Header.Set("Content-Length", strconv.Itoa(len(c.out)))
	}
	out := c.out
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out)), nil }
	r.Body = io.NopCloser(bytes.NewReader(out))
	resp, err := c.t.opts.Base.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	resp.Request = c.r
	b := &body{src: resp.Body, ear: exchange.New(c.codec, resp.StatusCode, resp.Header), learn: c.learn}
	resp.Body = b
	return resp, b, nil
}

// shrink makes a shorter prompt of one that was refused, and says whether there
// is one. It needs no model.
func (c *call) shrink(o overflow.Overflow) bool {
	in := c.in
	in.Mode.Force, in.Mode.NoCompact, in.Mode.Trigger = true, false, event.Overflow
	in.Budget = min(in.Budget, c.t.lessons.Refused(c.subject, o, c.sent))
	turn, out := c.compact(in)
	if turn == nil || turn.Outcome == precis.Failed || bytes.Equal(out, c.out) || turn.Compacted >= c.sent {
		return false
	}
	c.turn, c.out, c.sent, c.in = turn, out, turn.Compacted, in
	return true
}

// mostKeeping is how long an answer's end waits until the answer is logged.
const mostKeeping = 5 * time.Second

// learn takes what the answer was and cost.
func (c *call) learn(r *codec.Reply) {
	if c.turn != nil && r.Stop != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), min(mostKeeping, c.t.opts.Patience))
		defer cancel()
		if err := c.t.opts.Engine.RecordReply(ctx, c.turn, r.Messages()); err != nil {
			c.failed(err)
		}
	}
	if c.turn != nil && r.Usage.Context > 0 && !c.in.Meter.Exact() {
		c.t.lessons.Observe(c.subject.Everywhere(), c.in.Meter.Estimate(c.sent), r.Usage.Context)
	}
}
