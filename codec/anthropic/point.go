package anthropic

import (
	"bytes"
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// maxMarks is how many cache markers a request may have (WA10).
const maxMarks = 4

// Room is how many cache markers a request with these messages has left beside
// the client's own; none where the client has the provider set them.
func (Codec) Room(req *codec.Request, ms []message.Message) int {
	if automaticCache(req) {
		return 0
	}
	n := maxMarks - fixedMarks(req)
	for i := range ms {
		for _, p := range ms[i].Parts {
			n -= marks(p.Raw)
		}
	}
	return max(n, 0)
}

// Mark puts cache markers of the default life on parts, and changes nothing else.
// It leaves out what may carry none, what carries one already, and what stands
// before a marker of the client's with a longer life (WA11).
func (Codec) Mark(ms []message.Message, points []codec.Point) []message.Message {
	first := afterLong(ms)
	out := slices.Clone(ms)
	for _, at := range points {
		if at.Message < first || at.Message >= len(out) || at.Part < 0 || at.Part >= len(out[at.Message].Parts) {
			continue
		}
		m := out[at.Message]
		if raw := point(m, m.Parts[at.Part]); raw != nil {
			m.Parts = slices.Clone(m.Parts)
			p := &m.Parts[at.Part]
			p.Raw, p.Dialect, p.Edited = raw, Name, false
			m.Edited = true
			out[at.Message] = m
		}
	}
	return out
}

// point is a part's block with a marker, nil if it may carry none.
func point(m message.Message, p message.Part) []byte {
	if m.Role == message.System || p.Kind == message.Thinking || p.Kind == message.Opaque || p.Kind == message.Fixed || blank(p) {
		return nil
	}
	var raw []byte
	if p.Kind == message.Text && len(p.Raw) == 0 {
		raw = textBlock(plainText(m, p))
	} else {
		raw = encode(p, m.Role == message.User || m.Role == message.Tool)
	}
	if raw == nil || marks(raw) > 0 {
		return nil
	}
	return jsonedit.Set(raw, jsonedit.Member{Name: "cache_control", Value: []byte(`{"type":"ephemeral"}`)})
}

// afterLong is the position behind the last message that has a marker of a long
// life.
func afterLong(ms []message.Message) int {
	for i := len(ms) - 1; i >= 0; i-- {
		for _, p := range ms[i].Parts {
			if marks(p.Raw) > 0 && bytes.Contains(p.Raw, []byte(`"1h"`)) {
				return i + 1
			}
		}
	}
	return 0
}
