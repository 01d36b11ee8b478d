package plan

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// splits returns ErrSplitRound if a call or its result is left in the prompt
// alone.
func (p *Plan) splits(t *thread.Thread) error {
	over := p.Over(t)
	for _, u := range t.Units() {
		if !u.Round || !p.reaches(t, u, over) {
			continue
		}
		for _, pair := range t.Pairs(u) {
			if !pair.Complete() {
				continue
			}
			call, result := p.shows(t, over, pair.Call), p.shows(t, over, pair.Result)
			answered := call && p.answers(t, pair.Call)
			if call != result && !answered {
				return fmt.Errorf("build plan: call %s and result %s: %w",
					ref.Part(pair.Call.Index+1, pair.Call.Part), ref.Part(pair.Result.Index+1, pair.Result.Part), ErrSplitRound)
			}
		}
	}
	return nil
}

// reaches reports whether records cover some of a unit, but not one all of it.
func (p *Plan) reaches(t *thread.Thread, u thread.Unit, over []*Record) bool {
	touched, same := false, true
	for i := u.Start; i < u.End; i++ {
		touched = touched || over[i] != nil || len(p.index.parts) > 0 && p.Edits(t.At(i).ID)
		same = same && over[i] == over[u.Start]
	}
	return touched && (over[u.Start] == nil || !same)
}

// shows reports whether a call or result stands in the prompt as what it is.
func (p *Plan) shows(t *thread.Thread, over []*Record, at thread.Place) bool {
	if r := over[at.Index]; r != nil {
		return !r.Action.Together()
	}
	r := p.Part(t.At(at.Index).ID, at.Part)
	return r == nil || r.Action != Drop && !r.Orphan
}

// answers reports whether a repair gives a call that is shown its result.
func (p *Plan) answers(t *thread.Thread, call thread.Place) bool {
	r := p.Part(t.At(call.Index).ID, call.Part)
	return r != nil && r.Answer != ""
}
