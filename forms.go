package precis

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// A client may send a message in other bytes than before: with a cache marker
// that has moved on, without thinking, re-spaced. It is the same entry, logged
// once in each form, and leaves in the form it came in this time.

// variants are the raw forms of known entries that differ from the logged one.
func variants(t *thread.Thread, ms []message.Message) []store.Variant {
	var vs []store.Variant
	for i := range ms {
		if raw := ms[i].Raw; len(raw) > 0 && !bytes.Equal(raw, t.At(i).Message.Raw) {
			vs = append(vs, store.Variant{ID: t.At(i).ID, Raw: raw, Dialect: ms[i].Dialect})
		}
	}
	return vs
}

// asSeen is the branch with the client's own messages in place of the logged
// forms, so that what no plan touches leaves as it came this time, laid as the
// logged ones are: records address parts by position.
func asSeen(t *thread.Thread, ms []message.Message) (*thread.Thread, error) {
	var es []thread.Entry
	for i := range t.Len() {
		e := t.At(i)
		if sameForm(&e.Message, &ms[i]) {
			continue
		}
		if es == nil {
			es = make([]thread.Entry, t.Len())
			for j := range es {
				es[j] = *t.At(j)
			}
		}
		m, ok := laid(lasting(ms[i : i+1])[0], e.Message)
		if !ok { // a record made on it would miss its part in the log
			continue
		}
		es[i].Message, es[i].Counter = declared(m, e.Message), "" // other thinking may count otherwise
	}
	if es == nil {
		return t, nil
	}
	return thread.New(es)
}

// laid is a client's form of a message with its parts at the places that they
// have in the logged one, where records look for them. Thinking and empty text that
// the client leaves out is an empty part there, what it adds of them counts at the
// end: of a message that no plan touches its bytes are sent, and in one that a plan
// touches what is gone does not return (rule WT4). False where it cannot be laid so:
// what is added would be sent at the end.
func laid(m, logged message.Message) (message.Message, bool) {
	if sameLayout(m.Parts, logged.Parts) {
		return m, true
	}
	added := map[thought]bool{}
	var own, empty []message.Part
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.Thinking:
			added[thought{p.Signature, p.Text}] = true
		case silent(p):
			empty = append(empty, p)
		default:
			own = append(own, p)
		}
	}
	var parts []message.Part
	for _, p := range logged.Parts {
		switch of := (thought{p.Signature, p.Text}); {
		case p.Kind == message.Thinking && added[of]:
			delete(added, of)
			parts = append(parts, p)
		case p.Kind == message.Thinking:
			parts = append(parts, message.Part{Kind: message.Thinking})
		case silent(p) && len(empty) > 0:
			parts, empty = append(parts, empty[0]), empty[1:]
		case silent(p):
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
		if p.Kind == message.Thinking && added[thought{p.Signature, p.Text}] {
			parts = append(parts, message.Part{Kind: message.Thinking, Text: p.Text, Signature: p.Signature})
		}
	}
	m.Parts = append(parts, empty...)
	return m, true
}

// silent says whether a part is a text that says nothing: no digest has it.
func silent(p message.Part) bool { return p.Kind == message.Text && p.Text == "" }

func silence(m message.Message) (n int) {
	for i := range m.Parts {
		if silent(m.Parts[i]) {
			n++
		}
	}
	return n
}

// thought tells thinking parts apart.
type thought struct{ signature, text string }

// declared is a client's form of a message with what tools declared of their
// results when it was logged.
func declared(m, logged message.Message) message.Message {
	if !sameLayout(m.Parts, logged.Parts) {
		return m
	}
	for i := range m.Parts {
		if d := logged.Parts[i].Declared; d != nil && m.Parts[i].Declared == nil {
			m.Parts = slices.Clone(m.Parts)
			m.Parts[i].Declared = d
		}
	}
	return m
}

// sameForm says whether a client's message is the logged one in everything that
// is sent.
func sameForm(a, b *message.Message) bool {
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

// sameWords says whether a client's message says and counts as the other does,
// whatever its bytes.
func sameWords(a, b *message.Message) bool {
	return a.Dialect == b.Dialect && samePartWords(a.Parts, b.Parts)
}

func samePartWords(a, b []message.Part) bool {
	if !sameLayout(a, b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Text != y.Text || x.Signature != y.Signature || x.Args != y.Args || !samePartWords(x.Parts, y.Parts) {
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

// form is one raw form of an entry.
type form struct {
	id  thread.ID
	sum uint64
}

var formSeed = maphash.MakeSeed()

func formOf(v store.Variant) form { return form{v.ID, maphash.Bytes(formSeed, v.Raw)} }

// fresh are the forms that are not known to be logged: a client sends its
// history with each request.
func (r *recent) fresh(k store.Key, vs []store.Variant) []store.Variant {
	if len(vs) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.find(k)
	if i < 0 {
		return vs
	}
	return slices.DeleteFunc(vs, func(v store.Variant) bool { return r.last[i].forms[formOf(v)] })
}

// logged notes forms of a thread that is kept.
func (r *recent) logged(k store.Key, vs []store.Variant) {
	if len(vs) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.find(k)
	if i < 0 {
		return
	}
	if r.last[i].forms == nil {
		r.last[i].forms = map[form]bool{}
	}
	for _, v := range vs {
		r.last[i].forms[formOf(v)] = true
	}
}
