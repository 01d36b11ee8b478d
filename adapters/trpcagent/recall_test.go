package trpcagent_test

import (
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/runner"

	"github.com/seed-3db51b0e/precis/adapters/trpcagent"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	carried(t, m, false, trpcagent.Options{Budget: 6000})
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}

// Sessions that share a plugin run at the same time, and each looks up its own.
//
// SPEC: B26
func TestSessionsAtTheSameTime(t *testing.T) {
	p := trpcagent.New(engine(t), trpcagent.Options{Budget: 6000})
	for _, app := range []string{"library", "archive", "shop"} {
		t.Run(app, func(t *testing.T) {
			t.Parallel()
			m := &scripted{Errand: long()}
			m.Ask, m.Pages = 3, 30+len(app)
			r := runner.NewRunner(app, librarian(m, false, p.Tools()), runner.WithPlugins(p))
			defer r.Close()
			if o := run(t, r, m.Task()); o.last != m.Answer() || m.refused > 0 || m.lookedUp == 0 {
				t.Errorf("%+v, %d refused, %d looked up", o, m.refused, m.lookedUp)
			}
		})
	}
}
