package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/event"
)

var errHook = errors.New("hook broke")

// say answers at once.
func say(v event.Verdict, err error) event.Hooks {
	return event.Hooks{Before: func(context.Context, event.Payload) (event.Verdict, error) { return v, err }}
}

var compaction = event.Payload{
	Time: noon, Tenant: "acme", Thread: "t1", Version: 4, Trigger: event.Auto, Messages: 50, Budget: 100_000,
	BeforeTokens: 90_000, AfterTokens: 40_000, CompactedTokens: 60_000, Instructions: "keep the ticket numbers",
}

// TestNoHooks: the zero value lets everything go on. SPEC: G5
func TestNoHooks(t *testing.T) {
	for _, h := range []event.Hooks{{}, event.Chain(), event.Chain(event.Hooks{}, event.Hooks{})} {
		if v, err := h.Ask(t.Context(), compaction); v != (event.Verdict{}) || err != nil {
			t.Errorf("Ask = %+v, %v", v, err)
		}
		if err := h.Tell(t.Context(), compaction); err != nil {
			t.Errorf("Tell = %v", err)
		}
	}
}

// TestPayloads: what a hook is told, before and after, with the names of the
// seeds. SPEC: T9, G5
func TestPayloads(t *testing.T) {
	var got []string
	note := func(p event.Payload) {
		b, err := json.Marshal(p)
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(b))
	}
	h := event.Chain(event.Hooks{
		Before: func(_ context.Context, p event.Payload) (event.Verdict, error) { note(p); return event.Verdict{}, nil },
		After:  func(_ context.Context, p event.Payload) error { note(p); return nil },
	})
	if _, err := h.Ask(t.Context(), compaction); err != nil {
		t.Error(err)
	}
	if err := h.Tell(t.Context(), compaction); err != nil {
		t.Error(err)
	}
	const same = `"time":"2026-03-01T12:00:00Z","tenant":"acme","thread":"t1","plan_version":4,"trigger":"auto",`
	const counts = `"message_count":50,"budget":100000,"before_tokens":90000,`
	const after = `"after_tokens":40000,"compacted_tokens":60000,`
	const asked = `"custom_instructions":"keep the ticket numbers"}`
	want := []string{
		`{"hook_event_name":"PreCompact",` + same + counts + asked,
		`{"hook_event_name":"PostCompact",` + same + counts + after + asked,
		`{"hook_event_name":"SessionStart",` + same + `"source":"compact",` + counts + after + asked,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("payloads (-want +got):\n%s", diff)
	}
}

// TestChain: verdicts are joined in order, and one failure stops nobody.
// SPEC: G5, V9
func TestChain(t *testing.T) {
	yes := event.Verdict{}
	for name, tt := range map[string]struct {
		hooks []event.Hooks
		want  event.Verdict
		err   string
	}{
		"instructions in order": {
			[]event.Hooks{say(event.Verdict{Instructions: "keep a"}, nil), say(yes, nil), say(event.Verdict{Instructions: "keep b"}, nil)},
			event.Verdict{Instructions: "keep a\nkeep b"},
			"",
		},
		"any veto": {
			[]event.Hooks{
				say(event.Verdict{Reason: "fine by me"}, nil), say(event.Verdict{Veto: true, Reason: "freeze"}, nil),
				say(event.Verdict{Veto: true}, nil), say(event.Verdict{Veto: true, Reason: "demo"}, nil),
			},
			event.Verdict{Veto: true, Reason: "freeze; demo"},
			"",
		},
		"an error beside the rest": {
			[]event.Hooks{say(yes, errHook), say(event.Verdict{Veto: true, Instructions: "x"}, nil)},
			event.Verdict{Veto: true, Instructions: "x"},
			"ask hook PreCompact: hook broke",
		},
		"a panic": {
			[]event.Hooks{{Before: func(context.Context, event.Payload) (event.Verdict, error) { panic("oh") }}, say(event.Verdict{Instructions: "x"}, nil)},
			event.Verdict{Instructions: "x"},
			"hook panicked: oh",
		},
		"an end of the goroutine": {
			[]event.Hooks{{Before: func(context.Context, event.Payload) (event.Verdict, error) { runtime.Goexit(); return yes, nil }}},
			yes, "hook ended its goroutine",
		},
		"a chain of chains": {
			[]event.Hooks{event.Chain(say(yes, errHook), say(event.Verdict{Instructions: "a"}, nil)), say(event.Verdict{Instructions: "b"}, nil)},
			event.Verdict{Instructions: "a\nb"},
			"hook broke",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := event.Chain(tt.hooks...).Ask(t.Context(), compaction)
			if v != tt.want {
				t.Errorf("verdict %+v, want %+v", v, tt.want)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

// TestSlowHooks: nobody waits longer than the timeout, for functions that heed
// their context and for those that do not; in a chain the others' answers hold.
// SPEC: V9
func TestSlowHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		silent := event.Hooks{
			Timeout: 3 * time.Second,
			Before: func(context.Context, event.Payload) (event.Verdict, error) {
				<-forever
				return event.Verdict{Veto: true}, nil
			},
			After: func(context.Context, event.Payload) error { <-forever; return nil },
		}
		heeding := event.Hooks{Before: func(ctx context.Context, _ event.Payload) (event.Verdict, error) {
			<-ctx.Done()
			return event.Verdict{Instructions: "late"}, ctx.Err()
		}}
		took := func(f func() error, want time.Duration) {
			t.Helper()
			start := time.Now()
			if err := f(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the deadline", err)
			}
			if d := time.Since(start); d != want {
				t.Errorf("took %v, want %v", d, want)
			}
		}
		took(func() error { _, err := silent.Ask(t.Context(), compaction); return err }, 3*time.Second)
		took(func() error { return silent.Tell(t.Context(), compaction) }, 3*time.Second)
		took(func() error { return event.Chain(silent, silent).Tell(t.Context(), compaction) }, 3*time.Second)
		took(func() error { _, err := heeding.Ask(t.Context(), compaction); return err }, event.DefaultTimeout)
		took(func() error {
			v, err := event.Chain(silent, heeding, say(event.Verdict{Instructions: "quick"}, nil)).Ask(t.Context(), compaction)
			if !strings.HasSuffix(v.Instructions, "quick") || v.Veto {
				t.Errorf("verdict %+v, want the quick one's", v)
			}
			return err
		}, event.DefaultTimeout)
		close(forever) // else the test would leak them
	})
}

// TestHookCancelled: the caller's context ends the waiting too.
func TestHookCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	called := false
	h := event.Hooks{
		Before: func(context.Context, event.Payload) (event.Verdict, error) {
			called = true
			return event.Verdict{}, nil
		},
		After: func(context.Context, event.Payload) error { called = true; return nil },
	}
	if _, err := h.Ask(ctx, compaction); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask = %v", err)
	}
	if err := h.Tell(ctx, compaction); !errors.Is(err, context.Canceled) {
		t.Errorf("Tell = %v", err)
	}
	if called {
		t.Error("asked although nobody waits")
	}
}

// TestTellGoesOn: a hook that fails at one call gets the next, and one hook's
// failure, or slowness, keeps nothing from another. SPEC: V9
func TestTellGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []event.HookName
		fails := event.Hooks{After: func(context.Context, event.Payload) error { return errHook }}
		hangs := event.Hooks{After: func(ctx context.Context, _ event.Payload) error { <-ctx.Done(); return ctx.Err() }}
		notes := event.Hooks{After: func(_ context.Context, p event.Payload) error {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, p.Name)
			return nil
		}}
		err := event.Chain(fails, hangs, notes).Tell(t.Context(), compaction)
		if !errors.Is(err, errHook) || !errors.Is(err, context.DeadlineExceeded) || strings.Count(err.Error(), "hook broke") != 2 {
			t.Errorf("Tell = %v, want both failures, of both calls", err)
		}
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]event.HookName{event.PostCompact, event.SessionStart}, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}
