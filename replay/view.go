package replay

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
)

// view is the prompt of the moment, kept up to date by difference, so that a
// step costs what changed and not what the prompt holds.
type view struct {
	x       *Index
	derived map[key]*facts // messages the log does not have
	keys    []key
	held    map[key]int        // how often the prompt holds a message
	holders map[int32][]*facts // by value: messages of the prompt that have it
	pointed map[int]bool
	tokens  int
}

func newView(x *Index) *view {
	return &view{x: x, derived: map[key]*facts{}, held: map[key]int{}, holders: map[int32][]*facts{}}
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

// show makes p the prompt. It returns how many messages, and tokens of a whole
// request, stand unchanged at its start, and whether the old prompt is a prefix
// of the new one.
func (v *view) show(p Prompt) (shared int, grown bool) {
	next := make([]key, len(p.Messages))
	tokens := v.x.judge.Fixed
	added := map[key]*facts{}
	for i, m := range p.Messages {
		next[i] = keyOf(m)
		f := v.facts(m, next[i])
		tokens += f.tokens
		added[next[i]] = f
	}
	same := commonPrefix(v.keys, next)
	grown = same == len(v.keys)
	if v.keys != nil {
		shared = v.x.judge.Fixed
	}
	for i := range same {
		shared += added[next[i]].tokens
	}
	v.swap(v.keys[same:], next[same:], added)
	v.keys, v.tokens = next, tokens
	v.pointed = map[int]bool{}
	for _, i := range p.Pointed {
		v.pointed[i] = true
	}
	return shared, grown
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

// found says how the prompt has a value: literally, with support, or at least
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

// supports says whether f is a logged message as it was, or has a content word
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
