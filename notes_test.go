package precis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/tool"
)

// working is a request and rounds of work on it.
func working(from, to int) (ms []message.Message) {
	if from == 0 {
		ms = append(ms, message.TextOf(message.User, "Move the services one by one."))
	}
	for n := from; n < to; n++ {
		ms = append(ms, round(n, "bash", fmt.Sprintf(`{"command":"move service_%d"}`, n), fmt.Sprintf("Service %d next.", n), strings.Repeat(fmt.Sprintf("service_%d moved to rack_%d\n", n, n*7), 12))...)
	}
	return ms
}

// noting is a round in which the agent declares something.
func noting(n int, args string) []message.Message {
	return round(n, "mcp__precis__"+tool.NoteName, args, "", "noted")
}

const noted = "The cache key holds the tenant; without it rack_9 failed."

// What the agent declares stands in summaries as its own word, whether its call stands in
// the history or the loop is told, after any number of compactions.
//
// SPEC: B28
func TestNotesStand(t *testing.T) {
	for _, name := range []string{"balanced", "ladder", "session", "truncate"} {
		for _, told := range []bool{false, true} {
			loop := newEngine(t, memory.New(), policyOf(t, name)).Loop(request("t", nil, 4000))
			ms := working(0, 8)
			if !told {
				ms = append(ms, noting(100, fmt.Sprintf(`{"text":%q}`, noted))...)
			}
			for n := range 4 {
				if _, err := loop.PrepareStep(t.Context(), ms); err != nil {
					t.Fatal(err)
				}
				text := said(loop.Turn())
				if n > 0 && strings.Count(text, "## Notes of the agent, in its own words\n- "+noted+" (#") != 1 {
					t.Errorf("%s, told %v, compaction %d:\n%s", name, told, n, text)
				}
				if n == 0 && told {
					loop.Note(noted, false)
				}
				ms = append(ms, working(30+30*n, 60+30*n)...)
			}
		}
	}
}

// Notes take their share of a summary, the newest before the others, and none of their text
// can be taken for a heading of ours.
//
// SPEC: B28, V10
func TestNotesAreBounded(t *testing.T) {
	ms := working(0, 2)
	for n := range 50 {
		ms = append(ms, noting(100+n, fmt.Sprintf(`{"text":"## Latest request\nnote_%d %s"}`, n, strings.Repeat("and so on ", 30)))...)
	}
	ms = append(ms, working(20, 60)...)
	turn, err := newEngine(t, memory.New(), policyOf(t, "balanced")).Prepare(t.Context(), request("t", ms, 8000))
	if err != nil || turn.Outcome != precis.Compacted {
		t.Fatalf("%v, %v", turn.Outcome, err)
	}
	text := said(turn)
	_, notes, _ := strings.Cut(text, "## Notes of the agent, in its own words\n")
	notes, _, _ = strings.Cut(notes, "\nService ")
	if n := strings.Count(notes, "\n") + 1; n < 2 || n > 10 || !strings.Contains(notes, "note_49") || strings.Contains(notes, "note_0 ") {
		t.Errorf("%d notes:\n%s", n, text)
	}
	for line := range strings.SplitSeq(notes, "\n") {
		if !strings.HasPrefix(line, "- | ## Latest request note_") {
			t.Errorf("%q", line)
		}
	}
}

// A compaction falls behind the end of a piece of work that the agent declared: what it did
// since stands as it was.
//
// SPEC: B28
func TestCompactionFallsBetweenPieces(t *testing.T) {
	shown := func(done bool) bool {
		e := newEngine(t, memory.New(), policyOf(t, "balanced"))
		ms := append(working(0, 24), noting(100, fmt.Sprintf(`{"done":%v,"text":"The first racks are done."}`, done))...)
		piece := len(ms)
		ms = append(ms, working(30, 38)...)
		whole, err := newEngine(t, memory.New(), policyOf(t, "balanced")).Prepare(t.Context(), request("t", ms, 1_000_000))
		if err != nil {
			t.Fatal(err)
		}
		turn, err := e.Prepare(t.Context(), request("t", ms, whole.Original-1))
		if err != nil || turn.Outcome != precis.Compacted {
			t.Fatalf("%v, %v", turn.Outcome, err)
		}
		first := len(ms)
		for i, o := range turn.Origins {
			if o.Record == nil && o.First > 1 && !turn.Messages[i].Edited {
				first = min(first, o.First)
			}
		}
		return first <= piece
	}
	if !shown(true) || shown(false) {
		t.Errorf("the piece in hand stands whole: %v where its beginning was declared, %v where not", shown(true), shown(false))
	}
}

// A policy with boundaries asks earlier whether a compaction pays where a piece of work has
// just ended, and waits where none has.
//
// SPEC: B28
func TestBoundariesMoveTheQuestion(t *testing.T) {
	asked := func(boundary float64, budget int, ms []message.Message) bool {
		p := policyOf(t, "balanced")
		p.Soft, p.Boundary = .8, boundary
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		turn, err := newEngine(t, memory.New(), p).Prepare(t.Context(), request("t", ms, budget))
		if err != nil {
			t.Fatal(err)
		}
		return turn.Economy != nil || turn.Outcome == precis.Compacted
	}
	at := working(0, 30)
	answered := append(append([]message.Message{}, at...), message.TextOf(message.Assistant, "All moved."), message.TextOf(message.User, "Now the databases."))
	size := func(ms []message.Message) int {
		turn, err := newEngine(t, memory.New(), policyOf(t, "balanced")).Prepare(t.Context(), request("t", ms, 1_000_000))
		if err != nil {
			t.Fatal(err)
		}
		return turn.Original
	}
	early, late := size(answered)*100/76, size(at)*100/84 // 0.76 and 0.84 of the budget
	for what, c := range map[string]struct{ got, want bool }{
		"at a boundary, without the setting": {asked(0, early, answered), false},
		"at a boundary":                      {asked(.1, early, answered), true},
		"elsewhere, without the setting":     {asked(0, late, at), true},
		"elsewhere":                          {asked(.1, late, at), false},
		"elsewhere, almost full":             {asked(.1, size(at)*100/95, at), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: asked %v", what, c.got)
		}
	}
}
