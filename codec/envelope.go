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
	if holdsHosted(e) {
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

// servers is the member of Anthropic's that lists servers of tools.
var servers = []byte(`"mcp_servers"`)

// nested lists the members of Gemini's tools that hold servers, whose secrets stand some
// objects and arrays further in.
var nested = []string{
	"mcpServers", "mcp_servers", "googleMaps", "google_maps", "retrieval",
	"exaAiSearch", "exa_ai_search", "parallelAiSearch", "parallel_ai_search",
}

// holdsHosted reports whether a body may have a tool with a server: one of the type that
// OpenAI calls, or one of Gemini's.
func holdsHosted(body []byte) bool {
	has := func(word string) bool { return bytes.Contains(body, []byte(`"`+word+`"`)) }
	return has("mcp") || slices.ContainsFunc(nested, has)
}

// secretMembers lists the members of a server of tools that may hold a credential. A tool
// of the client's own has none of them beside its name.
var secretMembers = []string{
	"authorization_token", "authorization", "headers", "authConfig", "auth_config", "apiAuth", "api_auth", "apiKey", "api_key",
}

// addresses lists the members that hold the address of a server of tools: a credential
// may stand in it.
var addresses = []string{"url", "server_url", "endpoint"}

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

// redacted is an array of objects without their secrets.
func redacted(list []byte) []byte {
	elems := jsonedit.Elements(list)
	if len(elems) == 0 {
		return list
	}
	for i, e := range elems {
		elems[i] = withoutSecrets(e, 0)
	}
	return jsonedit.Fill(list, elems)
}

// maxNested is how many objects and arrays deep secrets are looked for. What lies deeper
// is no tool's, and is left out.
const maxNested = 8

// withoutSecrets is an object without its secrets, and without those of the values in it
// as deep as that. What is neither object nor array has none.
func withoutSecrets(v []byte, deep int) []byte {
	if elems := jsonedit.Elements(v); len(elems) > 0 && deep > 0 {
		for i, e := range elems {
			elems[i] = within(e, deep)
		}
		return jsonedit.Fill(v, elems)
	}
	var es []jsonedit.Member
	for _, m := range jsonedit.Members(v) {
		now := withoutSecret(m)
		if deep > 0 {
			now = within(now, deep)
		} else if slices.Contains(nested, m.Name) {
			now = withoutSecrets(now, maxNested)
		}
		if !bytes.Equal(now, m.Value) {
			es = append(es, jsonedit.Member{Name: m.Name, Value: now})
		}
	}
	if len(es) == 0 {
		return v
	}
	return jsonedit.Set(v, es...)
}

// within is a value inside of what was looked at to a depth.
func within(v []byte, deep int) []byte {
	switch {
	case v[0] != '{' && v[0] != '[':
		return v
	case deep == 1:
		return jsonedit.Quote(leftOut)
	}
	return withoutSecrets(v, deep-1)
}

// withoutSecret is the value of a member, without what may be a credential.
func withoutSecret(m jsonedit.Member) []byte {
	at, isText := jsonedit.Text(m.Value)
	switch {
	case slices.Contains(secretMembers, m.Name) && !jsonedit.IsNull(m.Value):
		return jsonedit.Quote(leftOut)
	case isText && slices.Contains(addresses, m.Name) && strings.Contains(at, "://") && bareAddress(at) != at:
		return jsonedit.Quote(bareAddress(at))
	}
	return m.Value
}
