package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// maxMarks is how many cache markers a request may have (WA10).
const maxMarks = 4

// Marker implements codec.Caching.
func (c Codec) Marker() codec.Marker { return c }

// Caches reports whether the client has its conversation cached, as it set a marker at the
// end, behind or in the last answer, or asks the provider to set one there; and that markers
// may be added, whatever the host.
func (Codec) Caches(req *codec.Request, _ string) (end, more bool) { return endMark(req) != nil, true }

// endMark is the marker at the end of a conversation, nil where there is none.
func endMark(req *codec.Request) json.RawMessage {
	if automaticCache(req) {
		return req.Member("cache_control")
	}
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := &req.Messages[i]
		for n := len(m.Parts) - 1; n >= 0; n-- {
			if all := markers(m.Parts[n].Raw, markDepth); len(all) > 0 {
				return all[len(all)-1]
			}
		}
		if m.Role == message.Assistant {
			return nil
		}
	}
	return nil
}

// Room is how many cache markers a request with these messages has left beside
// the client's own and the one that the provider is asked to set.
func (Codec) Room(req *codec.Request, ms []message.Message) int {
	n := maxMarks - fixedMarks(req)
	for i := range ms {
		for _, p := range ms[i].Parts {
			n -= marks(p.Raw)
		}
	}
	return max(n, 0)
}

// Mark puts cache markers on parts, the first that there is Room for, and changes nothing
// else. It leaves out what may carry none, what carries one already, and the last block where
// the provider is asked to mark it. A marker lives as long as the client's next one behind it,
// so that none stands before one of longer life (WA11): up to there the client pays for that
// life anyway.
func (c Codec) Mark(req *codec.Request, ms []message.Message, points []codec.Point) []message.Message {
	room, own := c.Room(req, ms), ownMarks(req, ms)
	out := slices.Clone(ms)
	for _, at := range points {
		if room == 0 || at.Message < 0 || at.Message >= len(out) || at.Part < 0 || at.Part >= len(out[at.Message].Parts) {
			continue
		}
		life := json.RawMessage(`{"type":"ephemeral"}`)
		if i := slices.IndexFunc(own, func(o ownMark) bool { return o.at == at || o.behind(at) }); i >= 0 {
			life = own[i].value
			if own[i].at == at {
				continue
			}
		}
		m := out[at.Message]
		if raw := point(m, m.Parts[at.Part], life); raw != nil {
			m.Parts = slices.Clone(m.Parts)
			p := &m.Parts[at.Part]
			p.Raw, p.Dialect, p.Edited = raw, Name, false
			m.Edited = true
			out[at.Message] = m
			room--
		}
	}
	return out
}

// ownMark is a cache marker of the client's.
type ownMark struct {
	at    codec.Point
	value json.RawMessage
}

func (o ownMark) behind(p codec.Point) bool {
	return o.at.Message > p.Message || o.at.Message == p.Message && o.at.Part > p.Part
}

// ownMarks are the client's cache markers in messages, in their order, and the one that the
// provider is asked to set, on the last block.
func ownMarks(req *codec.Request, ms []message.Message) (own []ownMark) {
	for i := range ms {
		for n, p := range ms[i].Parts {
			if all := markers(p.Raw, markDepth); len(all) > 0 {
				own = append(own, ownMark{codec.Point{Message: i, Part: n}, all[0]})
			}
		}
	}
	if n := len(ms); automaticCache(req) && n > 0 {
		own = append(own, ownMark{codec.Point{Message: n - 1, Part: len(ms[n-1].Parts) - 1}, req.Member("cache_control")})
	}
	return own
}

// point is a part's block with a marker of such a life, nil if it may carry none.
func point(m message.Message, p message.Part, life json.RawMessage) []byte {
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
	return jsonedit.Set(raw, jsonedit.Member{Name: "cache_control", Value: life})
}
