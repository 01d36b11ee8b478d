package gemini

import (
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// pair gives the results of messages from known on the ids of the calls they answer. The
// API pairs by id where there is one, else by name and order within the turn (WG15).
func pair(ms []message.Message, known int) {
	var open openCalls
	for i := turnBefore(ms, known); i < len(ms); i++ {
		m := &ms[i]
		switch {
		case m.Role != message.Assistant:
			open.answer(m.Parts, i >= known)
			continue
		case i == 0 || ms[i-1].Role != message.Assistant:
			open = openCalls{}
		}
		for _, at := range m.Calls() {
			open.call(&m.Parts[at], i >= known)
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
type openCalls struct {
	calls []message.Part
	taken []bool
	ids   map[string][]int // into calls
	names map[string][]int
	alike map[string]int // ids that a codec made
}

// call takes in a call. An answer in several contents may have the same call twice: one
// that is new is told apart.
func (o *openCalls) call(p *message.Part, isNew bool) {
	if o.ids == nil {
		o.ids, o.names, o.alike = map[string][]int{}, map[string][]int{}, map[string]int{}
	}
	if message.IsDerivedID(p.CallID) {
		id, _, _ := strings.Cut(p.CallID, "+")
		if n := o.alike[id]; n > 0 && isNew {
			p.CallID += "+" + strconv.Itoa(n)
		}
		o.alike[id]++
	}
	n := len(o.calls)
	o.calls, o.taken = append(o.calls, *p), append(o.taken, false)
	o.ids[p.CallID] = append(o.ids[p.CallID], n)
	o.names[p.Name] = append(o.names[p.Name], n)
}

// answer takes out the calls that the results among parts answer, and gives new results
// their ids.
func (o *openCalls) answer(ps parts, isNew bool) {
	for i := range ps {
		switch p := &ps[i]; {
		case p.Kind != message.Result:
		case isNew:
			p.CallID = o.answered(*p)
		default:
			o.take(o.ids, p.CallID)
		}
	}
}

// take takes out the first call of a list that is left.
func (o *openCalls) take(list map[string][]int, key string) (message.Part, bool) {
	for len(list[key]) > 0 {
		n := list[key][0]
		list[key] = list[key][1:]
		if !o.taken[n] {
			o.taken[n] = true
			return o.calls[n], true
		}
	}
	return message.Part{}, false
}

// answered is the id of the call that a result answers: that of the same id, else the
// first of its name that the provider gave none. A result without a call keeps its own.
func (o *openCalls) answered(p message.Part) string {
	if c, ok := o.take(o.ids, p.CallID); ok && p.CallID != "" {
		return c.CallID
	}
	if c, ok := o.next(p.Name); ok && (p.CallID == "" || message.IsDerivedID(c.CallID)) {
		o.take(o.names, p.Name)
		return c.CallID
	}
	if p.CallID == "" {
		return message.DerivedID(p.Name)
	}
	return p.CallID
}

// next is the first call of a name that is left.
func (o *openCalls) next(name string) (message.Part, bool) {
	for len(o.names[name]) > 0 {
		if n := o.names[name][0]; !o.taken[n] {
			return o.calls[n], true
		}
		o.names[name] = o.names[name][1:]
	}
	return message.Part{}, false
}
