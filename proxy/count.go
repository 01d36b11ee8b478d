package proxy

import (
	"context"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/proxy/native"
)

// countSuffix ends the path of a request that asks how many tokens a call has.
const countSuffix = "/count_tokens"

// counted is the codec of a request that counts a call's tokens, else nil.
func (e *endpoint) counted(path string) Codec {
	if c, a := e.addressed(); a != nil && a.CountAt(path) {
		return c
	}
	call, ok := strings.CutSuffix(path, countSuffix)
	if !ok {
		return nil
	}
	return e.Calls[call]
}

// count has the provider count the prompt that would be sent, so that an agent that
// watches how full its window is does not compact what is compacted already. Nothing
// is logged or planned for it; whatever goes wrong, the client's own bytes are counted.
func (p *Proxy) count(w http.ResponseWriter, r *http.Request, e *endpoint, c Codec) {
	held, release := p.intake.Held(r, p.opts.Limits.MaxBody)
	defer release()
	in, raw, err := p.decode(held, e, c)
	if err != nil {
		p.network.unread(w, e, err)
		return
	}
	wrap := func(call []byte) []byte { return call }
	if call, around := nested(c, raw.read); raw.reason != "" && call != nil {
		if within, left, err := p.decode(withBody(r, call), e, c); err == nil && left.reason == "" {
			in, raw.reason, wrap = within, "", around
		}
	}
	if raw.reason == "" {
		var out []byte
		if err = request.Guard(func() (err error) { out, err = p.viewed(in); return err }); err == nil {
			p.network.pass(w, withBody(r, wrap(out)), e)
			return
		}
		p.telemetry.failed(r.Context(), c.Name(), p.key(in), request.Count, err)
	}
	p.network.pass(w, raw.again(r), e)
}

// nesting is a codec of an API in which a request to count may hold a whole call.
type nesting interface {
	Nested(body []byte) (call []byte, wrap func(call []byte) []byte)
}

// nested is the call within a request to count, nil if there is none.
func nested(c Codec, body []byte) (call []byte, wrap func([]byte) []byte) {
	if n, ok := c.(nesting); ok {
		return n.Nested(body)
	}
	return nil, nil
}

// viewed is a call's body as the plan in force makes it.
func (p *Proxy) viewed(in incoming) ([]byte, error) {
	ctx, cancel := context.WithTimeout(in.http.Context(), p.opts.Limits.PrepareTimeout)
	defer cancel()
	j := p.prepare(ctx, conversation{incoming: in, thread: p.key(in), native: native.Request{Messages: in.request.Messages}}, nil)
	if j.engine == nil {
		return in.request.Body, nil
	}
	turn, err := j.engine.View(ctx, precis.Input{Thread: j.thread, Messages: in.request.Messages})
	if err != nil {
		return nil, err
	}
	if p.declares(j, turn) {
		return in.codec.Encode(in.request, turn.Messages)
	}
	ms, _ := p.readable(in, turn)
	return in.codec.Encode(in.request, ms)
}
