package trpcagent

import (
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/model"
)

// A prompt is all that the provider read of it: Anthropic counts what its cache had or got beside
// the rest, the others count it among the input.
//
// SPEC: B26 · WU1
func TestUsageCountsTheCache(t *testing.T) {
	for name, c := range map[string]struct {
		usage model.Usage
		want  int
	}{
		"no cache":  {model.Usage{PromptTokens: 900}, 900},
		"OpenAI":    {model.Usage{PromptTokens: 900, PromptTokensDetails: model.PromptTokensDetails{CachedTokens: 800}}, 900},
		"Anthropic": {model.Usage{PromptTokens: 100, PromptTokensDetails: model.PromptTokensDetails{CachedTokens: 700, CacheReadTokens: 700, CacheCreationTokens: 100}}, 900},
	} {
		if got := usage(&model.Response{Usage: &c.usage}).Input; got != c.want {
			t.Errorf("%s: %d tokens, want %d", name, got, c.want)
		}
	}
}
