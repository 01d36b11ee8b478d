package strategy

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// Ends reports whether a piece of work ends with the newest messages of a thread, before
// the model is asked again: the user speaks after the agent answered, or the last round
// committed, passed its tests, or declared the end.
func Ends(t *thread.Thread) bool {
	us := t.Units()
	if len(us) == 0 {
		return false
	}
	last := us[len(us)-1]
	if thread.Speaks(t.At(last.Start).Message) {
		return answered(t, last.Start)
	}
	for _, pair := range t.Pairs(last) {
		if _, alone := pair.Alone(); alone {
			return false
		}
		result := t.Part(pair.Result)
		if endsWith(*t.Part(pair.Call), result) {
			return true
		}
	}
	return false
}

// answered reports whether the message before position i is an answer of the agent's.
func answered(t *thread.Thread, i int) bool {
	for i--; i >= 0; i-- {
		m := t.At(i).Message
		if m.Meta {
			continue
		}
		return m.Role == message.Assistant && !m.Has(message.Call)
	}
	return false
}

// endsWith reports whether a call ended a piece of work.
func endsWith(call message.Part, result *message.Part) bool {
	if _, done, ok := tool.Note(call.Name, call.Args); ok {
		return done
	}
	r := tool.Parse(call, result)
	if r.Class != tool.Shell || r.Outcome != tool.Success {
		return false
	}
	verdict := r.Telling()
	return testrun.IsVerdict(verdict) && !testrun.Fails(verdict) || r.Commits()
}
