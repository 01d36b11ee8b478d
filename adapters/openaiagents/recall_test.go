package openaiagents_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	carried(t, m, openaiagents.Options{Budget: 6000})
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}
