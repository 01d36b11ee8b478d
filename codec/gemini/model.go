package gemini

import "strings"

// older names the models that do not sign their calls, and take no media in the answer
// of a tool. A model that is not known is taken for a new one.
var older = []string{"gemini-1", "gemini-2", "gemma"}

// signs reports whether a model signs its calls.
func signs(model string) bool {
	for _, prefix := range older {
		if strings.HasPrefix(model, prefix) {
			return false
		}
	}
	return true
}
