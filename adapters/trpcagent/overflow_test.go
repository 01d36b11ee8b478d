package trpcagent_test

import (
	"strings"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/runner"

	"github.com/seed-3db51b0e/precis/adapters/trpcagent"
	"github.com/seed-3db51b0e/precis/internal/errand"
)

// A run that is many times longer than the window ends well: no prompt is too long, none
// is invalid, and what was said first is known at the end.
//
// SPEC: B26
func TestLongRunEndsWell(t *testing.T) {
	m := &scripted{Errand: long()}
	carried(t, m, false, trpcagent.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	r := runner.NewRunner("library", librarian(m, false, nil))
	defer r.Close()
	if o := run(t, r, m.Task()); !strings.Contains(o.err, "maximum context length") {
		t.Errorf("after %d calls: %+v", len(m.prompts), o)
	}
}

// A refused prompt is sent again once, shorter, and the window is believed when it was
// stated twice.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	m := &scripted{Errand: long()}
	carried(t, m, false, trpcagent.Options{Budget: 60000})
	if m.refused == 0 || m.refused > 2 {
		t.Errorf("%d prompts were refused", m.refused)
	}
}

// A refusal of what no compaction makes shorter reaches the caller.
func TestRefusalThatStaysIsTheCallers(t *testing.T) {
	m := &scripted{Errand: errand.Errand{Pages: 1, Lines: 1, Window: 10}}
	p := trpcagent.New(engine(t), trpcagent.Options{})
	r := runner.NewRunner("library", librarian(m, false, p.Tools()), runner.WithPlugins(p))
	defer r.Close()
	if o := run(t, r, m.Task()); !strings.Contains(o.err, "maximum context length") || len(m.prompts) > 2 {
		t.Errorf("after %d calls: %+v", len(m.prompts), o)
	}
}
