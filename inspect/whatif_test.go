package inspect_test

import (
	"net/http"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
)

// SPEC: B13
// An experiment is computed by the engine and commits nothing.
func TestWhatIf(t *testing.T) {
	s := shown()
	c := served(t, s, inspect.Options{})
	before := current(t, s, "t")
	var same, other inspect.Experiment
	c.want(c.post("threads/t/whatif", inspect.WhatIf{}), http.StatusOK, &same)
	if same.Is.Tokens != same.Was.Tokens || same.Is.Sent != same.Was.Sent || same.Is.Compactions != same.Was.Compactions {
		t.Errorf("the same policy and budget give %+v, not %+v", same.Is, same.Was)
	}
	c.want(c.post("threads/t/whatif", inspect.WhatIf{Policy: "truncate", Budget: 24_000}), http.StatusOK, &other)
	if other.Is.Policy != "truncate" || other.Is.Budget != 24_000 || other.Is.Sent == other.Was.Sent {
		t.Errorf("truncate at 24,000 gives %+v", other.Is)
	}
	var line inspect.Timeline
	c.get("threads/t/timeline?sim="+other.ID, &line)
	if line.Columns[len(line.Columns)-1].Budget != 24_000 {
		t.Error("the experiment's timeline has another budget")
	}
	var p inspect.PromptPage
	c.get("threads/t/prompt?step=40&sim="+other.ID, &p)
	if p.Total == 0 {
		t.Error("the experiment has no prompt")
	}
	if got := current(t, s, "t"); got != before {
		t.Errorf("the experiment made plan %d", got)
	}
}

func TestJudgesOfReplay(t *testing.T) {
	c := served(t, shown(), inspect.Options{})
	var j inspect.Judged
	c.get("threads/t/judge?policy=truncate&budget=16000", &j)
	if len(j.Verdicts) != 2 || j.Verdicts[0].Policy != "balanced" || j.Verdicts[1].Policy != "truncate" {
		t.Fatalf("verdicts %+v", j.Verdicts)
	}
	for _, v := range j.Verdicts {
		if !v.Entered || v.Literal == nil || v.Copied == nil || v.Needs == 0 || v.Steps == 0 {
			t.Errorf("%s is not judged: %+v", v.Policy, v)
		}
	}
}
