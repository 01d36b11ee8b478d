package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-3db51b0e/precis/store/staged"
)

// call serves one request of a conversation in eight stages: decode, match, prepare,
// compact, forward, then observe what the answer says, merge the rounds of one in which
// the model looks things up, and record it.
func (p *Proxy) call(w http.ResponseWriter, r *http.Request, e *endpoint, c Codec) {
	began, ctx := time.Now(), r.Context()
	held, release := p.intake.Held(r, p.opts.Limits.MaxBody)
	defer release()
	in, raw, err := p.decode(held, e, c)
	switch {
	case err != nil:
		p.network.unread(w, e, err)
		return
	case raw.reason != "":
		p.metrics.untouched(c.Name(), raw.reason)
		p.leaves(ctx, r, c, raw)
		p.network.pass(w, raw.again(r), e)
		return
	}
	conv := p.match(ctx, in)
	if p.overQuota(ctx, w, conv) {
		return
	}
	ctx, trial := p.onTrial(ctx, conv)
	if trial != nil {
		defer trial.Drop()
	}
	j, res := p.inTurn(ctx, conv, trial)
	res.prepared = time.Since(began)
	if ctx.Err() == nil {
		res, err = p.serve(ctx, w, j, res)
	}
	p.ended(ctx, j, res, began, err)
	p.idle.remembered()
	if err != nil && ctx.Err() == nil {
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
}

// leaves logs a call that is left as it is. One that does not say it is JSON is a mistake
// of its client's: nothing of it is ever compacted.
func (p *Proxy) leaves(ctx context.Context, r *http.Request, c Codec, u untouched) {
	level := slog.LevelInfo
	about := []any{"api", c.Name(), "reason", u.reason, "state", u.state, "bytes", max(int64(len(u.read)), r.ContentLength)}
	if u.reason == notJSON {
		level, about = slog.LevelWarn, append(about, "hint", "the client has to send content-type: application/json")
	}
	p.log.Log(ctx, level, "call passes untouched", about...)
}

// inTurn makes the first prompt of a conversation, when it is its turn.
func (p *Proxy) inTurn(ctx context.Context, c conversation, trial *staged.Stage) (j job, r result) {
	left := time.Until(c.until)
	end, err := p.callers.heavy.turn(ctx, c.owner.Name, len(c.request.Messages))
	if err != nil {
		return job{conversation: c}, r // nobody is there to be answered
	}
	defer end()
	c.until = time.Now().Add(left) // to wait for others is not to wait for the store
	ctx, prepared := p.tracing.begin(ctx, "prepare")
	j = p.prepare(ctx, c, trial)
	r.prompt = p.compact(ctx, j, j.input, partial{})
	j.until = time.Time{}
	prepared(r.prompt.attributes()...)
	return j, r
}

// serve answers the client: for the provider, where that has no compaction.
func (p *Proxy) serve(ctx context.Context, w http.ResponseWriter, j job, r result) (result, error) {
	if r.prompt.Turn != nil && p.answeredHere(j.conversation) {
		return p.answerCompaction(ctx, w, j, r)
	}
	r, err := p.exchange(ctx, w, j, r)
	if errors.Is(err, errNoCompaction) {
		return p.answerCompaction(ctx, w, j, r)
	}
	return r, err
}

// exchange sends the prompt and forwards the answer; a refusal of a prompt that is too
// long is answered by a shorter one, once. It fails where the answer broke off.
func (p *Proxy) exchange(ctx context.Context, w http.ResponseWriter, j job, r result) (result, error) {
	r, a, err := p.open(ctx, w, j, r, p.opts.Mode == Compact && r.prompt.Turn != nil)
	if err != nil || a == nil {
		return r, err
	}
	if o, refused := a.refused(); refused {
		if shorter, ok := p.shrink(ctx, j, r.prompt, o); ok {
			a.close()
			r.prompt, r.retried = shorter, true
			if r, a, err = p.open(ctx, w, j, r, false); err != nil || a == nil {
				return r, err
			}
		}
	}
	defer func() { a.close() }()
	if a.merge != nil || a.buffering {
		return p.lookUp(ctx, w, j, r, a)
	}
	err = a.finish()
	return p.observe(ctx, j, r, a.reply()), err
}

// open sends the prompt and returns the answer's beginning: nil for a provider that
// could not be reached, which the client was told. hold keeps the answer's beginning
// back until it is known whether it is a refusal.
func (p *Proxy) open(ctx context.Context, w http.ResponseWriter, j job, r result, hold bool) (result, *answer, error) {
	d, err := p.forward(ctx, j, r.prompt)
	r.prompt, r.retried = d.prompt, r.retried || d.retried
	if d.resp != nil {
		r.status = d.resp.Status
	}
	if errors.Is(err, errNoCompaction) {
		return r, nil, err
	}
	r = p.settle(ctx, j, r)
	if err != nil {
		r.status = p.network.unreached(w, j.http, j.endpoint, err)
		return r, nil, nil
	}
	a := newAnswer(w, d.resp, j.codec)
	if r.prompt.declared {
		a.hideLookUps(j.codec)
	}
	if a.merge == nil && !a.buffering && r.status/100 == 2 {
		a.whenWhole = func() { p.record(ctx, j, r.prompt, a.reply()) }
	}
	a.begin(hold, p.opts.Limits.SniffTimeout)
	return r, a, nil
}
