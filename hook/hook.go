// Package hook makes hooks of commands and of HTTP endpoints.
//
// Use: Shell and HTTP give event.Hooks; event.Chain joins several. Law: a hook
// that is slow, fails or talks nonsense never keeps a compaction longer than its
// timeout and never breaks it. Promise: what a hook is sent is
// event.Payload as JSON, ids and numbers; no child process outlives a timeout.
//
// A hook answers PreCompact with a verdict, one JSON object:
//
//	{"veto": false, "reason": "", "instructions": "keep the ticket numbers"}
//
// All its fields may be left out, as may the answer. The answer to PostCompact
// and SessionStart is not read. A veto is advice: a prompt that would exceed its
// budget is compacted all the same.
package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/event"
)

// maxOutput bounds what is read of a hook's answer, bytes.
const maxOutput = 64 << 10

// margin is the time a hook has beyond its own timeout to end and say so.
const margin = 500 * time.Millisecond

// Errors of answers.
var (
	ErrVerdict = errors.New("answer is no verdict")
	ErrTooLong = errors.New("answer is over 64 KiB")
)

// verdict reads an answer; an empty one lets the compaction go on.
func verdict(answer []byte) (v event.Verdict, err error) {
	answer = bytes.TrimSpace(answer)
	if len(answer) == 0 {
		return v, nil
	}
	if answer[0] != '{' {
		return v, fmt.Errorf("read verdict %q: %w", excerpt(answer), ErrVerdict)
	}
	if err := json.Unmarshal(answer, &v); err != nil {
		return event.Verdict{}, fmt.Errorf("read verdict: %w: %w", ErrVerdict, err)
	}
	return v, nil
}

// excerpt is the beginning of what a hook said, for people.
func excerpt(b []byte) string {
	const enough = 500
	cut := len(b) > enough
	if cut {
		b = b[:enough]
	}
	s := strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
	if cut {
		s += "…"
	}
	return s
}

func orDefault(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		return event.DefaultTimeout
	}
	return timeout
}
