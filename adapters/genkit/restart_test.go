package genkit_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/adapters/genkit"
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
	process := func(text string, history ...*ai.Message) ([]*ai.Message, store.Head) {
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
		r, err := run(ctx, m, ai.WithMessages(history...), ai.WithPrompt(text), ai.WithUse(genkit.New(e, genkit.Options{Budget: 6000})))
		said(t, m, r, err)
		head, err := st.Head(t.Context(), store.Key{Thread: "session-1"})
		if err != nil {
			t.Fatal(err)
		}
		return r.History(), head
	}
	history, before := process(m.Task())
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	var restored []*ai.Message
	raw, err := json.Marshal(history[1:]) // the system prompt is given again
	if err == nil {
		err = json.Unmarshal(raw, &restored)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.prompts = nil
	_, after := process("Say it again.", restored...)
	if m.refused > 0 || len(m.prompts) != 1 || after.Len <= before.Len || after.PlanVersion < before.PlanVersion {
		t.Errorf("%d refused, %d calls; the log before: %+v, after: %+v", m.refused, len(m.prompts), before, after)
	}
	if shown := m.prompts[0]; len(shown) >= len(restored) {
		t.Errorf("the prompt after the restart has %d of %d messages: it is not compacted", len(shown), len(restored))
	}
}
