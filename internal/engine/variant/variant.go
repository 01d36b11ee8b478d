// Package variant compares the forms that one logged message comes in.
//
// A client may send a message in other bytes than before: with a cache marker
// that has moved on, without thinking, re-spaced. It is the same entry, logged
// once in each form, and leaves in the form it came in this time.
//
// Use: Of for what is to be logged, Received for the branch as the client sent
// it. Law: the parts of a received message stand where the logged ones do, since
// a plan's records address parts by position. Promise: nothing that is given is
// changed.
package variant

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Of returns the raw forms of logged messages that differ from the logged one.
func Of(t *thread.Thread, ms []message.Message) []store.Variant {
	var vs []store.Variant
	for i := range ms {
		if raw := ms[i].Raw; len(raw) > 0 && !bytes.Equal(raw, t.At(i).Message.Raw) {
			vs = append(vs, store.Variant{ID: t.At(i).ID, Raw: raw, Dialect: ms[i].Dialect})
		}
	}
	return vs
}

// Received returns the branch with the client's own messages in place of the logged
// forms, aligned with them, so that what no plan touches leaves as it came this
// time. What was erased stays so, although the client still has it.
func Received(t *thread.Thread, ms []message.Message) (*thread.Thread, error) {
	var es []thread.Entry
	for i := range t.Len() {
		e := t.At(i)
		if e.Erased || Identical(&e.Message, &ms[i]) {
			continue
		}
		if es == nil {
			es = make([]thread.Entry, t.Len())
			for j := range es {
				es[j] = *t.At(j)
			}
		}
		m, ok := Align(Lasting(ms[i : i+1])[0], e.Message)
		if !ok { // a record made on it would miss its part in the log
			continue
		}
		es[i].Message, es[i].Counter = WithDeclared(m, e.Message), "" // other thinking may count otherwise
	}
	if es == nil {
		return t, nil
	}
	return thread.New(es)
}

// Align returns a client's form of a message with its parts at the places that
// they have in the logged one, where records look for them. Thinking and empty text that
// the client leaves out is an empty part there, what it adds of them counts at the
// end: of a message that no plan touches its bytes are sent, and in one that a plan
// touches, thinking that is gone does not return. It returns false where the parts
// cannot stand so: what is added would be sent at the end.
func Align(m, logged message.Message) (message.Message, bool) {
	if sameLayout(m.Parts, logged.Parts) {
		return m, true
	}
	added := map[thinkingKey]bool{}
	var own, empty []message.Part
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.Thinking:
			added[thinkingKey{p.Signature, p.Text}] = true
		case emptyText(p):
			empty = append(empty, p)
		default:
			own = append(own, p)
		}
	}
	var parts []message.Part
	for _, p := range logged.Parts {
		switch of := (thinkingKey{p.Signature, p.Text}); {
		case p.Kind == message.Thinking && added[of]:
			delete(added, of)
			parts = append(parts, p)
		case p.Kind == message.Thinking:
			parts = append(parts, message.Part{Kind: message.Thinking})
		case emptyText(p) && len(empty) > 0:
			parts, empty = append(parts, empty[0]), empty[1:]
		case emptyText(p):
			parts = append(parts, message.Part{Kind: message.Text})
		case len(own) == 0 || own[0].Kind != p.Kind:
			return m, false
		default:
			parts, own = append(parts, own[0]), own[1:]
		}
	}
	if len(own) > 0 || len(added) > 0 && m.Raw == nil {
		return m, false
	}
	for _, p := range m.Parts {
		if p.Kind == message.Thinking && added[thinkingKey{p.Signature, p.Text}] {
			parts = append(parts, message.Part{Kind: message.Thinking, Text: p.Text, Signature: p.Signature})
		}
	}
	m.Parts = append(parts, empty...)
	return m, true
}

// emptyText reports whether a part is a text without content: no digest has it.
func emptyText(p message.Part) bool { return p.Kind == message.Text && p.Text == "" }

// EmptyTexts counts the texts without content.
func EmptyTexts(m message.Message) (n int) {
	for i := range m.Parts {
		if emptyText(m.Parts[i]) {
			n++
		}
	}
	return n
}

// thinkingKey tells thinking parts apart.
type thinkingKey struct{ signature, text string }

// WithDeclared returns a client's form of a message with what tools declared of their
// results when it was logged.
func WithDeclared(m, logged message.Message) message.Message {
	if !sameLayout(m.Parts, logged.Parts) || !slices.ContainsFunc(logged.Parts, func(p message.Part) bool { return p.Declared != nil }) {
		return m
	}
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		if m.Parts[i].Declared == nil {
			m.Parts[i].Declared = logged.Parts[i].Declared
		}
	}
	return m
}

// Identical reports whether a client's message is the logged one in everything that
// is sent.
func Identical(a, b *message.Message) bool {
	if !bytes.Equal(a.Raw, b.Raw) || !sameLayout(a.Parts, b.Parts) || a.Dialect != b.Dialect {
		return false
	}
	for i := range a.Parts {
		x, y := &a.Parts[i], &b.Parts[i]
		if x.Text != y.Text || x.Signature != y.Signature || x.Args != y.Args || !bytes.Equal(x.Raw, y.Raw) {
			return false
		}
	}
	return true
}

// SameContent reports whether a client's message says and counts as the other
// does, whatever its bytes.
func SameContent(a, b *message.Message) bool {
	return a.Dialect == b.Dialect && sameParts(a.Parts, b.Parts)
}

func sameParts(a, b []message.Part) bool {
	if !sameLayout(a, b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Text != y.Text || x.Signature != y.Signature || x.Args != y.Args || !sameParts(x.Parts, y.Parts) {
			return false
		}
		switch x.Kind {
		case message.Text, message.Thinking, message.Call, message.Result:
		default: // counted by its bytes
			if !bytes.Equal(x.Raw, y.Raw) {
				return false
			}
		}
	}
	return true
}

func sameLayout(a, b []message.Part) bool {
	return slices.EqualFunc(a, b, func(x, y message.Part) bool { return x.Kind == y.Kind })
}

// Lasting copies messages so that they can be kept: their raw bytes are slices
// of the whole body they came in, which must not be held for them.
func Lasting(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i := range out {
		out[i] = out[i].Lasting()
	}
	return out
}

// Clone copies messages and their parts: a client that reuses its slices must not
// change what is kept.
func Clone(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i := range out {
		out[i].Parts = cloneParts(out[i].Parts)
	}
	return out
}

func cloneParts(ps []message.Part) []message.Part {
	out := slices.Clone(ps)
	for i := range out {
		if out[i].Parts != nil {
			out[i].Parts = cloneParts(out[i].Parts)
		}
	}
	return out
}

// Known is a set of variants that are in the log. The zero value is empty; it is
// safe for concurrent use.
type Known struct {
	mu   sync.Mutex
	sums map[known]bool
}

type known struct {
	id  thread.ID
	sum uint64
}

var seed = maphash.MakeSeed()

func knownOf(v store.Variant) known { return known{v.ID, maphash.Bytes(seed, v.Raw)} }

// Missing returns those of vs that are not in the set: a client sends its history
// with each request.
func (k *Known) Missing(vs []store.Variant) (missing []store.Variant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range vs {
		if !k.sums[knownOf(v)] {
			missing = append(missing, v)
		}
	}
	return missing
}

// Add puts variants into the set.
func (k *Known) Add(vs []store.Variant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sums == nil && len(vs) > 0 {
		k.sums = map[known]bool{}
	}
	for _, v := range vs {
		k.sums[knownOf(v)] = true
	}
}
