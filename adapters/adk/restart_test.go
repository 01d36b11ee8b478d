package adk_test

import (
	"path/filepath"
	"testing"

	"google.golang.org/adk/v2/session"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/adk"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A session that another process began goes on under the plan that it left. Its name and
// the agent's are the conversation's.
//
// SPEC: B26
func TestConversationGoesOnAfterARestart(t *testing.T) {
	file, kept := filepath.Join(t.TempDir(), "precis.db"), session.InMemoryService()
	m := &scripted{Errand: long()}
	process := func(text string) store.Head {
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
		heard, err := run(t.Context(), sessions(t, adk.Wrap(m, e, adk.Options{Budget: 6000}), m.Errand, kept), false, text)
		said(t, m, heard, err)
		head, err := st.Head(t.Context(), store.Key{Thread: "library/ann/session-1/librarian"})
		if err != nil {
			t.Fatal(err)
		}
		return head
	}
	before := process(m.Task())
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	m.prompts = nil
	after := process("Say it again.")
	if m.refused > 0 || len(m.prompts) != 1 || after.Len <= before.Len || after.PlanVersion < before.PlanVersion {
		t.Errorf("%d refused, %d calls; the log before: %+v, after: %+v", m.refused, len(m.prompts), before, after)
	}
	if shown := m.prompts[0]; len(shown) >= before.Len {
		t.Errorf("the prompt after the restart has %d of %d contents: it is not compacted", len(shown), after.Len)
	}
}
