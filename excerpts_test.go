package precis_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// surveying are rounds that find values which later rounds may need, and change a file now and then.
func surveying(rounds int) (ms []message.Message) {
	ms = append(ms, message.TextOf(message.User, "Survey the racks and write each one down in survey.md."))
	for n := range rounds {
		command := fmt.Sprintf("scan rack_%d", n)
		switch n % 8 {
		case 3:
			command = fmt.Sprintf("cat racks/rack_%d.yaml", n/8)
		case 7:
			command = fmt.Sprintf("sed -i s/port_%d/port_%d/ racks/rack_%d.yaml", n, n+1, n/8)
		}
		var found strings.Builder
		for k := range 9 {
			fmt.Fprintf(&found, "unit_%d_%d: serial %d, port_%d\n", n, k, 7919*n+31*k, 4000+n*k)
		}
		ms = append(ms, round(n, "bash", fmt.Sprintf(`{"command":%q}`, command), fmt.Sprintf("Rack %d has a unit with serial %d, which I note.", n, 7919*n+31), found.String())...)
	}
	return ms
}

// A compaction leaves the lines that the last summary quotes as they stand where the provider's cache
// holds the beginning of the prompt, until they leave too little room for what is new. The state is
// written anew each time.
//
// SPEC: V4, V6, B21
func TestExcerptsStand(t *testing.T) {
	claude, _ := model.Lookup("claude-sonnet-4-5")
	for _, c := range []struct {
		name   string
		model  model.Model
		client precis.Client
		stand  bool
	}{
		{"a cache that works by itself", model.Model{}, precis.Client{Idle: time.Second}, true},
		{"a cache that is told", claude, precis.Client{Idle: time.Second, CachePoints: true}, true},
		{"a cache that nobody tells", claude, precis.Client{Idle: time.Second}, false},
		{"a cold cache", model.Model{}, precis.Client{Idle: time.Hour}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t, memory.New(), policyOf(t, "balanced"))
			var beginning []message.Message
			stood, anew := 0, 0
			ms := surveying(220)
			for n := 3; n <= len(ms); n += 2 {
				in := request("t", ms[:n], 3000)
				in.Model, in.Client = c.model, c.client
				turn := prepared(t, e, in)
				if turn.Compacted > in.Budget {
					t.Fatalf("%d messages: %d tokens", n, turn.Compacted)
				}
				if turn.Outcome != precis.Compacted {
					continue
				}
				if strings.Count(said(turn), "[Summary v") != 1 || turn.Lasting() == 0 {
					t.Fatalf("%d excerpts and not one state in\n%s", turn.Lasting(), said(turn))
				}
				if len(beginning) > 0 && len(turn.Messages) > len(beginning) && reflect.DeepEqual(turn.Messages[:len(beginning)], beginning) {
					stood++
				} else {
					anew++
				}
				beginning = turn.Messages[:turn.Lasting()]
			}
			if (stood > 1) != c.stand || anew < 2 {
				t.Errorf("excerpts stood at %d compactions, and not at %d", stood, anew)
			}
		})
	}
}

// What an excerpt quotes of a file that changed since is named below it: the excerpt stays as it was.
//
// SPEC: B21, V6
func TestExcerptsOfChangedFiles(t *testing.T) {
	e := newEngine(t, memory.New(), policyOf(t, "balanced"))
	ms := surveying(220)
	named := 0
	for n := 3; n <= len(ms); n += 2 {
		in := request("t", ms[:n], 3000)
		in.Client.Idle = time.Second
		turn := prepared(t, e, in)
		lasting := turn.Lasting()
		if turn.Outcome != precis.Compacted || lasting == 0 {
			continue
		}
		state := turn.Messages[lasting].Parts[0].Text
		for line := range strings.SplitSeq(state, "\n") {
			list, ok := strings.CutPrefix(line, "Of the lines above, those of files that changed since: ")
			for item := range strings.SplitSeq(list, ", ") {
				if !ok {
					continue
				}
				item, _, _ = strings.Cut(item, " (racks/rack_")
				named++
				above, _, _ := strings.Cut(said(turn), line)
				var number int
				if _, err := fmt.Sscanf(item, "#%d", &number); err != nil || (number-3)/2%8 != 3 || !strings.Contains(above, "\n"+item+" tool") {
					t.Errorf("%q names no lines of a file above it:\n%s", line, above)
				}
			}
		}
	}
	if named == 0 {
		t.Error("no compaction names lines of files that changed since")
	}
}

// Under a small budget no excerpt stands in the room of the state: what the user asked for, and what was
// done, is told at every compaction.
//
// SPEC: V4, B21
func TestExcerptsLeaveRoomForTheState(t *testing.T) {
	for _, budget := range []int{600, 800, 1200} {
		e := newEngine(t, memory.New(), policyOf(t, "balanced"))
		ms := surveying(60)
		compactions, told := 0, 0
		for n := 3; n <= len(ms); n += 2 {
			in := request("t", ms[:n], budget)
			in.Client.Idle = time.Second
			turn := prepared(t, e, in)
			if turn.Outcome != precis.Compacted {
				continue
			}
			compactions++
			for _, r := range turn.Plan.Records {
				if r.Action == plan.Summarize && strings.Contains(r.Text, "## ") {
					told++
				}
			}
		}
		if compactions < 5 || told < compactions-2 { // where what is new takes all there is
			t.Errorf("budget %d: of %d summaries, %d tell anything", budget, compactions, told)
		}
	}
}

// What is erased leaves the excerpts of every version of a plan, and none that is made later has it.
//
// SPEC: V1, V10
func TestErasureReachesExcerpts(t *testing.T) {
	st := memory.New()
	e := newEngine(t, st, policyOf(t, "balanced"))
	ms := surveying(160)
	k, erased := store.Key{Thread: "t"}, ""
	for n := 3; n <= len(ms); n += 2 {
		in := request("t", ms[:n], 3000)
		in.Client.Idle = time.Second
		turn := prepared(t, e, in)
		if turn.Outcome != precis.Compacted {
			continue
		}
		if erased == "" && turn.Plan.Version == 3 {
			number, line := quotedResult(t, turn.Messages[1].Parts[0].Text)
			if erased = line; !inPlans(t, st, k, line) {
				t.Fatalf("no plan of the store quotes %q", line)
			}
			if err := e.Erase(t.Context(), "t", idOf(ms, number-1), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
				t.Fatal(err)
			}
		} else if erased != "" && strings.Contains(said(turn), erased) {
			t.Fatalf("%q is back:\n%s", erased, said(turn))
		}
		if erased != "" && inPlans(t, st, k, erased) {
			t.Fatalf("a plan quotes %q", erased)
		}
	}
	if erased == "" {
		t.Error("nothing was erased")
	}
}

// quotedResult returns the number and a line of a result that an excerpt quotes.
func quotedResult(t *testing.T, excerpt string) (number int, line string) {
	t.Helper()
	for l := range strings.SplitSeq(excerpt, "\n") {
		if head, text, ok := strings.Cut(l, " tool: "); ok && strings.HasPrefix(text, "unit_") {
			if _, err := fmt.Sscanf(head, "#%d", &number); err == nil {
				return number, text
			}
		}
	}
	t.Fatalf("no result in\n%s", excerpt)
	return 0, ""
}

// A message that a summary covered last and that came back, pinned or expanded, leaves the excerpts of
// that summary, too, when it is erased.
//
// SPEC: V1, V10
func TestErasureReachesWhatCameBack(t *testing.T) {
	for _, how := range []string{"pinned", "expanded"} {
		st := memory.New()
		e := newEngine(t, st, policyOf(t, "balanced"))
		ms := surveying(60)
		done := false
		for n := 3; n <= len(ms) && !done; n += 2 {
			in := request("t", ms[:n], 3000)
			turn := prepared(t, e, in)
			at, line := lastQuoted(turn)
			if line == "" {
				continue
			}
			done = true
			if how == "pinned" {
				in.Pins = []plan.Ref{{ID: idOf(ms, at)}, {ID: idOf(ms, at-1)}}
				prepared(t, e, in)
			} else if _, err := e.ExpandMessage(t.Context(), "t", idOf(ms, at)); err != nil {
				t.Fatal(err)
			}
			if !inPlans(t, st, store.Key{Thread: "t"}, line) {
				t.Fatalf("%s: no plan quotes %q", how, line)
			}
			if err := e.Erase(t.Context(), "t", idOf(ms, at), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
				t.Fatal(err)
			}
			if inPlans(t, st, store.Key{Thread: "t"}, line) {
				t.Errorf("%s: a plan quotes %q", how, line)
			}
		}
		if !done {
			t.Errorf("%s: no summary quotes the last message that it covers", how)
		}
	}
}

// lastQuoted returns the position of the last message that a turn's summary covers and a line of it that
// the excerpts quote, "" for none.
func lastQuoted(turn *precis.Turn) (at int, line string) {
	if turn.Plan == nil || turn.Outcome != precis.Compacted {
		return 0, ""
	}
	for _, r := range turn.Plan.Records {
		if r.Action != plan.Summarize {
			continue
		}
		at, _ = turn.Thread.Find(r.Span.End())
		for l := range strings.SplitSeq(turn.Thread.At(at).Message.Parts[0].Body(), "\n") {
			if len(l) > 12 && strings.Contains(strings.Join(r.Excerpts, "\n"), l) {
				line = l
			}
		}
	}
	return at, line
}

// However a conversation goes on while excerpts stand, pinned, expanded, undone, forced, rewound to another
// branch or near its end, every prompt fits, begins as the plan says, and says each thing once.
//
// SPEC: V2, V4, B21
func TestExcerptsUnderAnyUse(t *testing.T) {
	stood := 0
	rapid.Check(t, func(rt *rapid.T) {
		e := newEngine(rt, memory.New(), policyOf(t, "balanced"))
		budget := rapid.IntRange(900, 4000).Draw(rt, "budget")
		ms := surveying(60)
		for n := 3; n < len(ms); {
			in := request("t", ms[:n], budget)
			in.Client.Idle = time.Second
			in.Mode.Force = rapid.IntRange(0, 19).Draw(rt, "force") == 0
			in.Mode.FinalTurn = rapid.IntRange(0, 19).Draw(rt, "final") == 0
			turn, err := e.Prepare(t.Context(), in)
			if err != nil {
				rt.Fatal(err)
			}
			stood += checkStanding(rt, turn, budget)
			at := rapid.IntRange(1, n-1).Draw(rt, "at")
			switch rapid.IntRange(0, 30).Draw(rt, "use") {
			case 0:
				_, err = e.Pin(t.Context(), "t", plan.Ref{ID: idOf(ms[:n], at)})
			case 1:
				_, err = e.ExpandMessage(t.Context(), "t", idOf(ms[:n], at))
			case 2:
				_, err = e.Undo(t.Context(), "t")
			case 3:
				ms = slices.Clone(ms)
				ms[at-at%2] = message.TextOf(message.User, fmt.Sprint("In the place of message ", at))
				n = max(3, at-at%2+1)
			}
			if err != nil && !errors.Is(err, precis.ErrNoRecord) && !errors.Is(err, precis.ErrNoUndo) {
				rt.Fatal(err)
			}
			n += 2 * rapid.IntRange(1, 8).Draw(rt, "rounds")
		}
	})
	if stood == 0 {
		t.Error("no excerpts stood")
	}
}

// checkStanding returns how many excerpts a turn's summaries have beside their newest.
func checkStanding(rt *rapid.T, turn *precis.Turn, budget int) (stood int) {
	if turn.Compacted > budget {
		rt.Fatalf("%d of %d tokens", turn.Compacted, budget)
	}
	if turn.Plan == nil {
		return 0
	}
	seen := map[string]bool{}
	for _, r := range turn.Plan.Records {
		stood += max(len(r.Excerpts)-1, 0)
		for _, x := range r.Excerpts {
			if seen[x] {
				rt.Fatalf("an excerpt stands twice:\n%s", x)
			}
			seen[x] = true
		}
	}
	if n := turn.Lasting(); n > 0 && !seen[strings.TrimPrefix(turn.Messages[n-1].Parts[0].Text, render.ExcerptHead)] {
		rt.Fatalf("message %d is no excerpt", n)
	}
	return stood
}

// A state tells as much of what is not done twice where excerpts stand above it as where all lines are
// chosen anew.
//
// SPEC: B21, V6
func TestExcerptsLeaveRoomForWhatWasDone(t *testing.T) {
	told := func(again float64) (share float64) {
		p := policyOf(t, "balanced")
		p.LowAgain = again
		e := newEngine(t, memory.New(), p)
		ms := []message.Message{message.TextOf(message.User, "Book a seat for every guest.")}
		n := 0
		for k := range 160 {
			booked := fmt.Sprintf("book_seat_%d", k)
			ms = append(ms, round(k, "book_seat", fmt.Sprintf(`{"guest":"guest_%d","row":%d}`, k, k*7), "Next guest.", fmt.Sprintf(`{"booked":%q,"status":"confirmed","notes":%q}`, booked, strings.Repeat("a seat by the window ", 12)))...)
			in := request("t", ms, 4000)
			in.Client.Idle = time.Second
			turn := prepared(t, e, in)
			if turn.Outcome != precis.Compacted {
				continue
			}
			n++
			for i := range turn.Messages {
				_, state, _ := strings.Cut(turn.Messages[i].Parts[0].Text, "[Summary v")
				share += float64(strings.Count(state, "guest_")) / float64(k)
			}
		}
		return share / float64(n)
	}
	if anew, standing := told(0), told(.8); anew == 0 || standing < .9*anew {
		t.Errorf("of what was done states tell %.2f, and %.2f below excerpts that stand", anew, standing)
	}
}
