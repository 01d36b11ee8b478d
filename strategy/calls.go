package strategy

import (
	"cmp"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// answeredCalls holds which call each result answers, of the units that were asked for.
type answeredCalls struct {
	of    map[thread.Place]thread.Place // by the place of the result
	units map[int]bool                  // by the start of a unit
}

// CallOf is the call that the result at part n of entry i answers. The pairs of a
// unit are found once per draft.
func (d *Draft) CallOf(i, n int) (message.Part, bool) {
	u := d.T.UnitOf(i)
	if d.calls.of == nil {
		d.calls = answeredCalls{of: map[thread.Place]thread.Place{}, units: map[int]bool{}}
	}
	if !d.calls.units[u.Start] {
		d.calls.units[u.Start] = true
		for _, p := range d.T.Pairs(u) {
			if p.Complete() {
				d.calls.of[p.Result] = p.Call
			}
		}
	}
	call, ok := d.calls.of[thread.Place{Index: i, Part: n}]
	if !ok {
		return message.Part{}, false
	}
	return *d.T.Part(call), true
}

// callsTo returns the calls that the message at a position has the results of.
func callsTo(t *thread.Thread, at int) (calls []thread.Place) {
	if at < 0 || at >= t.Len() {
		return nil
	}
	for _, p := range t.Pairs(t.UnitOf(at)) {
		if p.Result.Index == at && p.Complete() {
			calls = append(calls, p.Call)
		}
	}
	return calls
}

// toolName is the name of the tool behind the result at part n of entry i, "tool" when unknown.
func (d *Draft) toolName(i, n int) string {
	call, _ := d.CallOf(i, n)
	return cmp.Or(call.Name, d.T.At(i).Message.Parts[n-1].Name, "tool")
}
