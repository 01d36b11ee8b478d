package inspect_test

import (
	"net/http"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/store"
)

// SPEC: B13
// What the timeline says of a request that made a plan is what the engine counted.
func TestTimelineCountsAsTheEngine(t *testing.T) {
	s := shown()
	c := served(t, s, inspect.Options{})
	var line inspect.Timeline
	c.get("threads/t/timeline", &line)
	if line.Steps < 50 || len(line.Columns) != line.Steps {
		t.Fatalf("%d steps in %d columns", line.Steps, len(line.Columns))
	}
	commits := 0
	for _, col := range line.Columns {
		for _, v := range col.Commits {
			commits++
			p, err := s.PlanAt(t.Context(), store.Key{Thread: "t"}, v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := col.Tokens - p.Compacted; diff < -2 || diff > 2 {
				t.Errorf("step %d shows %d tokens, the engine counted %d for plan %d", col.Step, col.Tokens, p.Compacted, v)
			}
		}
		sum := 0
		for _, n := range col.Sent {
			sum += n
		}
		if sum != col.Tokens {
			t.Errorf("step %d: the layers make %d, not %d", col.Step, sum, col.Tokens)
		}
		if col.Budget != 16_000 || col.Trigger == 0 || col.Tokens > col.Budget {
			t.Errorf("step %d: %d tokens, budget %d, trigger %d", col.Step, col.Tokens, col.Budget, col.Trigger)
		}
		if col.Hit == nil || col.USD == nil || *col.Hit > col.All {
			t.Errorf("step %d has no bill, though the model has prices", col.Step)
		}
	}
	if commits != current(t, s, "t") || commits < 2 {
		t.Errorf("%d commits are marked, of %d", commits, current(t, s, "t"))
	}
}

// Many requests are drawn as few columns, and their sums are not lost.
func TestTimelineJoinsSteps(t *testing.T) {
	c := served(t, shown(), inspect.Options{})
	var all, few inspect.Timeline
	c.get("threads/t/timeline", &all)
	c.get("threads/t/timeline?columns=10", &few)
	if len(few.Columns) > 10 || len(few.Columns) < 5 {
		t.Fatalf("%d columns, want about 10", len(few.Columns))
	}
	sum := func(l inspect.Timeline) (tokens, commits int) {
		for _, col := range l.Columns {
			tokens += col.All
			commits += len(col.Commits)
		}
		return tokens, commits
	}
	at, ac := sum(all)
	if ft, fc := sum(few); ft != at || fc != ac {
		t.Errorf("ten columns hold %d tokens and %d commits, all columns %d and %d", ft, fc, at, ac)
	}
	var part inspect.Timeline
	c.get("threads/t/timeline?first=11&last=30", &part)
	if len(part.Columns) != 20 || part.Columns[0].Step != 11 {
		t.Errorf("steps 11 to 30 come as %d columns from step %d", len(part.Columns), part.Columns[0].Step)
	}
}

// Without a known model nothing about money is guessed.
func TestTimelineWithoutPrices(t *testing.T) {
	s := shown()
	c := served(t, s, inspect.Options{Models: unknown})
	var line inspect.Timeline
	c.get("threads/t/timeline", &line)
	var sum inspect.Summary
	c.get("threads/t/summary", &sum)
	if line.Model != "" || line.Columns[3].USD != nil || line.Columns[3].Hit != nil || sum.USD != nil || sum.Model != "" {
		t.Error("a bill is stated for a model that nobody knows")
	}
	if line.Columns[3].Shared == 0 {
		t.Error("that a prompt begins as the one before is known without prices")
	}
}

// What has not changed is not sent twice.
func TestETag(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{})
	first := c.do(c.request(http.MethodGet, "/api/v1/threads/t/timeline", nil))
	again := c.request(http.MethodGet, "/api/v1/threads/t/timeline", nil)
	again.Header.Set("If-None-Match", first.Header.Get("ETag"))
	if got := c.do(again).StatusCode; got != http.StatusNotModified {
		t.Errorf("the same timeline answers %d", got)
	}
	c.act("t", inspect.Action{Action: "undo", Version: current(t, s, "t")})
	if got := c.do(again).StatusCode; got != http.StatusOK {
		t.Errorf("after an undo the timeline answers %d", got)
	}
}
