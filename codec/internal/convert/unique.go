package convert

import (
	"slices"
	"strconv"

	"github.com/seed-3db51b0e/precis/message"
)

// Unique renames calls whose id an earlier call has, with their results, in
// messages that are not fixed: some agents number the calls of each turn anew.
// The messages handed in stay as they are.
func Unique(ms []message.Message, fixed func(message.Message) bool) []message.Message {
	r := renamer{seen: map[string]int{}, alias: map[string]string{}}
	for i := range ms {
		if m, ok := r.message(ms[i], fixed(ms[i])); ok {
			if r.out == nil {
				r.out = slices.Clone(ms)
			}
			r.out[i] = m
		}
	}
	if r.out == nil {
		return ms
	}
	return r.out
}

type renamer struct {
	seen  map[string]int    // how often
	alias map[string]string // of the latest call by that id
	out   []message.Message
}

func (r *renamer) message(m message.Message, fixed bool) (message.Message, bool) {
	changed := false
	for j := range m.Parts {
		id := m.Parts[j].CallID
		if id == "" {
			continue
		}
		switch m.Parts[j].Kind {
		case message.Call:
			r.call(id, fixed)
		case message.Result:
		default:
			continue
		}
		if to := r.alias[id]; to != "" && !fixed {
			if !changed {
				m.Parts = slices.Clone(m.Parts)
			}
			m.Parts[j].CallID, m.Parts[j].Edited = to, true
			m.Edited, changed = true, true
		}
	}
	return m, changed
}

func (r *renamer) call(id string, fixed bool) {
	delete(r.alias, id)
	n := r.seen[id] + 1
	if n > 1 && !fixed {
		to := id + "_" + strconv.Itoa(n)
		for ; r.seen[to] > 0; n++ {
			to = id + "_" + strconv.Itoa(n+1)
		}
		r.seen[to], r.alias[id] = 1, to
	}
	r.seen[id] = n
}
