package genkit

import (
	"testing"

	"github.com/firebase/genkit/go/ai"
)

// A prompt is all that the provider read of it: Anthropic counts what it read from its cache
// beside the rest, the others count it among the input.
//
// SPEC: B26 · WU1
func TestUsageCountsTheCache(t *testing.T) {
	for name, c := range map[string]struct {
		usage *ai.GenerationUsage
		want  int
	}{
		"claude-opus-5":    {&ai.GenerationUsage{InputTokens: 100, CachedContentTokens: 800}, 900},
		"gemini-2.5-flash": {&ai.GenerationUsage{InputTokens: 900, CachedContentTokens: 800}, 900},
		"":                 {&ai.GenerationUsage{InputTokens: 900, CachedContentTokens: 800}, 900},
		"gpt-5":            {nil, 0},
	} {
		if got := (&call{model: name}).usage(c.usage).Input; got != c.want {
			t.Errorf("%q: %d tokens, want %d", name, got, c.want)
		}
	}
}
