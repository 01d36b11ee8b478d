package precis_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// Pruning is no compaction: who is told of a compaction after it was asked before
// it, and pruning alone asks nobody.
//
// SPEC: T9, T5, G5
func TestPruningIsNoCompaction(t *testing.T) {
	var names []event.HookName
	e, err := precis.New(precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline"), Hooks: event.Hooks{
		Before: func(_ context.Context, p event.Payload) (event.Verdict, error) {
			names = append(names, p.Name)
			return event.Verdict{}, nil
		},
		After: func(_ context.Context, p event.Payload) error {
			names = append(names, p.Name)
			return nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	in := request("t", turnsOf(60, 2, 2, 2, 2, 2, 2, 2, 2), 80_000)
	in.Client.Idle = time.Hour
	turn := prepared(t, e, in)
	e.Close()
	if turn.Plan == nil || turn.Compacted >= turn.Before {
		t.Fatalf("nothing was pruned: %s", turn.Outcome)
	}
	if len(names) > 0 && names[0] != event.PreCompact {
		t.Errorf("told without having been asked: %v", names)
	}
}

// What was pruned while the cache was cold cost nothing and stays, also where the
// compaction after it fails or frees too little.
//
// SPEC: T5, T6, V7
func TestPruningStays(t *testing.T) {
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	ms = append(ms, round(0, "fetch_report", "{}", "", strings.Repeat("a line of a report on host\n", 70))...)
	for i := range 100 {
		ms = append(ms, round(i+1, "fetch_report", fmt.Sprintf(`{"n":%d}`, i), "Next.", strings.Repeat("a short line\n", 15))...)
	}
	in := request("t", ms, 0)
	in.Budget, in.Client.Idle = in.Meter.Messages(ms)+50, time.Hour
	broken := errors.New("the model is gone")
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline"), Summarizer: &scribe{err: broken}, NoFallback: true})
	turn := prepared(t, e, in)
	if turn.Plan == nil || !turn.Messages[2].Edited || turn.Compacted >= turn.Before {
		t.Errorf("%s: what was hidden came back (%d → %d tokens, %v)", turn.Outcome, turn.Before, turn.Compacted, turn.Failures)
	}
	in.Client.Idle = time.Second
	if again := prepared(t, e, in); turn.Plan != nil && !reflect.DeepEqual(again.Messages, turn.Messages) {
		t.Errorf("hot again: %s", again.Outcome)
	}
}

// A rung that needs a summarizer cannot run while the cache is cold.
//
// SPEC: T5, L20
func TestOnlyHidingIsCold(t *testing.T) {
	p := policyOf(t, "timeline")
	p.Rungs = append([]policy.Rung{{Strategy: "summarize", Cold: true}}, p.Rungs...)
	if err := p.Validate(); err != nil {
		t.Skip(err)
	}
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("panic: %v", v)
		}
	}()
	e := newWith(t, precis.Options{Store: memory.New(), Policy: p})
	in := request("t", turnsOf(300, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3), 80_000)
	in.Client.Idle = time.Hour
	e.SafeCompact(t.Context(), in)
}

// A fork rests by its own clock: it is not pruned while it is in use.
//
// SPEC: T5, V6
func TestForkIsNotPrunedHot(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline"), Now: func() time.Time { return now }})
	ms := turnsOf(60, 2, 2, 2, 2, 2, 2, 2, 2)
	prepared(t, e, request("t", ms, 80_000))
	ms = append(ms[:len(ms)-1:len(ms)-1], message.TextOf(message.User, "another way"))
	for i := range 10 { // one request a minute: the cache is always hot
		now = now.Add(time.Minute)
		turn := prepared(t, e, request("t", ms, 80_000))
		if turn.Outcome == precis.Pruned {
			t.Fatalf("request %d on %s, a minute after the one before: pruned, rest %ds", i, turn.Key.Thread, turn.Plan.Inputs.Rest)
		}
		ms = append(ms, message.TextOf(message.Assistant, fmt.Sprint("ok ", i)), message.TextOf(message.User, fmt.Sprint("go on ", i)))
	}
}
