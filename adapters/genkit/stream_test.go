package genkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis/adapters/genkit"
)

// A stream reaches its reader word by word, as without Précis.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	m := &scripted{Errand: long()}
	var heard []string
	r, err := run(t.Context(), m, ai.WithPrompt(m.Task()), ai.WithUse(genkit.New(engine(t), genkit.Options{Budget: 6000})),
		ai.WithStreaming(func(_ context.Context, chunk *ai.ModelResponseChunk) error {
			if chunk.Role == ai.RoleModel && chunk.Text() != "" {
				heard = append(heard, chunk.Text())
			}
			return nil
		}))
	said(t, m, r, err)
	if m.refused > 0 || len(heard) < 5 || strings.Join(heard, "") != m.Answer() {
		t.Errorf("%d refused; heard %q", m.refused, heard)
	}
}
