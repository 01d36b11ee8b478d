package trpcagent_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/adapters/trpcagent"
)

// A stream reaches its listener piece by piece, as without Précis.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	m := &scripted{Errand: long()}
	o := carried(t, m, true, trpcagent.Options{Budget: 6000})
	if m.refused > 0 || len(o.pieces) < 5 || strings.Join(o.pieces, "") != m.Answer() {
		t.Errorf("%d refused; heard %q", m.refused, o.pieces)
	}
}

// A refusal in place of a stream is answered with a shorter prompt; the listener hears
// nothing of it.
//
// SPEC: B26
func TestRefusalOfStreamIsAnswered(t *testing.T) {
	m := &scripted{Errand: long()}
	carried(t, m, true, trpcagent.Options{Budget: 60000})
	if m.refused == 0 || m.refused > 2 {
		t.Errorf("%d prompts were refused", m.refused)
	}
}
