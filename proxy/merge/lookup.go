package merge

import (
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
)

// LookUps returns the calls of a reply that are answered with the recall tools, and
// whether it has calls of the client's own tools too.
func LookUps(r *codec.Reply) (calls []message.Part, own bool) {
	for _, at := range r.Message.Calls() {
		if p := r.Message.Parts[at]; recall.Answers(p.Name) {
			calls = append(calls, p)
		} else {
			own = true
		}
	}
	return calls, own
}

// Visible returns the messages of a reply that the client gets.
func Visible(r *codec.Reply) (ms []message.Message) {
	if r.Items != nil {
		for _, i := range remaining(len(r.Items), true, func(i int) role { return roleIn(r.Items[i]) }) {
			ms = append(ms, r.Items[i])
		}
		return ms
	}
	m := r.Message
	kept := slices.DeleteFunc(slices.Clone(m.Parts), isLookUp)
	if len(kept) < len(m.Parts) {
		m.Parts, m.Edited = kept, true
	}
	if len(kept) == 0 {
		return nil
	}
	return []message.Message{m}
}

func isLookUp(p message.Part) bool { return p.Kind == message.Call && recall.Answers(p.Name) }

// role is the part that an item plays in what is left of an answer.
type role int

const (
	speaks role = iota
	reasons
	asks
)

func roleIn(m message.Message) role {
	switch {
	case slices.ContainsFunc(m.Parts, isLookUp):
		return asks
	case m.Has(message.Thinking):
		return reasons
	}
	return speaks
}

// remaining returns those of n items of a round that the client gets, as the joiner
// of Responses does with a stream. last tells that no round follows.
func remaining(n int, last bool, is func(int) role) (out []int) {
	var waits []int
	looks := false
	for i := range n {
		switch is(i) {
		case asks:
			looks = true
		case reasons:
			if looks {
				waits, looks = nil, false
			}
			waits = append(waits, i)
		default:
			out = append(append(out, waits...), i)
			waits, looks = nil, false
		}
	}
	if last && !looks {
		out = append(out, waits...)
	}
	return out
}
