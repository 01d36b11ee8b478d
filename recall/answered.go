package recall

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// answeredCall is a call as the line above its result tells it.
type answeredCall struct {
	ref     string // of the call, "" where there is none
	said    string // its command, else its arguments, in short
	failure string // the line that says why it failed, "" where it did not
	silent  bool   // its result has no text
}

const (
	mostCall    = 100 // bytes of a call
	mostFailure = 200 // bytes of a failure
)

// answered returns the call that a reference to a result answers; nothing for another part.
func (l *toolCall) answered(to string) (answeredCall, error) {
	r, within := l.r.of(to)
	p, err := r.Find(l.ctx, within)
	if err != nil || p.Artifact != nil || p.Part == 0 {
		return answeredCall{}, err
	}
	for _, pair := range r.Thread.Pairs(r.Thread.UnitOf(p.Index)) {
		if pair.Result == (thread.Place{Index: p.Index, Part: p.Part}) && pair.Complete() {
			c := tellCall(*r.Thread.Part(pair.Call), r.Thread.Part(pair.Result))
			c.ref = r.nameOf(Place{Index: pair.Call.Index, Part: pair.Call.Part})
			return c, nil
		}
	}
	return answeredCall{}, nil
}

func tellCall(call message.Part, result *message.Part) (c answeredCall) {
	did := tool.Parse(call, result)
	c.said, c.silent = did.Command, did.Silent()
	if c.said == "" {
		var lines tool.LineReader
		c.said = lines.Lines(call.Args)
	}
	if did.Outcome == tool.Failure {
		c.failure = window(oneLine(did.Error), 0, 0, mostFailure)
	}
	c.said = window(oneLine(c.said), 0, 0, mostCall)
	return c
}
