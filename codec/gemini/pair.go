package gemini

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
)

// pair gives the results of messages from known on the ids of the calls they answer. The
// API pairs by id where there is one, else by name and order within the turn (WG15).
func pair(ms []message.Message, known int) {
	var open openCalls
	for i := turnBefore(ms, known); i < len(ms); i++ {
		m := &ms[i]
		if m.Role == message.Assistant {
			if i == 0 || ms[i-1].Role != message.Assistant {
				open = nil
			}
			for _, at := range m.Calls() {
				for i >= known && open.derived(m.Parts[at].CallID) { // an answer in several contents
					m.Parts[at].CallID += "+"
				}
				open = append(open, m.Parts[at])
			}
			continue
		}
		for k := range m.Parts {
			switch p := &m.Parts[k]; {
			case p.Kind != message.Result:
			case i < known:
				open.take(func(c message.Part) bool { return c.CallID == p.CallID })
			default:
				p.CallID = open.answered(*p)
			}
		}
	}
}

// turnBefore is where the run of the model's contents begins that is the last before n.
func turnBefore(ms []message.Message, n int) int {
	for n > 0 && ms[n-1].Role != message.Assistant {
		n--
	}
	for n > 0 && ms[n-1].Role == message.Assistant {
		n--
	}
	return n
}

// openCalls are the calls of a turn that have no result yet.
type openCalls []message.Part

// derived reports whether a call has this id, and from a codec.
func (o openCalls) derived(id string) bool {
	return message.IsDerivedID(id) && slices.ContainsFunc(o, func(c message.Part) bool { return c.CallID == id })
}

// take takes out the first call that is chosen.
func (o *openCalls) take(chosen func(message.Part) bool) (message.Part, bool) {
	i := slices.IndexFunc(*o, chosen)
	if i < 0 {
		return message.Part{}, false
	}
	c := (*o)[i]
	*o = slices.Delete(slices.Clone(*o), i, i+1)
	return c, true
}

// answered is the id of the call that a result answers: that of the same id, else the
// first of its name that the provider gave none. A result without a call keeps its own.
func (o *openCalls) answered(p message.Part) string {
	c, ok := o.take(func(c message.Part) bool { return c.CallID == p.CallID })
	if !ok {
		c, ok = o.take(func(c message.Part) bool {
			return c.Name == p.Name && (p.CallID == "" || message.IsDerivedID(c.CallID))
		})
	}
	switch {
	case ok:
		return c.CallID
	case p.CallID == "":
		return message.DerivedID(p.Name)
	}
	return p.CallID
}
