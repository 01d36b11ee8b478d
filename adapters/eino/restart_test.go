package eino_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/adapters/eino"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A conversation that another process began goes on under the plan that it left, with a
// history that was stored as JSON.
//
// SPEC: B26
func TestConversationGoesOnAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "precis.db")
	m := &scripted{Errand: long()}
	process := func(history ...*schema.Message) ([]*schema.Message, store.Head) {
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
		ctx := adapt.WithThread(t.Context(), "session-1")
		history, err = run(ctx, agent(t, m, m.Errand, eino.New(e, eino.Options{Budget: 6000})), false, history...)
		said(t, m, history, err)
		head, err := st.Head(t.Context(), store.Key{Thread: "session-1"})
		if err != nil {
			t.Fatal(err)
		}
		return history, head
	}
	history, before := process(schema.UserMessage(m.Task()))
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	var restored []*schema.Message
	raw, err := json.Marshal(history)
	if err == nil {
		err = json.Unmarshal(raw, &restored)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.prompts = nil
	_, after := process(append(restored, schema.UserMessage("Say it again."))...)
	if m.refused > 0 || len(m.prompts) != 1 || after.Len <= before.Len || after.PlanVersion < before.PlanVersion {
		t.Errorf("%d refused, %d calls; the log before: %+v, after: %+v", m.refused, len(m.prompts), before, after)
	}
	if shown := m.prompts[0]; len(shown) >= len(restored) {
		t.Errorf("the prompt after the restart has %d of %d messages: it is not compacted", len(shown), len(restored))
	}
}
