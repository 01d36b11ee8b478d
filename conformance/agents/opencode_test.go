package agents_test

import (
	"fmt"
	"strings"
	"testing"
)

// newOpenCode is opencode with a model of a window, before precis is installed.
func newOpenCode(t *testing.T, window int, next func(n int, body string) fakeReply) (*home, *provider) {
	t.Helper()
	h := newHome(t, "opencode")
	up := newProvider(t, "openai", next)
	h.put(".config/opencode/opencode.json", fmt.Sprintf(`{
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false, "share": "disabled",
  "permission": {"edit": "allow", "bash": "allow"},
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": "%s/v1", "apiKey": "k"},
    "models": {"fake": {"name": "fake", "limit": {"context": %d, "output": 4000}}}}}
}
`, up.url, window))
	h.env = append(h.env, openCodeEnv(h)...)
	return h, up
}

func openCodeEnv(h *home) []string {
	return []string{
		"XDG_STATE_HOME=" + h.folder + "/state", "XDG_CACHE_HOME=" + h.folder + "/cache",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}
}

// openCode says something in the session, or begins one.
func (h *home) openCode(again bool, prompt string) string {
	h.t.Helper()
	args := []string{"run", "--model", "fake/fake"}
	if again {
		args = append(args, "--continue")
	}
	out, _ := h.run(h.agent, append(args, prompt)...)
	return out
}

// opencode: the prompt of its own compaction has what the user said, word for word.
//
// SPEC: B25
func TestOpenCode(t *testing.T) {
	h, up := newOpenCode(t, 32_000, said)
	before := h.files(".config")
	h.run(h.precis, "install", "opencode")
	h.openCode(false, task)
	for n := range 8 {
		h.openCode(true, fmt.Sprint("Go on with part ", n))
	}
	asked := 0
	for _, b := range up.bodies {
		if !asksForSummary(b) {
			continue
		}
		asked++
		if !strings.Contains(b, "[precis] This conversation") || !strings.Contains(b, `The user said, word for word (#1):\n`+task) {
			t.Errorf("the prompt of a compaction: %.4000s", b)
		}
	}
	if asked == 0 {
		t.Errorf("%d requests, none of a compaction", up.count())
	}
	h.run(h.precis, "uninstall", "opencode")
	same(t, before, h.files(".config"))
}
