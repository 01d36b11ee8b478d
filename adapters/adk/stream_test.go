package adk_test

import (
	"strings"
	"testing"

	"google.golang.org/adk/v2/session"

	"github.com/seed-3db51b0e/precis/adapters/adk"
)

// A stream reaches its reader word by word, as without Précis.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	m := &scripted{Errand: long()}
	r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 6000}), m.Errand, session.InMemoryService())
	heard, err := run(t.Context(), r, true, m.Task())
	said(t, m, heard, err)
	if words := heard[:len(heard)-1]; m.refused > 0 || len(words) < 5 || strings.Join(words, "") != m.Answer() {
		t.Errorf("%d refused; heard %q", m.refused, words)
	}
}
