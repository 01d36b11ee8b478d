package langchaingo_test

import (
	"path/filepath"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/langchaingo"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A run whose steps a program has kept goes on in another process, under the plan that
// the first one left.
//
// SPEC: B26
func TestConversationGoesOnAfterARestart(t *testing.T) {
	file, m := filepath.Join(t.TempDir(), "precis.db"), &scripted{Errand: long()}
	var steps []schema.AgentStep
	process := func(most int) (last *schema.AgentFinish, head store.Head) {
		st, err := sqlite.Open(t.Context(), file, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		e, err := precis.New(precis.Options{Store: st})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		c := langchaingo.New(e, langchaingo.Options{Budget: 6000, Thread: "session-1"}).Wrap(m)
		own := append(c.Tools(), tools.Tool(page{m.Errand}))
		a := agents.NewOpenAIFunctionsAgent(c, own)
		for ; most > 0 && last == nil; most-- {
			var actions []schema.AgentAction
			if actions, last, err = a.Plan(t.Context(), steps, map[string]string{"input": m.Task()}); err != nil {
				t.Fatal(err)
			}
			for _, action := range actions {
				for _, tool := range own {
					if tool.Name() == action.Tool {
						said, err := tool.Call(t.Context(), action.ToolInput)
						if err != nil {
							t.Fatal(err)
						}
						steps = append(steps, schema.AgentStep{Action: action, Observation: said})
					}
				}
			}
		}
		if head, err = st.Head(t.Context(), store.Key{Thread: "session-1"}); err != nil {
			t.Fatal(err)
		}
		return last, head
	}
	_, before := process(30)
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	last, after := process(100)
	if last == nil || last.Log != m.Answer() || m.refused > 0 {
		t.Errorf("%d calls, %d refused, then: %+v", len(m.prompts), m.refused, last)
	}
	if after.Len <= before.Len || after.PlanVersion <= before.PlanVersion {
		t.Errorf("the log before: %+v, after: %+v", before, after)
	}
}
