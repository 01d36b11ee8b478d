package request_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/request"
)

// A failure of a turn is told as what it is, and every stage has words of its own.
//
// SPEC: V9
func TestFailuresHaveTheirWords(t *testing.T) {
	for want, err := range map[request.Stage]error{
		request.Impossible: fmt.Errorf("prepare: %w", &precis.ImpossibleError{Budget: 10}),
		request.Hook:       fmt.Errorf("ask: %w", event.ErrHook),
		request.Prepare:    errors.New("disk on fire"),
	} {
		if got := request.StageOf(err); got != want {
			t.Errorf("%v is of stage %s, want %s", err, got, want)
		}
	}
	stages := []request.Stage{request.Prepare, request.Impossible, request.Hook, request.Encode, request.Recall, request.Native, request.Log, request.Record, request.Quota, request.Count, request.Thinking, request.Summary}
	for _, s := range stages {
		if s.Text() == "" {
			t.Errorf("stage %s has no words", s)
		}
	}
}
