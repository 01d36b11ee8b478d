package openaiagents_test

import (
	"path/filepath"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A conversation that another process began goes on under the plan that it left.
//
// SPEC: B26
func TestConversationGoesOnAfterARestart(t *testing.T) {
	file, m := filepath.Join(t.TempDir(), "precis.db"), &scripted{Errand: long()}
	process := func(history []agents.TResponseInputItem) ([]agents.TResponseInputItem, store.Head) {
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
		c := openaiagents.New(e, openaiagents.Options{Budget: 6000}).Wrap(m)
		ctx := adapt.WithThread(t.Context(), "session-1")
		r, err := runner.RunInputs(ctx, librarian(c, append(c.Tools(), page(m.Errand))...), history)
		if err != nil {
			t.Fatal(err)
		}
		if r.FinalOutput != m.Answer() {
			t.Errorf("after %d calls: %q", m.calls, r.FinalOutput)
		}
		head, err := st.Head(t.Context(), store.Key{Thread: "session-1"})
		if err != nil {
			t.Fatal(err)
		}
		return r.ToInputList(), head
	}
	history, before := process([]agents.TResponseInputItem{agents.UserMessage(m.Task())})
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	calls := m.calls
	_, after := process(append(history, agents.UserMessage("Say it again.")))
	if m.refused > 0 || m.calls != calls+1 || after.Len <= before.Len || after.PlanVersion < before.PlanVersion {
		t.Errorf("%d refused, %d calls; the log before: %+v, after: %+v", m.refused, m.calls-calls, before, after)
	}
}
