package precis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/token"
)

// turnsOf is a conversation of turns of so many rounds, each ending in a completion.
func turnsOf(size int, rounds ...int) (ms []message.Message) {
	for k, n := range rounds {
		ms = append(ms, message.TextOf(message.User, fmt.Sprintf("Please write part %d. Never touch db/schema_%d.sql.", k+1, k+1)))
		for range n {
			at := len(ms)
			args := fmt.Sprintf(`{"path":"src/part%d/file%d.go"}`, k+1, at)
			ms = append(ms, round(at, "read_file", args, "", strings.Repeat(fmt.Sprintf("line %d of the file\n", at), size))...)
		}
		ms = append(ms, message.TextOf(message.Assistant, fmt.Sprintf("Part %d is done.", k+1)))
	}
	return ms
}

// userTurns are the user turns of a prompt's messages: 0 for a summary, -1 for
// ephemeral content.
func userTurns(turn *precis.Turn) []int {
	of := timeline.Turns(turn.Thread)
	out := make([]int, len(turn.Messages))
	for k, o := range turn.Origins {
		switch {
		case o.First < 0:
			out[k] = -1
		case o.Record == nil || o.Record.Action != plan.Summarize:
			out[k] = of[o.First]
		}
	}
	return out
}

func metaOf(t *testing.T, r *plan.Record) (m timeline.Meta) {
	t.Helper()
	if err := json.Unmarshal(r.Meta, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// drawn labels a prompt's messages by turn, and puts its cache points under them.
func drawn(t *testing.T, turn *precis.Turn) string {
	t.Helper()
	each := slices.Compact(timeline.Turns(turn.Thread)) // the user turns in order
	name := func(n int) string { return string(rune('A' + slices.Index(each, n))) }
	turns, split := userTurns(turn), 0
	var labels []string
	ends := make([]int, len(turns))
	for k, o := range turn.Origins {
		label := fmt.Sprintf("TURN %s", name(max(turns[k], 1)))
		switch {
		case o.Record != nil:
			m := metaOf(t, o.Record)
			label = "SUMMARY(" + name(m.CoveredTurns[0]) + ".." + name(m.CoveredTurns[len(m.CoveredTurns)-1])
			if split = m.SplitTurn; split > 0 {
				label += " + " + name(split) + "-prefix"
			}
			label += ")"
		case turns[k] == split:
			label += " (tail)"
		}
		if label = "[" + label + "]"; len(labels) == 0 || labels[len(labels)-1] != label {
			labels = append(labels, label)
		}
		ends[k] = len(strings.Join(labels, " ")) - 1
	}
	var b strings.Builder
	b.WriteString("\n" + strings.Join(labels, " ") + "\n")
	ps := turn.CachePoints(cachecost.Breakpoints - 1)
	slices.SortFunc(ps, func(a, b cachecost.Point) int { return a.Message - b.Message })
	for _, p := range ps {
		fmt.Fprintf(&b, "%s^ %s\n", strings.Repeat(" ", ends[p.Message]), p.Place)
	}
	return b.String()
}

// The design's diagrams, drawn from what the engine sends: cache points before and
// after a compaction, and after a cut inside a turn.
//
// SPEC: T7, T3, T6, T10
func TestTimelineDiagrams(t *testing.T) {
	for _, c := range []struct {
		about  string
		ms     []message.Message
		budget int
		want   string
	}{
		{"before", turnsOf(1, 0, 0, 0, 0, 0), 80_000, `
[TURN A] [TURN B] [TURN C] [TURN D] [TURN E]
       ^ pre_tail
                                  ^ prev_turn
                                           ^ tail
`},
		{"after", turnsOf(12, 4, 4, 4, 1, 1), 500, `
[SUMMARY(A..C)] [TURN D] [TURN E]
                       ^ prev_turn
                                ^ tail
`},
		{"split", turnsOf(12, 1, 1, 11, 0, 2), 1_400, `
[SUMMARY(A..B + C-prefix)] [TURN C (tail)] [TURN D] [TURN E]
                                         ^ pre_tail
                                                  ^ prev_turn
                                                           ^ tail
`},
	} {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
		turn := prepared(t, e, request("t", c.ms, c.budget))
		if got := drawn(t, turn); got != c.want {
			t.Errorf("%s (%s, %d tokens): got:%s\nwant:%s", c.about, turn.Outcome, turn.Compacted, got, c.want)
		}
		wired(t, turn)
	}
}

// TTL pruning through the engine: while the provider's cache is hot nothing is
// hidden, however old; once it is cold, old results stand behind a replacement
// that is never longer, recent turns stay, and what is hidden stays as it is.
//
// SPEC: T5, T6, V6
func TestTimelinePrunesCold(t *testing.T) {
	ms := turnsOf(60, 2, 2, 2, 2, 2, 2, 2, 2)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	in := request("t", ms, 80_000)
	for _, rest := range []time.Duration{time.Second, 299 * time.Second, 300 * time.Second} {
		in.Client.Idle = rest
		if turn := prepared(t, e, in); turn.Outcome != precis.WithinBudget || !reflect.DeepEqual(turn.Messages, ms) {
			t.Errorf("hot after %s: %s", rest, turn.Outcome)
		}
	}
	in.Client.Idle = 301 * time.Second
	cold := prepared(t, e, in)
	if cold.Outcome != precis.Pruned || len(cold.Messages) != len(ms) || cold.Compacted >= cold.Before {
		t.Fatalf("cold: %s, %d messages, %d → %d tokens", cold.Outcome, len(cold.Messages), cold.Before, cold.Compacted)
	}
	hidden := 0
	for i, m := range cold.Messages {
		was, is := in.Meter.Message(ms[i]), in.Meter.Message(m)
		if is > was {
			t.Errorf("message %d grew from %d to %d tokens", i, was, is)
		}
		if m.Edited {
			hidden++
			if old := cold.Thread.Turns() - cold.Thread.Turn(i); old < 1 {
				t.Errorf("message %d of the newest turn was hidden", i)
			}
			if text := m.Parts[0].Body(); in.Meter.Text(text) > 240 && cold.Thread.Turns()-cold.Thread.Turn(i) >= 6 || !strings.Contains(text, `precis_read("#`) {
				t.Errorf("message %d stands behind %d tokens:\n%s", i, in.Meter.Text(text), text)
			}
		}
	}
	if hidden < 8 {
		t.Errorf("%d results hidden", hidden)
	}
	if again := prepared(t, e, in); !reflect.DeepEqual(again.Messages, cold.Messages) || again.Plan.Version != cold.Plan.Version {
		t.Errorf("cold again: plan %d\n%s", again.Plan.Version, show(again))
	}
	in.Client.Idle = time.Second
	if hot := prepared(t, e, in); !reflect.DeepEqual(hot.Messages, cold.Messages) || hot.Plan.Version != cold.Plan.Version {
		t.Errorf("hot again: plan %d\n%s", hot.Plan.Version, show(hot))
	}
}

// Where the caller does not say how long a thread lay still, the store knows.
//
// SPEC: T5, V5
func TestTimelineRestIsStored(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	st, ms := memory.New(), turnsOf(60, 2, 2, 2, 2, 2, 2, 2, 2)
	at := func() *precis.Engine {
		return newWith(t, precis.Options{Store: st, Policy: policyOf(t, "timeline"), Now: func() time.Time { return now }})
	}
	prepared(t, at(), request("t", ms, 80_000))
	now = now.Add(4 * time.Minute)
	ms = append(ms, turnsOf(1, 0)...)
	if turn := prepared(t, at(), request("t", ms, 80_000)); turn.Plan != nil {
		t.Error("pruned after four minutes")
	}
	now = now.Add(6 * time.Minute)
	turn := prepared(t, at(), request("t", append(ms, message.TextOf(message.User, "go on")), 80_000))
	if turn.Plan == nil || turn.Plan.Inputs.Rest != 360 {
		t.Fatalf("not pruned after six minutes: %+v", turn.Plan)
	}
}

// The order of rendering: what is cold is pruned first, and a compaction only
// follows where that was not enough; the stream starts at the latest summary, and
// what was hidden is told in its digest. The cache points stand on what is sent.
//
// SPEC: T6, T4, T7
func TestTimelineOrder(t *testing.T) {
	ms := turnsOf(60, 3, 3, 3, 3, 3)
	order := func(turn *precis.Turn) string {
		var names []string
		for _, s := range turn.Steps {
			if len(names) == 0 || names[len(names)-1] != s.Strategy {
				names = append(names, s.Strategy)
			}
		}
		return strings.Join(names, " ")
	}
	for _, c := range []struct {
		budget int
		rest   time.Duration
		want   string
	}{
		{6_000, time.Second, ""},
		{4_000, time.Hour, "hide"},
		{4_000, time.Second, "timeline"},
		{2_000, time.Hour, "hide timeline"},
	} {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
		in := request("t", ms, c.budget)
		in.Client.Idle = c.rest
		turn := prepared(t, e, in)
		if got := order(turn); got != c.want {
			t.Errorf("budget %d, rest %s: %q, want %q (%d → %d)", c.budget, c.rest, got, c.want, turn.Before, turn.Compacted)
			continue
		}
		if !strings.Contains(c.want, "timeline") {
			continue
		}
		if o := turn.Origins[0]; o.Record == nil || o.Record.Action != plan.Summarize || len(turn.Messages) >= len(ms) {
			t.Errorf("the stream does not start at the summary:\n%s", show(turn))
		}
		if hidden := metaOf(t, turn.Origins[0].Record).Digest.Hidden; (len(hidden) > 0) != strings.Contains(c.want, "hide") {
			t.Errorf("the digest tells of %d hidden blocks", len(hidden))
		}
		ps := turn.CachePoints(3)
		if len(ps) == 0 || ps[0].Message != len(turn.Messages)-1 {
			t.Errorf("points %v of %d messages", ps, len(turn.Messages))
		}
	}
}

// Cache points on what the engine sends never exceed what the provider takes,
// also where the client set some of its own.
//
// SPEC: T7, V3
func TestTimelinePointsOnTheWire(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	turn := prepared(t, e, request("t", turnsOf(12, 1, 1, 11, 0, 2), 1_400))
	for own := range cachecost.Breakpoints + 1 {
		ps := turn.CachePoints(cachecost.Breakpoints - own)
		if len(ps) > cachecost.Breakpoints-own {
			t.Errorf("%d points beside %d", len(ps), own)
		}
		for _, p := range ps {
			if part := turn.Messages[p.Message].Parts[p.Part]; part.Kind == message.Thinking {
				t.Errorf("%s on thinking", p.Place)
			}
		}
	}
	wired(t, turn)
}

// The trigger is nine tenths of the window, counted with system prompt and tools.
//
// SPEC: T8, S2
func TestTimelineTrigger(t *testing.T) {
	ms, meter := turnsOf(12, 4, 4, 4, 0, 1), token.Truncate()
	system := []message.Part{words(strings.Repeat("rule ", 400))}
	total := meter.Overhead.Request + meter.Messages(ms) + meter.System(system)
	for _, c := range []struct {
		budget int
		want   precis.Outcome
	}{{total*10/9 + 2, precis.WithinBudget}, {total*10/9 - 2, precis.Compacted}} {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
		in := request("t", ms, c.budget)
		in.System = system
		if turn := prepared(t, e, in); turn.Outcome != c.want || turn.Before != total {
			t.Errorf("%d tokens of %d: %s, want %s", turn.Before, c.budget, turn.Outcome, c.want)
		}
	}
}

// Hooks get the design's payload, and only of compactions that come to be.
//
// SPEC: T9, G5
func TestTimelineHooks(t *testing.T) {
	var names []string
	var payloads []event.Payload
	hooks := event.Hooks{
		Before: func(_ context.Context, p event.Payload) (event.Verdict, error) {
			names, payloads = append(names, string(p.Name)), append(payloads, p)
			return event.Verdict{}, nil
		},
		After: func(_ context.Context, p event.Payload) error {
			names, payloads = append(names, string(p.Name)), append(payloads, p)
			return nil
		},
	}
	e, err := precis.New(precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline"), Hooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	ms := turnsOf(12, 4, 4, 4, 0, 1)
	prepared(t, e, request("t", ms, 80_000))
	if len(names) > 0 {
		t.Errorf("under the limit: %v", names)
	}
	turn := prepared(t, e, request("t", ms, 1_080))
	e.Close()
	if got := strings.Join(names, " "); got != fmt.Sprint(event.PreCompact, " ", event.PostCompact, " ", event.SessionStart) {
		t.Errorf("hooks: %s", got)
	}
	var before, after map[string]any
	for i, v := range []*map[string]any{&before, &after} {
		data, err := json.Marshal(payloads[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatal(err)
		}
	}
	if before["before_tokens"] != float64(turn.Before) {
		t.Errorf("before: %v", before)
	}
	covers := 0.
	for _, r := range turn.Plan.Records {
		covers += float64(r.Saves + r.Tokens)
	}
	if after["before_tokens"] != float64(turn.Before) || after["after_tokens"] != float64(turn.Compacted) || after["compacted_tokens"] != covers {
		t.Errorf("after: %v, the records cover %v tokens", after, covers)
	}
}

// A candidate that frees nothing is discarded: many small blocks cost less than
// the summary that would stand for them.
//
// SPEC: T10, V7
func TestTimelineNoGain(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "timeline"), Events: &bus})
	ms := []message.Message{message.TextOf(message.User, "q0"), message.TextOf(message.Assistant, "a0"), message.TextOf(message.User, strings.Repeat("a long question ", 60))}
	in := request("t", ms, 0)
	in.Budget = in.Meter.Messages(ms) + 10
	turn := prepared(t, e, in)
	if turn.Outcome != precis.NoGain || turn.Plan != nil || !reflect.DeepEqual(turn.Messages, ms) {
		t.Errorf("%s\n%s", turn.Outcome, show(turn))
	}
	if infos, err := st.PlanVersions(t.Context(), store.Key{Thread: "t"}); err != nil || len(infos) > 0 {
		t.Errorf("%d plans, %v", len(infos), err)
	}
	for _, v := range told() {
		if v.Kind == event.Skipped && v.Outcome != string(precis.NoGain) || v.Kind == event.Completed {
			t.Errorf("told %s %s", v.Kind, v.Outcome)
		}
	}
}

// The turn in progress keeps its newest round, however small the budget.
//
// SPEC: T10, V4
func TestTimelineKeepsTheNewestRound(t *testing.T) {
	ms := turnsOf(30, 20)
	ms = ms[:len(ms)-1] // the last round is the last thing that happened
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	turn := prepared(t, e, request("t", ms, 1_200))
	n := len(turn.Messages)
	if turn.Origins[n-2].First != len(ms)-2 || turn.Messages[n-1].Edited || turn.Messages[n-2].Edited {
		t.Errorf("the newest round is not whole:\n%s", show(turn))
	}
	if !strings.Contains(turn.Messages[0].Parts[0].Text, strategy.TurnContext) {
		t.Errorf("the turn was not split:\n%s", turn.Messages[0].Parts[0].Text)
	}
}

// A thread that goes on after a restart is sent from its latest summary onward,
// and the log keeps the rest.
//
// SPEC: T11, V1, T2
func TestTimelineGoesOnFromItsSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	ms, summaries := turnsOf(12, 4, 4, 4, 0, 1), []string(nil)
	for n := range 4 {
		if n > 0 {
			more := turnsOf(12, 3, 2)
			for i := range more { // ids and paths of their own
				for k := range more[i].Parts {
					p := &more[i].Parts[k]
					p.CallID = strings.Replace(p.CallID, "call_", fmt.Sprintf("call_%d_", n), 1)
					p.Text = strings.Replace(p.Text, "part", fmt.Sprintf("section %d.", n), 1)
				}
			}
			ms = append(slices.Clone(ms), more...)
		}
		st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "timeline")})
		turn := prepared(t, e, request("t", ms, 1_080))
		wired(t, turn)
		if o := turn.Origins[0]; o.Record == nil || turn.Origins[1].First != len(o.Record.Span.IDs) || len(turn.Plan.Records) != 1 {
			t.Errorf("run %d is sent\n%s", n, show(turn))
		}
		if m := metaOf(t, turn.Origins[0].Record); m.Messages != turn.Origins[0].Record.Span.Count() || m.Path == "" {
			t.Errorf("run %d: meta %+v", n, m)
		}
		summaries = append(summaries, turn.Messages[0].Parts[0].Text)
		es, err := st.Load(t.Context(), store.Key{Thread: "t"})
		if err != nil || len(es) != len(ms) || !reflect.DeepEqual(es[2].Message, ms[2]) {
			t.Errorf("run %d: the log holds %d messages of %d: %v", n, len(es), len(ms), err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n < len(summaries); n++ {
		if summaries[n] == summaries[n-1] {
			t.Errorf("run %d has the summary of the run before", n)
		}
	}
}
