package trpcagent_test

import (
	"path/filepath"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/session/inmemory"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/trpcagent"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A session of which another process kept the log goes on under the plan that it left.
//
// SPEC: B26
func TestSessionGoesOnAfterARestart(t *testing.T) {
	file, m := filepath.Join(t.TempDir(), "precis.db"), &scripted{Errand: long()}
	sessions := inmemory.NewSessionService(inmemory.WithSessionEventLimit(10000)) // the framework's own store, which outlives the process
	defer sessions.Close()
	process := func(says string, o ...llmagent.Option) (outcome, store.Head) {
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
		p := trpcagent.New(e, trpcagent.Options{Budget: 6000})
		r := runner.NewRunner("library", librarian(m, false, p.Tools(), o...), runner.WithPlugins(p), runner.WithSessionService(sessions))
		defer r.Close()
		got := run(t, r, says)
		head, err := st.Head(t.Context(), store.Key{Thread: "library/ann/session-1/librarian"})
		if err != nil {
			t.Fatal(err)
		}
		return got, head
	}
	_, before := process(m.Task(), llmagent.WithMaxLLMCalls(30))
	if before.PlanVersion == 0 {
		t.Fatal("nothing was compacted before the restart")
	}
	first := len(m.prompts)
	got, after := process("Go on.")
	said(t, m, got)
	if m.refused > 0 || len(m.prompts)-first > 40 || after.Len <= before.Len || after.PlanVersion <= before.PlanVersion {
		t.Errorf("%d refused, %d and %d calls; the log before: %+v, after: %+v", m.refused, first, len(m.prompts)-first, before, after)
	}
}
