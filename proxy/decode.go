package proxy

import (
	"bytes"
	"io"
	"net/http"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/request"
)

// incoming is a call as it came, read and decoded.
type incoming struct {
	http     *http.Request // its body was read
	endpoint *endpoint
	owner    Tenant
	codec    Codec
	request  *codec.Request
}

// untouched is a call that is left as it is.
type untouched struct {
	reason string // "" for a call that is not
	state  string // see codec.Request.State
	read   []byte // of its body
}

// notJSON is the reason of a call whose header says that its body is something else.
const notJSON = "content_type"

var roleKey = []byte(`"role"`)

// decode is the first stage: it reads a call. The error is that of the client's
// connection.
func (p *Proxy) decode(r *http.Request, e *endpoint, c Codec) (incoming, untouched, error) {
	if !declaredJSON(r.Header) {
		return incoming{}, untouched{reason: notJSON}, nil
	}
	body, whole, err := request.Read(r.Body, r.ContentLength, p.opts.Limits.MaxBody)
	if err != nil {
		return incoming{}, untouched{}, err
	}
	if bytes.Count(body, roleKey) > p.opts.Limits.MaxMessages { // most messages say theirs
		return incoming{}, untouched{reason: "messages", read: body}, nil
	}
	in := incoming{http: r, endpoint: e, owner: p.opts.owner(r), codec: c}
	why := ""
	in.request, why = request.Decode(r.Header, body, whole, func(body []byte) (*codec.Request, error) {
		return p.decoded.Decode(in.owner.Name, c, body)
	})
	if why == "" && len(in.request.Messages) > p.opts.Limits.MaxMessages {
		why = "messages"
	}
	request.Address(in.request, c, r.URL.Path)
	left := untouched{reason: why, read: body}
	if in.request != nil {
		left.state = in.request.State
	}
	return in, left, nil
}

// again is the request with its whole body.
func (u untouched) again(r *http.Request) *http.Request {
	rest := r.Body
	r = r.Clone(r.Context())
	r.Body = request.Joined(u.read, rest)
	return r
}

// withBody is a request with another body.
func withBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}
