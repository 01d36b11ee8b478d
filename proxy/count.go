package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis"
)

// countSuffix ends the path of a request that asks how many tokens a call has.
const countSuffix = "/count_tokens"

// counts is the codec of a request that counts a call's tokens, else nil.
func (s *side) counts(path string) Codec {
	call, ok := strings.CutSuffix(path, countSuffix)
	if !ok {
		return nil
	}
	return s.Calls[call]
}

// count has the provider count the prompt that would be sent, so that an agent
// that watches how full its window is does not compact what is compacted already.
// Nothing is logged or planned for it; whatever goes wrong, the client's own
// bytes are counted.
func (p *Proxy) count(w http.ResponseWriter, r *http.Request, s *side, c Codec) {
	body, whole, err := read(r.Body, r.ContentLength, p.opts.Limits.MaxBody)
	if err != nil {
		fail(w, s.Name, http.StatusBadRequest, "invalid_request_error", "precis: the request broke off")
		return
	}
	out := p.viewed(r, body, whole, c)
	if out == nil {
		p.pass(w, again(r, body), s)
		return
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(out)), int64(len(out))
	p.pass(w, r, s)
}

// viewed is a body as the plan in force makes it, nil to leave it as it is.
func (p *Proxy) viewed(r *http.Request, body []byte, whole bool, c Codec) (out []byte) {
	defer func() {
		if v := recover(); v != nil {
			p.log.Warn("tokens are counted as the client has them", "api", c.Name(), "error", panicked(v))
			out = nil
		}
	}()
	req, why := p.decoded(r.Header, body, whole, c)
	if why != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.opts.Limits.PrepareTimeout)
	defer cancel()
	e, err := p.tenants.engine(p.owner(r.Header).Name)
	if err == nil {
		in := precis.Input{Thread: conversation(r.Header, req), Messages: req.Messages}
		ms, bad := e.View(ctx, in)
		if err = bad; err == nil {
			out, err = c.Encode(req, ms)
		}
	}
	if err != nil {
		p.log.Warn("tokens are counted as the client has them", "api", c.Name(), "error", err)
		return nil
	}
	return out
}
