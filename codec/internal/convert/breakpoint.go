package convert

import (
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Of the explicit breakpoints of a request OpenAI writes the latest three beside its own at the
// end (WO7).
const maxBreakpoints = 3

const breakpoint = "prompt_cache_breakpoint"

// Breakpoints sets them in OpenAI's dialects: it implements codec.Marker.
type Breakpoints struct{ Form Form }

// Caches reports whether the end of a conversation is cached, as OpenAI does unasked, and
// breakpoints may be added: on OpenAI's own host, as others refuse what they do not know, or
// where the client speaks of such options, unless it says that nothing is cached but what it
// marks itself.
func (Breakpoints) Caches(req *codec.Request, host string) (end, more bool) {
	options := req.Member("prompt_cache_options")
	takes := host == "api.openai.com" || !jsonedit.IsNull(options)
	takes = takes && jsonedit.TextOf(jsonedit.Get(options, "mode")) != "explicit"
	return takes, takes
}

// Room is how many breakpoints a prompt with these messages has left beside the client's own.
func (Breakpoints) Room(_ *codec.Request, ms []message.Message) int {
	n := maxBreakpoints
	for i := range ms {
		for _, p := range ms[i].Parts {
			if !jsonedit.IsNull(jsonedit.Get(p.Raw, breakpoint)) {
				n--
			}
		}
	}
	return max(n, 0)
}

// Mark puts breakpoints on texts at points and on those right before them, as far as there is
// room, and changes nothing else. A request finds what an earlier one wrote only where it
// breaks there, too: where excerpts are added, what was the last one then is one before the
// last now. It leaves out all messages that came from the client.
func (b Breakpoints) Mark(req *codec.Request, ms []message.Message, points []codec.Point) []message.Message {
	room, out := b.Room(req, ms), slices.Clone(ms)
	for _, at := range points {
		for i := min(at.Message, len(out)-1); i >= 0 && room > 0; i-- {
			m, ok := b.Form.broken(out[i])
			if !ok {
				break
			}
			out[i] = m
			room--
		}
	}
	return out
}

// broken is a message of the user's that no client wrote, with a breakpoint behind its text.
func (f Form) broken(m message.Message) (message.Message, bool) {
	last := len(m.Parts) - 1
	if m.Role != message.User || len(m.Raw) > 0 || last < 0 {
		return m, false
	}
	p := m.Parts[last]
	if p.Kind != message.Text || p.Text == "" || len(p.Raw) > 0 {
		return m, false
	}
	p.Raw = jsonedit.Build(Type(f.Text), String("text", p.Text), jsonedit.Member{Name: breakpoint, Value: []byte(`{"mode":"explicit"}`)})
	p.Dialect, p.Edited = f.Dialect, false
	m.Parts = slices.Clone(m.Parts)
	m.Parts[last] = p
	return m, true
}
