package fantasy_test

import (
	"path/filepath"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/adapters/fantasy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A conversation that another process began goes on under the plan that it left.
//
// SPEC: B26
func TestConversationGoesOnAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "precis.db")
	m := &scripted{Errand: long()}
	process := func(history []charm.Message, call charm.AgentCall) (*charm.AgentResult, store.Head) {
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
		call.Messages = history
		ctx := adapt.WithThread(t.Context(), "session-1")
		r, err := agent(m, fantasy.New(e, fantasy.Options{Budget: 6000})).Generate(ctx, call)
		if err != nil {
			t.Fatal(err)
		}
		head, err := st.Head(t.Context(), store.Key{Thread: "session-1"})
		if err != nil {
			t.Fatal(err)
		}
		return r, head
	}
	first, before := process(nil, charm.AgentCall{Prompt: m.Task(), StopWhen: []charm.StopCondition{charm.StepCountIs(30)}})
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	history := []charm.Message{charm.NewUserMessage(m.Task())}
	for _, s := range first.Steps {
		history = append(history, s.Messages...)
	}
	m.prompts = nil
	second, after := process(history, charm.AgentCall{})
	said(t, m, second, nil)
	if m.refused > 0 || len(m.prompts) > 40 || after.Len <= before.Len || after.PlanVersion <= before.PlanVersion {
		t.Errorf("%d refused, %d calls; the log before: %+v, after: %+v", m.refused, len(m.prompts), before, after)
	}
}
