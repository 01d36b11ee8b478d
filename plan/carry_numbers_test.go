package plan_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// A record whose text may name messages by number stays behind once their
// numbers have changed; one that holds the content itself goes along.
//
// SPEC: V10
func TestCarryLeavesOldNumbers(t *testing.T) {
	at := func(texts ...string) *thread.Thread { return userThread(t, texts...) }
	from := at("a", "b", "c", "d", "e")
	over := func(i int, how plan.ReplaceKind) plan.Record {
		return plan.Record{Action: plan.Replace, Kind: how, Text: "see #2", Span: plan.Span{IDs: []thread.ID{from.At(i).ID}, Part: 1}}
	}
	lines := plan.Record{Action: plan.Summarize, Excerpts: []string{"#5 user: e"}, Span: plan.Span{IDs: []thread.ID{from.At(4).ID}}}
	p, err := plan.Build(plan.Plan{Records: []plan.Record{over(0, plan.Preview), over(2, plan.Preview), over(3, plan.Reencoded), lines}}, from)
	if err != nil {
		t.Fatal(err)
	}
	to := at("a", "c", "d", "e") // b is gone: the others have other numbers
	carried, err := plan.Carry(p, from, to)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, true, false} {
		if carried.Touches(to.At(i).ID) != want {
			t.Errorf("message %d: carried %t", i+1, !want)
		}
	}
}
