package inspect_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
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

// SPEC: B13
// What a fork has from its parent was sent under the parent's plans: its timeline and its
// prompts show the same, and forks of forks do.
func TestForkShowsTheWayToIt(t *testing.T) {
	s, ms := memory.New(), session().Messages
	t.Cleanup(func() { _ = s.Close() })
	simulateInto(t, s, "t", 16_000, ms[:len(ms)-8])
	edited := append(slices.Clone(ms[:len(ms)-20]), message.TextOf(message.User, "Do something else."), message.TextOf(message.Assistant, "Done."), message.TextOf(message.User, "And now?"))
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: edited, Model: known(t), Budget: 16_000}); err != nil {
		t.Fatal(err)
	}
	c := served(t, s, inspect.Options{})
	var list inspect.Threads
	c.get("threads", &list)
	i := slices.IndexFunc(list.Threads, func(x inspect.Thread) bool { return x.Parent == "t" })
	if i < 0 {
		t.Fatal("there is no fork")
	}
	name := url.PathEscape(list.Threads[i].Thread)
	var line, parent inspect.Timeline
	c.get("threads/"+name+"/timeline", &line)
	c.get("threads/t/timeline", &parent)
	planned := 0
	for i, col := range line.Columns {
		was := parent.Columns[min(i, len(parent.Columns)-1)]
		if col.Messages > len(ms)-20 || col.Messages != was.Messages {
			continue
		}
		if col.Version != was.Version || col.Tokens != was.Tokens || col.Version > 0 && col.Owner != "t" {
			t.Errorf("step %d: plan %d of %q with %d tokens, the parent had plan %d with %d", col.Step, col.Version, col.Owner, col.Tokens, was.Version, was.Tokens)
		}
		if col.Version > 0 {
			planned++
			var page, same inspect.PromptPage
			c.get(fmt.Sprintf("threads/%s/prompt?step=%d", name, col.Step), &page)
			c.get(fmt.Sprintf("threads/t/prompt?step=%d", col.Step), &same)
			if page.Total != same.Total || page.Version != same.Version || page.Owner != "t" {
				t.Errorf("step %d: a prompt of %d messages under plan %d of %q, the parent's had %d", col.Step, page.Total, page.Version, page.Owner, same.Total)
			}
		}
	}
	if last := line.Columns[len(line.Columns)-1]; planned < 3 || last.Owner != "" || last.Version == 0 {
		t.Errorf("%d steps under the parent's plans; the last one under plan %d of %q", planned, last.Version, last.Owner)
	}
}
