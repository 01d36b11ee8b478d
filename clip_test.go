package precis_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/summary"
)

// The design's defaults.
//
// SPEC: C1, L20
func TestClipDefaults(t *testing.T) {
	p, err := policy.Named("clip")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rungs) != 1 || p.SummaryTokens != 1024 {
		t.Fatalf("%+v", p)
	}
	r := p.Rungs[0]
	if r.Strategy != "archive" || r.Chunk != 20 || r.Keep != 5 || r.First != 2 || r.Last != 2 {
		t.Errorf("%+v", r)
	}
}

// archiveOf is the archive in force.
func archiveOf(t *testing.T, turn *precis.Turn) (a summary.Archive) {
	t.Helper()
	if turn.Plan == nil || len(turn.Plan.Records) != 1 {
		t.Fatalf("%s: plan %+v", turn.Outcome, turn.Plan)
	}
	if err := json.Unmarshal(turn.Plan.Records[0].Summary, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// sound holds an archive against its span: batches disjoint, chronological, their
// counts the span's, each with the time of its first and last message.
func sound(t *testing.T, turn *precis.Turn, a summary.Archive) {
	t.Helper()
	if err := a.Validate(); err != nil {
		t.Error(err)
	}
	span := turn.Plan.Records[0].Span
	if a.Count() != span.Count() || a.Count() != turn.Thread.Len()-5 && a.Count() != turn.Thread.Len()-6 {
		t.Errorf("%d messages in batches, %d in the span, %d in the log", a.Count(), span.Count(), turn.Thread.Len())
	}
	at := 0
	for i, b := range a.Batches {
		if span.IDs[at] != b.From.ID || span.IDs[at+b.Count-1] != b.To.ID {
			t.Errorf("batch %d is from #%d to #%d", i+1, b.From.N, b.To.N)
		}
		first, last := turn.Thread.At(b.From.N-1).Message.Time, turn.Thread.At(b.To.N-1).Message.Time
		if !b.Start.Equal(first) || !b.End.Equal(last) {
			t.Errorf("batch %d says %s to %s, its messages %s to %s", i+1, b.Start, b.End, first, last)
		}
		at += b.Count
		for i := range turn.Thread.Len() { // what it tells is of its own messages
			for _, n := range turn.Thread.At(i).Message.Calls() {
				ran := "`" + strings.TrimSuffix(strings.TrimPrefix(turn.Thread.At(i).Message.Parts[n].Args, `{"command":"`), `"}`) + "`"
				if own := i >= b.From.N-1 && i < b.To.N; !own && strings.Contains(b.Text, ran) {
					t.Errorf("a batch from #%d to #%d tells of %s", b.From.N, b.To.N, ran)
				}
			}
		}
	}
	head := fmt.Sprintf("[Context Summary — %d messages compressed across %d compaction cycles]", a.Count(), a.Cycles())
	if text := turn.Messages[0].Parts[0].Text; !strings.HasPrefix(text, head) {
		t.Errorf("the head is %.90q, want %q", text, head)
	}
}

// depths are those of the batches.
func depths(a summary.Archive) string {
	var out []string
	for _, b := range a.Batches {
		out = append(out, fmt.Sprint(b.Depth))
	}
	return strings.Join(out, " ")
}

// timed gives messages times a minute apart.
func timed(ms []message.Message) []message.Message {
	ms = slices.Clone(ms)
	for i := range ms {
		ms[i].Time = time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
	}
	return ms
}

// steps are n rounds whose results are not like each other, with times.
func steps(n int) []message.Message { return timed(work(n, 3)) }

// clipping compacts a history whatever its size.
func clipping(t *testing.T, e *precis.Engine, ms []message.Message) *precis.Turn {
	t.Helper()
	in := request("t", ms, 100_000)
	in.Mode.Force = true
	return prepared(t, e, in)
}

// Three generations: batches stay in order and disjoint while the older ones are
// summarized again, deeper each time; a restart, or an undo, in between changes
// nothing of that, and what an older batch said is not said twice.
//
// SPEC: C2, C3, V1, V8
func TestClipGenerations(t *testing.T) {
	path, ms := filepath.Join(t.TempDir(), "p.db"), steps(300)
	var got []string
	for i, n := range []int{65, 125, 165, 205, 245, 285, 325, 365} {
		st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "clip")})
		if i == 5 {
			p, err := st.Plan(t.Context(), store.Key{Thread: "t"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Expand(t.Context(), "t", p.Records[0].ID); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Restore(t.Context(), "t", p.Version); err != nil {
				t.Fatal(err)
			}
		}
		turn := clipping(t, e, ms[:n])
		a := archiveOf(t, turn)
		sound(t, turn, a)
		wired(t, turn)
		got = append(got, depths(a))
		if n == 365 {
			golden(t, "clip-365.txt", turn.Messages[0].Parts[0].Text+"\n")
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"0 0 0", "0 0 0 0 0 0", "1 0 0", "1 0 0 0 0", "2 0 0", "2 0 0 0 0", "3 0 0", "3 0 0 0 0"}
	if !slices.Equal(got, want) {
		t.Errorf("depths %q\nwant   %q", got, want)
	}
}

// An undone archive comes back whole and is held; the next one is written anew from
// the log, not from what was undone.
//
// SPEC: C2, V8
func TestClipAfterUndo(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "clip")})
	ms := steps(100)
	turn := clipping(t, e, ms[:125])
	if _, err := e.Expand(t.Context(), "t", turn.Plan.Records[0].ID); err != nil {
		t.Fatal(err)
	}
	back := prepared(t, e, request("t", ms[:125], 100_000))
	if !reflect.DeepEqual(back.Messages, ms[:125]) {
		t.Fatalf("after the undo\n%s", show(back))
	}
	held := clipping(t, e, ms[:185])
	a := archiveOf(t, held)
	if a.Batches[0].From.N <= 119 || a.Count() != held.Plan.Records[0].Span.Count() || a.Cycles() != 1 {
		t.Errorf("what was given back is behind the archive again: from #%d, %d messages", a.Batches[0].From.N, a.Count())
	}
}

// What a batch is written from: its own messages, and as the earlier summary the batches
// before it, which it does not take the place of.
//
// SPEC: C2, C4
func TestClipTellsEarlierBatches(t *testing.T) {
	s := &scribe{asked: make(chan summary.Input, 20)}
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "clip"), Summarizer: s})
	ms := steps(100)
	clipping(t, e, ms[:65])
	clipping(t, e, ms[:105])
	close(s.asked)
	var got []int
	for in := range s.asked {
		got = append(got, len(in.Previous))
		for _, p := range in.Previous {
			if in.Span.Contains(p.From.ID) || in.Span.Contains(p.To.ID) {
				t.Errorf("a batch of %d messages takes the place of an earlier one", in.Span.Count())
			}
		}
	}
	if want := []int{0, 1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("told of %v earlier batches, want %v", got, want)
	}
}

// failing fails from its n-th call on, while it is on.
type failing struct {
	scribe
	from int64
}

func (s *failing) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	if s.from > 0 && s.calls.Load()+1 >= s.from {
		s.calls.Add(1)
		return nil, errors.New("the model is gone")
	}
	return s.scribe.Summarize(ctx, in)
}

// What is new is written before what is old goes: a summarizer that fails at any
// call of a round, also in the middle of summarizing again, leaves the plan and the
// prompt that are in force.
//
// SPEC: C2, V7, V9
func TestClipFailsInTheMiddle(t *testing.T) {
	ms := steps(100)
	for call := int64(1); call <= 3; call++ { // two new batches, then the older ones again
		st, s := memory.New(), &failing{}
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "clip"), Summarizer: s, NoFallback: true})
		before := clipping(t, e, ms[:125])
		s.from = s.calls.Load() + call
		turn := clipping(t, e, ms[:165])
		if turn.Outcome == precis.Compacted || len(turn.Failures) != 1 || turn.Plan.Version != before.Plan.Version {
			t.Fatalf("call %d: %s, plan %d after %d, %v", call, turn.Outcome, turn.Plan.Version, before.Plan.Version, turn.Failures)
		}
		if !reflect.DeepEqual(turn.Messages[:len(before.Messages)], before.Messages) || len(turn.Messages) != len(before.Messages)+40 {
			t.Errorf("call %d: the prompt changed\n%s", call, show(turn))
		}
		p, err := st.Plan(t.Context(), store.Key{Thread: "t"})
		if err != nil || p.Version != before.Plan.Version || !reflect.DeepEqual(p.Records, before.Plan.Records) {
			t.Errorf("call %d: plan %+v, %v", call, p, err)
		}
		s.from = 0
		after := clipping(t, e, ms[:165])
		a := archiveOf(t, after)
		sound(t, after, a)
		if depths(a) != "1 0 0" {
			t.Errorf("call %d: then depths %s", call, depths(a))
		}
	}
}

// A batch is written from its own messages, in the order of the log: the chunks
// that a summarizer reads never overlap and never go back in time.
//
// SPEC: C2, C5
func TestClipChunksAreChronological(t *testing.T) {
	s := &scribe{asked: make(chan summary.Input, 20)}
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "clip"), Summarizer: s})
	turn := clipping(t, e, steps(62))
	last, n := -1, 0
	for len(s.asked) > 0 {
		in := <-s.asked
		n++
		if in.Part != summary.Chunk || len(in.Previous) != n-1 || in.Span.Count() > 20 || in.Cap != 1024 {
			t.Errorf("asked for %q of %d messages under %d tokens with %d earlier summaries", in.Part, in.Span.Count(), in.Cap, len(in.Previous))
		}
		for _, id := range in.Span.IDs {
			i, _ := turn.Thread.Find(id)
			if i <= last {
				t.Errorf("message %d after %d", i, last)
			}
			last = i
		}
	}
	if n != 6 || last != 118 {
		t.Errorf("%d batches up to message %d", n, last)
	}
}

// What goes in and what comes out of the design's port: a history and a
// conversation id; the history, the batches made, the messages compressed and the
// tokens before and after.
//
// SPEC: C1
func TestClipPort(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "clip")})
	ms := steps(62)
	turn := clipping(t, e, ms)
	a := archiveOf(t, turn)
	batches, compressed := len(a.Batches), turn.Plan.Records[0].Span.Count()
	if batches != 6 || compressed != 119 || turn.Key.Thread != "t" {
		t.Errorf("%d batches of %d messages of %s", batches, compressed, turn.Key.Thread)
	}
	in := request("t", ms, 100_000)
	if turn.Before != in.Meter.Messages(ms) || turn.Compacted != in.Meter.Messages(turn.Messages) || turn.Compacted >= turn.Before {
		t.Errorf("%d → %d tokens", turn.Before, turn.Compacted)
	}
	if kept := turn.Messages[1:]; !reflect.DeepEqual(kept, ms[119:]) {
		t.Errorf("%d messages stay", len(kept))
	}
	if turn.Plan.Records[0].Action != plan.Summarize {
		t.Errorf("%+v", turn.Plan.Records[0])
	}
}

// Batches stand without times where messages have none or a clock went back.
//
// SPEC: C2, V9
func TestArchiveWithOddClocks(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "clip")})
	ms := work(60, 10)
	for i := range ms {
		if ms[i].Role != message.Assistant {
			ms[i].Time = time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		}
	}
	in := request("t", ms, 100_000)
	in.Mode.Force = true
	turn := prepared(t, e, in)
	if turn.Outcome != precis.Compacted {
		t.Errorf("times on some messages: %s %v", turn.Outcome, turn.Failures)
	}
	ms = timed(work(60, 10))
	ms[30].Time = ms[30].Time.Add(-time.Hour) // a clock set back
	for i := 31; i < len(ms); i++ {
		ms[i].Time = ms[i].Time.Add(-time.Hour)
	}
	in = request("u", ms, 100_000)
	in.Mode.Force = true
	turn = prepared(t, e, in)
	if turn.Outcome != precis.Compacted {
		t.Errorf("a clock set back: %s %v", turn.Outcome, turn.Failures)
	}
}
