package transport

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/proxy/native"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/summary"
)

// ThreadHeader names a request's conversation. It is not sent on.
const ThreadHeader = request.ThreadHeader

// call is one request of a conversation, with what its prompts are made from.
type call struct {
	http    *http.Request // the caller's; its body was read and closed
	codec   Codec
	request *codec.Request
	subject limits.Subject
	input   precis.Input // of the first prompt
}

// call serves one request of a conversation.
func (t *Transport) call(r *http.Request, c Codec) (*http.Response, error) {
	body, whole, err := request.Read(r.Body, r.ContentLength, t.opts.MaxBody)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read request body: %w", err), r.Body.Close())
	}
	req, untouched := request.Decode(r.Header, body, whole, c.Decode)
	request.Address(req, c, r.URL.Path)
	if untouched != "" {
		state := ""
		if req != nil {
			state = req.State
		}
		t.opts.Log.Info("call passes untouched", "api", c.Name(), "reason", untouched, "state", state)
		out := unmarked(r).WithContext(r.Context()) // a copy of its own
		out.Body = request.Joined(body, r.Body)
		return t.opts.Base.RoundTrip(out)
	}
	if err := r.Body.Close(); err != nil {
		return nil, fmt.Errorf("close request body: %w", err)
	}
	x := call{http: r, codec: c, request: req}
	return t.exchange(t.prepare(x))
}

// prepare makes the prompt of a call.
func (t *Transport) prepare(c call) (call, request.Prompt) {
	key := ""
	if t.opts.Key != nil {
		key = request.Bounded(t.opts.Key(c.http))
	}
	name := request.ModelName(c.http.Header, c.request)
	m, _ := model.Lookup(name)
	c.input = request.NewInput(cmp.Or(key, request.Key(c.http.Header, c.request)), c.request, c.codec.Name(), m)
	c.input.Client.User = request.User(c.http.Header, c.request)
	c.input.Client.CachePoints = c.cache().Excerpts()
	c.input.Pins = native.Pins(c.request.Messages)
	c.subject = limits.Subject{Provider: c.http.URL.Host, Model: name, Thread: c.input.Thread}
	caps := request.Caps{Budget: t.opts.Budget, ByPolicy: t.opts.Engine.Budget}
	if err := request.Fit(&c.input, caps, c.request.MaxOutput, &t.limits, c.subject); err != nil {
		t.failed(c, request.Prepare, err)
		return c, request.Prompt{Input: c.input, Body: c.request.Body}
	}
	return c, t.prompt(c, c.input)
}

// cache sets the cache markers of a call's request.
func (c call) cache() request.Cache {
	return request.CacheOf(c.codec, c.request, c.input.Model, c.http.URL.Hostname(), false)
}

// prompt has the engine make the prompt of an input. Whatever goes wrong, it is the
// caller's own bytes.
func (t *Transport) prompt(c call, in precis.Input) request.Prompt {
	own := request.Prompt{Input: in, Body: c.request.Body}
	p := own
	err := request.Guard(func() error {
		ctx, cancel := context.WithTimeout(c.http.Context(), t.opts.PrepareTimeout)
		defer cancel()
		p.Turn = t.opts.Engine.SafeCompact(ctx, in)
		for _, err := range p.Turn.Failures {
			t.failed(c, request.StageOf(err), err)
		}
		p.Tokens = p.Turn.Compacted
		if p.Turn.Plan == nil && p.Turn.Outcome != precis.Failed {
			return nil
		}
		ms := p.Turn.Messages
		if !c.request.Declares(rehydrate.Explicit) {
			var fewer int
			ms, fewer = p.Turn.WithoutRecall("")
			p.Tokens -= fewer
		}
		ms = c.cache().Mark(p.Turn, ms)
		out, err := c.codec.Encode(c.request, ms)
		if err != nil {
			t.failed(c, request.Encode, err)
			p.Tokens = p.Turn.Original
			return nil
		}
		p.Body = out
		return nil
	})
	if err != nil {
		t.failed(c, request.Prepare, err)
		return own
	}
	return p
}

// failed reports a failure that the call survives.
func (t *Transport) failed(c call, stage request.Stage, err error) {
	if c.http.Context().Err() == nil {
		t.opts.Log.Warn(stage.Text(), "api", c.codec.Name(), "stage", stage, "thread", c.input.Thread, "error", summary.Redact(err))
	}
}

// exchange sends the prompt. A refusal of its thinking is answered by one without, and
// a refusal of one that is too long or too large by a shorter one, once each.
func (t *Transport) exchange(c call, p request.Prompt) (*http.Response, error) {
	if err := context.Cause(c.http.Context()); err != nil {
		return nil, err
	}
	resp, p, err := t.send(c, p)
	if err != nil || p.Turn == nil {
		return t.observed(c, p, resp), err
	}
	answered := t.observed(c, p, resp)
	b, _ := answered.Body.(*body)
	o, refused := b.refused(t.opts.SniffTimeout)
	if !refused {
		return answered, nil
	}
	shorter := t.prompt(c, p.Shorter(o, &t.limits, c.subject))
	if !shorter.Replaces(p, o) {
		return answered, nil
	}
	_ = b.Close() // it has been read
	resp, p, err = t.send(c, shorter)
	return t.observed(c, p, resp), err
}

// send sends a prompt, and again without thinking if that is refused. It returns the
// prompt that was answered.
func (t *Transport) send(c call, p request.Prompt) (*http.Response, request.Prompt, error) {
	resp, err := t.once(c, p.Body)
	if err != nil {
		return nil, p, err
	}
	var refused bool
	if refused, resp.Body = p.ThinkingRefused(c.request.Body, resp.StatusCode, resp.Body); !refused {
		return resp, p, nil
	}
	in := p.Input
	in.Mode.DropThinking = true
	next := t.prompt(c, in)
	if !next.Differs(p) {
		return resp, p, nil
	}
	_ = resp.Body.Close() // it was read
	t.opts.Log.Warn(request.Thinking.Text(), "api", c.codec.Name(), "thread", c.input.Thread)
	resp, err = t.once(c, next.Body)
	return resp, next, err
}

// once makes one exchange. The caller's request is not changed.
func (t *Transport) once(c call, out []byte) (*http.Response, error) {
	r := unmarked(c.http).WithContext(c.http.Context())
	r.ContentLength = int64(len(out))
	if r.Header.Get("Content-Length") != "" {
		r.Header = r.Header.Clone()
		r.Header.Set("Content-Length", strconv.Itoa(len(out)))
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out)), nil }
	r.Body = io.NopCloser(bytes.NewReader(out))
	resp, err := t.opts.Base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Request = c.http
	return resp, nil
}

// observed is an answer that is learned from and logged while the caller reads it.
func (t *Transport) observed(c call, p request.Prompt, resp *http.Response) *http.Response {
	if resp == nil {
		return nil
	}
	resp.Body = &body{src: resp.Body, reader: exchange.New(c.codec, resp.StatusCode, resp.Header), learn: func(r *codec.Reply) {
		ctx, cancel := request.Recording(c.http.Context(), t.opts.PrepareTimeout)
		defer cancel()
		logged, err := p.Logged(ctx, t.opts.Engine)
		if err == nil {
			err = logged.Record(ctx, t.opts.Engine, r)
		}
		if err != nil {
			t.failed(c, request.Record, err)
		}
		p.Observe(r.Usage, &t.limits, c.subject)
	}}
	return resp
}
