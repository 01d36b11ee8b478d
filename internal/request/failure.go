package request

import (
	"errors"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
)

// Stage names where something failed that a call survives.
type Stage string

// The stages.
const (
	Prepare    Stage = "prepare"    // the prompt was being made
	Impossible Stage = "impossible" // nothing fits the budget
	Hook       Stage = "hook"
	Encode     Stage = "encode" // the prompt was being written in its API's form
	Recall     Stage = "recall"
	Native     Stage = "native" // a compaction item was read or made
	Log        Stage = "log"
	Record     Stage = "record" // the answer was being logged
	Quota      Stage = "quota"
	Count      Stage = "count"    // tokens were being counted for the client
	Thinking   Stage = "thinking" // the provider refused it
	Summary    Stage = "summary"  // a model wrote it ahead of need
)

// StageOf returns where a turn failed with an error.
func StageOf(err error) Stage {
	switch {
	case errors.Is(err, precis.ErrImpossible):
		return Impossible
	case errors.Is(err, event.ErrHook):
		return Hook
	}
	return Prepare
}

var stageTexts = map[Stage]string{
	Prepare:    "compaction failed; the call goes on",
	Impossible: "compaction failed; the request goes as it came",
	Hook:       "hook failed; the call goes on without it",
	Encode:     "compaction failed; the request goes as it came",
	Recall:     "look-ups failed; the call goes on",
	Native:     "what a compaction item stands for could not be read",
	Log:        "request is not logged; the conversation goes on",
	Record:     "answer is not logged; the conversation goes on",
	Quota:      "what is stored could not be measured; the call goes on",
	Count:      "tokens are counted as the client has them",
	Thinking:   "provider refused thinking, which is left out from now on",
	Summary:    "background summary failed; continuing without it",
}

// Text says what failed, and what that means for the call.
func (s Stage) Text() string { return stageTexts[s] }
