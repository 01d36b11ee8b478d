package token

import "github.com/seed-3db51b0e/precis/message"

// Load holds what providers limit beside tokens: pictures and documents, and bytes.
type Load struct{ Media, Bytes int }

// Plus is both together.
func (l Load) Plus(m Load) Load { return Load{l.Media + m.Media, l.Bytes + m.Bytes} }

// Less is l without m.
func (l Load) Less(m Load) Load { return Load{l.Media - m.Media, l.Bytes - m.Bytes} }

// framing is about what the JSON around a part takes that has none of its own.
const framing = 64

// LoadOf is a message's load; a Meta record, which is never sent, has none.
func LoadOf(m message.Message) (l Load) {
	if m.Meta {
		return Load{}
	}
	for i := range m.Parts {
		l = l.Plus(LoadOfPart(m.Parts[i]))
	}
	if len(m.Raw) > 0 && !m.Edited {
		l.Bytes = len(m.Raw)
	}
	return l
}

// LoadOfPart is a part's load. The bytes of one that is written anew are an
// estimate.
func LoadOfPart(p message.Part) (l Load) {
	if p.Kind == message.Media {
		l.Media = 1
	}
	for i := range p.Parts {
		l = l.Plus(LoadOfPart(p.Parts[i]))
	}
	switch {
	case len(p.Raw) > 0 && !p.Edited:
		l.Bytes = len(p.Raw)
	default:
		l.Bytes += framing + len(p.Text) + len(p.Args) + len(p.Signature)
	}
	return l
}
