package langchaingo_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/chains"

	"github.com/seed-3db51b0e/precis/adapters/langchaingo"
)

// A stream reaches its listener piece by piece, once, also where a prompt was refused
// before.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	for _, budget := range []int{6000, 60000} {
		m := &scripted{Errand: long()}
		var heard []string
		run(t, m, langchaingo.Options{Budget: budget}, chains.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			heard = append(heard, string(chunk))
			return nil
		}))
		if len(heard) < 5 || strings.Join(heard, "") != m.Answer() {
			t.Errorf("budget %d, %d refused: heard %q", budget, m.refused, heard)
		}
	}
}
