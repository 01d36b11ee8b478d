package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// quarters counts characters / 4 and calls it exact.
type quarters struct{}

func (quarters) Name() string          { return "quarters" }
func (quarters) Count(text string) int { return (len(text) + 3) / 4 }
func (quarters) Exact() bool           { return true }

func memoryEngine(context.Context) (*precis.Engine, func() error, error) {
	s := memory.New()
	e, err := precis.New(precis.Options{Store: s})
	return e, s.Close, err
}

// SPEC: B10, V3, V4, V6. The real engine keeps the budget at every step, breaks
// the prefix only when it commits a plan, and fails at none.
func TestEngine(t *testing.T) {
	meter := token.Meter{Counter: quarters{}}
	o := Options{
		Judge:    Judge{Count: meter.Message},
		Policies: []Policy{Engine("balanced", memoryEngine, func() precis.Input { return precis.Input{Meter: meter} })},
		Budgets:  []int{2000},
	}
	r := compare(t, o, Run{ID: "a", Source: "s", Messages: long(t, 80)})[0]
	if r.Over != 0 || r.Invalid != 0 || r.Failed != 0 || r.Active == 0 {
		t.Errorf("row %+v", r)
	}
	commits := r.Outcomes["compacted"]
	if commits == 0 || int(r.Breaks) > commits || commits+r.Outcomes["within_budget"]+r.Outcomes["not_worth_it"] != r.Steps {
		t.Errorf("%v breaks at %v", r.Breaks, r.Outcomes)
	}
	said := 0
	for _, j := range r.Verdicts {
		said += j.Times
	}
	if no := r.Outcomes["not_worth_it"]; no == 0 || said != commits+no {
		t.Errorf("the gate said %v at %v", r.Verdicts, r.Outcomes)
	}
	if all := r.Recall[All]; all.Literal < all.Supported || all.Referenced < all.Literal {
		t.Errorf("recall %+v", all)
	}
}

// SPEC: V4. An impossible budget is an outcome, and the history goes out.
func TestEngineImpossible(t *testing.T) {
	meter := token.Meter{Counter: quarters{}}
	p := Engine("balanced", memoryEngine, func() precis.Input { return precis.Input{Meter: meter} })
	ms := []message.Message{message.TextOf(message.User, strings.Repeat("long ", 2000)), message.TextOf(message.Assistant, "ok")}
	x := NewIndex(Run{ID: "a", Messages: ms}, Judge{Count: meter.Message})
	s, err := x.Replay(context.Background(), p, 500, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Failed != 0 || s.Over != 1 || s.Outcomes["impossible"] != 1 {
		t.Errorf("score %+v", s)
	}
}

// A record on a part, on a message or within one round points; one over
// several rounds and a drop do not.
func TestPointed(t *testing.T) {
	th, err := thread.New(thread.Extend("", long(t, 5))) // system, user, rounds at 2, 4, 6, 8, 10
	if err != nil {
		t.Fatal(err)
	}
	at := func(part int, is ...int) plan.Span {
		s := plan.Span{Part: part}
		for _, i := range is {
			s.IDs = append(s.IDs, th.At(i).ID)
		}
		return s
	}
	p, err := plan.Build(plan.Plan{Records: []plan.Record{
		{Action: plan.Drop, Span: at(0, 1)},
		{Action: plan.Replace, Kind: plan.Preview, Span: at(1, 3), Text: "…"},
		{Action: plan.Externalize, Span: at(0, 4, 5), Text: "…"},
		{Action: plan.Summarize, Span: at(0, 6, 7, 8, 9), Text: "…"},
		{Action: plan.Clear, Span: at(0, 11)},
	}}, th)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("[3 4 5 11]", fmt.Sprint(pointed(th, p))); diff != "" {
		t.Error(diff)
	}
	if pointed(th, nil) != nil {
		t.Error("no plan points somewhere")
	}
}
