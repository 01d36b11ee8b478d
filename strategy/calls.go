package strategy

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// place is a part of an entry: position, and part counted from 1.
type place struct{ i, n int }

// CallOf is the call that the result at part n of entry i answers. The pairs of a
// unit are found once per draft.
func (d *Draft) CallOf(i, n int) (message.Part, bool) {
	u := d.T.UnitOf(i)
	if d.calls == nil {
		d.calls, d.paired = map[place]place{}, map[int]bool{}
	}
	if !d.paired[u.Start] {
		d.paired[u.Start] = true
		d.pair(u)
	}
	at, ok := d.calls[place{i, n}]
	if !ok {
		return message.Part{}, false
	}
	return d.T.At(at.i).Message.Parts[at.n-1], true
}

// pair finds the calls of a unit's results, first to first for equal ids.
func (d *Draft) pair(u thread.Unit) {
	open := map[string][]place{}
	for i := u.Start; i < u.End; i++ {
		for n, p := range d.T.At(i).Message.Parts {
			switch p.Kind {
			case message.Call:
				open[p.CallID] = append(open[p.CallID], place{i, n + 1})
			case message.Result:
				if w := open[p.CallID]; len(w) > 0 {
					d.calls[place{i, n + 1}], open[p.CallID] = w[0], w[1:]
				}
			}
		}
	}
}

// toolName is the name of the tool behind a result, "tool" when unknown.
func toolName(v *View, i int, result message.Part) string {
	for n := range v.T.At(i).Message.Parts {
		if p := v.T.At(i).Message.Parts[n]; p.Kind == message.Result && p.CallID == result.CallID {
			if c, ok := v.CallOf(i, n+1); ok && c.Name != "" {
				return c.Name
			}
		}
	}
	return firstOf(result.Name, "tool")
}
