package codec

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Envelope returns the body around the messages: system prompt, tools and
// parameters, with an empty array in the messages' place. What a body tells a
// provider to log in with at servers of tools is left out, so it may be kept. It is
// nil for a request that came from no body.
func (r *Request) Envelope() []byte { return r.around([]byte("[]")) }

// SpacedEnvelope returns Envelope with a null in the place of each message where the
// client wrote white space between them, and null for a single message that stood in
// no array, so that Refill makes the same bytes again.
func (r *Request) SpacedEnvelope() []byte {
	if r.Body == nil {
		return nil
	}
	list := r.Body[r.From:r.Until]
	hollow := jsonedit.Fill(list, slices.Repeat([][]byte{[]byte("null")}, len(jsonedit.Elements(list))))
	switch {
	case !bytes.HasPrefix(list, []byte("[")):
		hollow = []byte("null")
	case !bytes.ContainsAny(hollow, " \t\r\n"):
		hollow = []byte("[]")
	}
	return r.around(hollow)
}

func (r *Request) around(messages []byte) []byte {
	if r.Body == nil || r.From < 0 || r.Until <= r.From || r.Until > len(r.Body) {
		return nil
	}
	e := slices.Concat(r.Body[:r.From], messages, r.Body[r.Until:])
	if bytes.Contains(e, servers) {
		e = jsonedit.Replace(e, "mcp_servers", redacted)
	}
	if bytes.Contains(e, hosted) {
		e = jsonedit.Replace(e, "tools", redacted)
	}
	return e
}

// Refill puts messages, as their dialect writes them, into the place that
// Envelope or SpacedEnvelope left for them. A body that holds messages already
// comes back as it is.
func Refill(envelope []byte, messages [][]byte) []byte {
	for _, m := range jsonedit.Members(envelope) {
		if m.Name != "messages" && m.Name != "input" && m.Name != "contents" {
			continue
		}
		list := jsonedit.Fill(m.Value, messages)
		switch {
		case jsonedit.IsNull(m.Value) && len(messages) == 1:
			list = messages[0]
		case !jsonedit.IsNull(m.Value) && (m.Value[0] != '[' || slices.ContainsFunc(jsonedit.Elements(m.Value), func(e []byte) bool { return !jsonedit.IsNull(e) })):
			return envelope
		}
		return jsonedit.Set(envelope, jsonedit.Member{Name: m.Name, Value: list})
	}
	return envelope
}

// A body that names servers of tools has one of these: Anthropic's member, or the
// type of a tool that OpenAI calls.
var servers, hosted = []byte(`"mcp_servers"`), []byte(`"mcp"`)

// secretMembers lists the members of a server of tools that may hold a credential. A tool
// of the client's own has none of them beside its name.
var secretMembers = []string{"authorization_token", "authorization", "headers"}

// addresses lists the members that hold the address of a server of tools: a credential
// may stand in it.
var addresses = []string{"url", "server_url"}

// bareAddress is an address without what may be a credential: a name and password,
// parameters, and parts of the path that look like a key.
func bareAddress(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	if at := strings.IndexAny(rest, "?#"); at >= 0 {
		rest = rest[:at]
	}
	host, path, found := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if len(p) >= 12 && strings.ContainsAny(p, "0123456789") {
			parts[i] = leftOut
		}
	}
	bare := scheme + "://" + host
	if found {
		bare += "/" + strings.Join(parts, "/")
	}
	return bare
}

const leftOut = "(left out)"

func hasSecret(raw []byte) bool {
	return bytes.Contains(raw, []byte(`url"`)) || slices.ContainsFunc(secretMembers, func(name string) bool { return bytes.Contains(raw, []byte(`"`+name+`"`)) })
}

// redacted is an array of objects without their secrets.
func redacted(list []byte) []byte {
	elems := jsonedit.Elements(list)
	if len(elems) == 0 || !hasSecret(list) {
		return list
	}
	for i, e := range elems {
		for _, m := range jsonedit.Members(e) {
			if slices.Contains(secretMembers, m.Name) && !jsonedit.IsNull(m.Value) {
				elems[i] = jsonedit.Set(elems[i], jsonedit.Member{Name: m.Name, Value: jsonedit.Quote(leftOut)})
			}
			if at, ok := jsonedit.Text(m.Value); ok && slices.Contains(addresses, m.Name) && strings.Contains(at, "://") && bareAddress(at) != at {
				elems[i] = jsonedit.Set(elems[i], jsonedit.Member{Name: m.Name, Value: jsonedit.Quote(bareAddress(at))})
			}
		}
	}
	return jsonedit.Join(list, elems)
}
