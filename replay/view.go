package replay

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// view is the prompt of the moment, kept up to date by difference, so that a
// step costs what changed and not what the prompt holds.
type view struct {
	x       *Index
	derived map[key]*facts // messages the log does not have
	keys    []key
	shown   []*facts           // of keys
	said    map[place]bool     // what says found out
	held    map[key]int        // how often the prompt holds a message
	holders map[int32][]*facts // by value: messages of the prompt that have it
	pointed map[int]bool
	tokens  int
	grown   bool // it begins with the prompt before
}

func newView(x *Index) *view {
	return &view{x: x, derived: map[key]*facts{}, held: map[key]int{}, holders: map[int32][]*facts{}, said: map[place]bool{}}
}

// facts of a message, read once.
func (v *view) facts(m message.Message, k key) *facts {
	if f, ok := v.x.facts[k]; ok {
		return f
	}
	f, ok := v.derived[k]
	if !ok {
		f = v.x.gather(m, mentions(m, false))
		v.derived[k] = f
	}
	return f
}

// count is the tokens of a message, remembered.
func (v *view) count(m message.Message) int { return v.facts(m, keyOf(m)).tokens }

// show makes p the prompt, and returns it as a cache sees it.
func (v *view) show(p Prompt) request {
	n := len(p.Messages)
	next, fs := make([]key, n), make([]*facts, n)
	r := request{mark: min(p.Lasting, n), prefix: make([]key, n+1), tokens: make([]int, n+1), blocks: make([]int, n+1)}
	r.prefix[0], r.tokens[0] = 1, v.x.fixed
	added := map[key]*facts{}
	for i, m := range p.Messages {
		next[i] = keyOf(m)
		fs[i] = v.facts(m, next[i])
		added[next[i]] = fs[i]
		r.prefix[i+1] = mix(r.prefix[i], next[i])
		r.tokens[i+1] = r.tokens[i] + fs[i].tokens
		r.blocks[i+1] = r.blocks[i] + fs[i].blocks
		if m.Role == message.System && r.head == i {
			r.head = i + 1
		}
	}
	r.shared = commonPrefix(v.keys, next)
	v.grown = r.shared == len(v.keys)
	v.swap(v.keys[r.shared:], next[r.shared:], added)
	v.keys, v.shown, v.tokens = next, fs, r.total()
	v.pointed = map[int]bool{}
	for _, i := range p.Pointed {
		v.pointed[i] = true
	}
	return r
}

// mix mixes the key of the next message into that of a prefix.
func mix(prefix, next key) key {
	return (prefix<<7|prefix>>57)*0x9e3779b97f4a7c15 ^ next
}

// spent returns what the prompt's tokens are spent on.
func (v *view) spent() (n [spends]int) {
	n[spentSystem] = v.x.fixed
	for _, f := range v.shown {
		switch {
		case f.logged < 0:
			n[spentMade] += f.tokens
		case f.role == message.System:
			n[spentSystem] += f.tokens
		case f.role == message.User:
			n[spentUser] += f.tokens
		case f.role == message.Tool:
			n[spentResults] += f.tokens
		default:
			n[spentArguments] += f.arguments
			n[spentAssistant] += f.tokens - f.arguments
		}
	}
	return n
}

// says reports whether the prompt holds the text of a question.
func (v *view) says(text int32) bool {
	for i := len(v.shown) - 1; i >= 0; i-- {
		at := place{text, v.shown[i]}
		yes, known := v.said[at]
		if !known {
			yes = strings.Contains(v.shown[i].text, v.x.asked[text])
			v.said[at] = yes
		}
		if yes {
			return true
		}
	}
	return false
}

// place is a text in a message.
type place struct {
	text int32
	in   *facts
}

func commonPrefix(a, b []key) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// swap takes the old messages out and the new ones in; what is in both moves
// nothing.
func (v *view) swap(old, next []key, added map[key]*facts) {
	for _, k := range next {
		if v.held[k]++; v.held[k] == 1 {
			v.add(added[k])
		}
	}
	for _, k := range old {
		if v.held[k]--; v.held[k] == 0 {
			delete(v.held, k)
			v.remove(k)
		}
	}
}

func (v *view) add(f *facts) {
	for _, id := range f.values {
		v.holders[id] = append(v.holders[id], f)
	}
}

func (v *view) remove(k key) {
	f, ok := v.x.facts[k]
	if !ok {
		f = v.derived[k]
	}
	for _, id := range f.values {
		hs := v.holders[id]
		i := slices.Index(hs, f)
		v.holders[id] = slices.Delete(hs, i, i+1)
	}
}

// found reports how the prompt has a value: literally, with support, or at least
// by a pointer to a message that has it.
func (v *view) found(id int32, at int) (lit, sup, ptr bool) {
	hs := v.holders[id]
	lit = len(hs) > 0
	for _, f := range hs {
		if sup = v.supports(f, id, at); sup {
			break
		}
	}
	ptr = lit
	for i := range v.pointed {
		if ptr {
			break
		}
		_, ptr = v.x.facts[v.x.keys[i]].holds(id)
	}
	return lit, sup, ptr
}

// supports reports whether f is a logged message as it was, or has a content word
// of one of the value's own lines within reach of the value.
func (v *view) supports(f *facts, id int32, at int) bool {
	if f.logged >= 0 {
		return true
	}
	near, _ := f.holds(id)
	for _, w := range near {
		if t, ok := v.x.lines[id][w]; ok && int(t) < at {
			return true
		}
	}
	return false
}
