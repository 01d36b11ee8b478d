package plan_test

import (
	"errors"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// A plan may not take a call out of the prompt and leave its result there, nor
// the reverse; what is alone in the log, or repaired, is not its doing.
//
// SPEC: V3
func TestBuildRefusesSplitRounds(t *testing.T) {
	call := func(id string) message.Part { return message.Part{Kind: message.Call, CallID: id, Name: "sh"} }
	result := func(id string) message.Part { return message.Part{Kind: message.Result, CallID: id} }
	th, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "go"),
		{Role: message.Assistant, Parts: []message.Part{call("a"), call("b"), call("c")}},
		{Role: message.Tool, Parts: []message.Part{result("b")}},
		{Role: message.Tool, Parts: []message.Part{result("a")}},
		{Role: message.Tool, Parts: []message.Part{result("nobody")}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	over := func(a plan.Action, s plan.Span) plan.Record { return plan.Record{Action: a, Span: s, Text: "x"} }
	repaired := func(r plan.Record) plan.Record {
		r.Action, r.Kind = plan.Replace, plan.Repaired
		return r
	}
	for name, c := range map[string]struct {
		records []plan.Record
		want    error
	}{
		"the whole round":               {[]plan.Record{over(plan.Summarize, span(th, 1, 2, 3))}, nil},
		"the round in two":              {[]plan.Record{over(plan.Drop, span(th, 1)), over(plan.Summarize, span(th, 2, 3))}, nil},
		"the calls":                     {[]plan.Record{over(plan.Summarize, span(th, 0, 1))}, plan.ErrSplitRound},
		"a result":                      {[]plan.Record{over(plan.Externalize, span(th, 3))}, plan.ErrSplitRound},
		"a call's part":                 {[]plan.Record{over(plan.Drop, part(th, 1, 2))}, plan.ErrSplitRound},
		"a call and its result":         {[]plan.Record{over(plan.Drop, part(th, 1, 2)), over(plan.Drop, span(th, 2))}, nil},
		"a call and another's result":   {[]plan.Record{over(plan.Drop, part(th, 1, 2)), over(plan.Drop, span(th, 3))}, plan.ErrSplitRound},
		"what a result says":            {[]plan.Record{over(plan.Clear, span(th, 3)), over(plan.Replace, part(th, 2, 1)), over(plan.Externalize, part(th, 1, 1))}, nil},
		"a call without a result":       {[]plan.Record{over(plan.Drop, part(th, 1, 3))}, nil},
		"a result without a call":       {[]plan.Record{over(plan.Drop, span(th, 4))}, nil},
		"a result, repaired by answer":  {[]plan.Record{over(plan.Drop, span(th, 3)), repaired(plan.Record{Span: part(th, 1, 1), Answer: "gone"})}, nil},
		"the calls, results repaired":   {[]plan.Record{over(plan.Drop, span(th, 1)), repaired(plan.Record{Span: part(th, 2, 1), Orphan: true}), repaired(plan.Record{Span: part(th, 3, 1), Orphan: true})}, nil},
		"the calls, a result repaired":  {[]plan.Record{over(plan.Drop, span(th, 1)), repaired(plan.Record{Span: part(th, 2, 1), Orphan: true})}, plan.ErrSplitRound},
		"nothing, but a result is text": {[]plan.Record{repaired(plan.Record{Span: part(th, 2, 1), Orphan: true})}, plan.ErrSplitRound},
	} {
		p := plan.Plan{Records: c.records}
		if _, err := plan.Build(p, th); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, err := plan.Rebuild(p, th); err != nil {
			t.Errorf("%s, built again: %v", name, err)
		}
	}
}
