package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/proxy"
)

// tally counts the calls that a proxy logs, keeps what it warns of, and hands the log on.
type tally struct {
	slog.Handler
	mu                          sync.Mutex
	calls, planned, compactions int64
	original, sent, would       int64
	breaks, retried             int64
	input, cached               int64
	plans                       map[string]int64 // the last plan's version, by thread
	warned                      []warning        // by message
}

// warning is what a proxy warns of.
type warning struct {
	text, why string // why of the last time
	times     int
}

// Enabled implements slog.Handler.
func (t *tally) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// Handle implements slog.Handler.
func (t *tally) Handle(ctx context.Context, r slog.Record) error {
	switch {
	case r.Message == "call":
		t.count(r)
	case r.Level >= slog.LevelWarn:
		t.warn(r)
	}
	return t.Handler.Handle(ctx, r)
}

func (t *tally) warn(r slog.Record) {
	var why string
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "reason" {
			why = a.Value.String()
		}
		return true
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.warned, func(w warning) bool { return w.text == r.Message })
	if i < 0 {
		i = len(t.warned)
		t.warned = append(t.warned, warning{text: r.Message})
	}
	t.warned[i].why = why
	t.warned[i].times++
}

func (t *tally) count(r slog.Record) {
	n, words := map[string]int64{}, map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Value.Kind() {
		case slog.KindInt64:
			n[a.Key] = a.Value.Int64()
		case slog.KindString:
			words[a.Key] = a.Value.String()
		case slog.KindBool:
			if a.Value.Bool() {
				n[a.Key] = 1
			}
		}
		return true
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	t.input, t.cached, t.retried = t.input+n["input"], t.cached+n["cached"], t.retried+n["retried"]
	if _, ok := n["tokens"]; !ok {
		return
	}
	t.planned++
	t.original, t.sent = t.original+n["tokens"], t.sent+n["sent"]
	if v, ok := n["would_send"]; ok {
		t.would += v
	}
	if words["outcome"] == string(precis.Compacted) || words["would"] == string(precis.Compacted) {
		t.compactions++
	}
	last, known := t.plans[words["thread"]]
	if known && last != n["plan"] {
		t.breaks++
	}
	t.plans[words["thread"]] = n["plan"]
}

// summary says what the run did, for people; "" where there was no call and no warning.
func (t *tally) summary(m proxy.Mode) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == 0 && len(t.warned) == 0 {
		return ""
	}
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = io.WriteString(&b, fmt.Sprintf(format, args...)+"\n") }
	say("precis: %s, %s", term.Count(int(t.calls), "request"), term.Count(int(t.compactions), "compaction"))
	if t.calls > 0 {
		t.measured(m, say)
	}
	for _, w := range t.warned {
		say("  warning      %s", term.Clean(w.String()))
	}
	return b.String()
}

// maxWhy is the most columns of a reason that a summary tells.
const maxWhy = 200

func (w warning) String() string {
	text := term.Cut(w.text, maxWhy)
	if w.times > 1 {
		text += fmt.Sprintf(" (%s times)", term.Comma(w.times))
	}
	if w.why != "" {
		text += ": " + term.Cut(w.why, maxWhy)
	}
	return text
}

// measured says what the calls came to.
func (t *tally) measured(m proxy.Mode, say func(format string, args ...any)) {
	if m == proxy.Observe {
		say("  prompts      %s; compacted they would have been %s", term.Count(int(t.original), "token"), term.Comma(int(t.would)))
		return
	}
	say("  prompts      %s of %s sent (%s), in %s, as counted here",
		term.Comma(int(t.sent)), term.Count(int(t.original), "token"), term.Percent(int(t.sent), int(t.original)), term.Count(int(t.planned), "request"))
	say("  cache breaks %s caused by a new plan, of %s", term.Comma(int(t.breaks)), term.Count(int(t.planned), "request"))
	if t.retried > 0 {
		say("  overflows    %s refused as too long, compacted and sent again", term.Count(int(t.retried), "prompt"))
	}
	if t.input > 0 {
		say("  provider     %s input tokens reported, %s of them read from its cache", term.Comma(int(t.input)), term.Percent(int(t.cached), int(t.input)))
	}
}
