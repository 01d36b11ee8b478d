package inspect_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/store"
)

// SPEC: B13
// Every action says its cost without doing anything, does what it said, and an undo
// takes it back.
func TestActions(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{})
	var p inspect.Plan
	c.get("threads/t/plans/"+strconv.Itoa(current(t, s, "t")), &p)
	var covered int
	record := ""
	for _, r := range p.Records {
		if r.State == inspect.Summarized {
			record, covered = r.ID, (r.First+r.Last)/2
		}
	}
	if record == "" {
		t.Fatal("the plan summarizes nothing")
	}
	var line inspect.Timeline
	c.get("threads/t/timeline", &line)
	for _, a := range []inspect.Action{
		{Action: "return", Message: covered},
		{Action: "pin", Message: covered + 3},
		{Action: "unpin", Message: covered + 3},
		{Action: "hold", Message: covered + 4},
		{Action: "release", Message: covered + 4},
		{Action: "undo"},
		{Action: "restore", Restore: p.Version.Version},
		{Action: "expand", Record: record},
		{Action: "restore", Restore: 0},
		{Action: "compact"},
	} {
		version := current(t, s, "t")
		a.Version, a.Preview = version, true
		said := c.act("t", a)
		if got := current(t, s, "t"); got != version {
			t.Fatalf("the preview of %s made plan %d", a.Action, got)
		}
		a.Preview = false
		done := c.act("t", a)
		if got := current(t, s, "t"); got != version+1 || done.Version != got {
			t.Fatalf("%s: plan %d after %d, the answer says %d", a.Action, got, version, done.Version)
		}
		if *said.Cost.Share != *done.Cost.Share || said.Cost.After != done.Cost.After {
			t.Errorf("%s: previewed as %+v, done as %+v", a.Action, said.Cost, done.Cost)
		}
		var sum inspect.Summary
		c.get("threads/t/summary", &sum)
		if diff := sum.Tokens - said.Cost.After; diff < -3 || diff > 3 {
			t.Errorf("%s: %d tokens were promised, %d came", a.Action, said.Cost.After, sum.Tokens)
		}
	}
}

// Compacting above a message leaves it and all that follow alone.
func TestCompactAboveHere(t *testing.T) {
	s := simulated(t, "t", 900_000) // nothing had to go
	c := served(t, s, inspect.Options{})
	const here = 80
	c.act("t", inspect.Action{Action: "compact", Message: here, Version: current(t, s, "t")})
	var log inspect.Messages
	c.get("threads/t/messages", &log)
	above := 0
	for _, m := range log.Messages {
		if m.Number >= here && m.State != inspect.Whole {
			t.Errorf("#%d is %s, though it is below #%d", m.Number, m.State, here)
		}
		if m.Number < here && m.State != inspect.Whole {
			above++
		}
	}
	if above < here/2 {
		t.Errorf("only %d messages above #%d were compacted", above, here)
	}
}

// A page that shows an older plan is told, and nothing is overwritten.
func TestStalePageChangesNothing(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{})
	seen := current(t, s, "t")
	c.act("t", inspect.Action{Action: "undo", Version: seen})
	for _, a := range []inspect.Action{{Action: "undo"}, {Action: "compact"}, {Action: "pin", Message: 3}, {Action: "erase", Message: 3, Confirm: "erase #3", Reason: "x"}} {
		a.Version = seen
		contains(t, c.refused("t", http.StatusConflict, a), "stale: This page shows plan "+strconv.Itoa(seen))
	}
	if got := current(t, s, "t"); got != seen+1 {
		t.Errorf("plan %d is in force, want %d", got, seen+1)
	}
}

// Two pages that act at once: one does, the other is told.
func TestTwoPagesRace(t *testing.T) {
	s := simulated(t, "t", 16_000)
	a, b := served(t, s, inspect.Options{}), served(t, s, inspect.Options{})
	seen := current(t, s, "t")
	codes := make(chan int, 2)
	for i, c := range []*client{a, b} {
		go func() {
			codes <- c.post("threads/t/actions", inspect.Action{Action: "pin", Message: 5 + i, Version: seen}).StatusCode
		}()
	}
	got := []int{<-codes, <-codes}
	slices.Sort(got)
	if !slices.Equal(got, []int{http.StatusOK, http.StatusConflict}) || current(t, s, "t") != seen+1 {
		t.Errorf("answers %v, plan %d after %d", got, current(t, s, "t"), seen)
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{ReadOnly: true})
	v := current(t, s, "t")
	for _, a := range []inspect.Action{{Action: "undo"}, {Action: "rename", Title: "x"}, {Action: "erase", Message: 1, Confirm: "erase #1", Reason: "x"}} {
		a.Version = v
		contains(t, c.refused("t", http.StatusForbidden, a), "read_only")
	}
	if c.act("t", inspect.Action{Action: "undo", Version: v, Preview: true}).Cost == nil || current(t, s, "t") != v {
		t.Error("a preview is possible, and changes nothing")
	}
}

// Erasing takes the words themselves, typed. The version that it makes is no compaction.
func TestEraseTakesTypedWords(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{By: "ann"})
	a := inspect.Action{Action: "erase", Message: 12, Version: current(t, s, "t"), Reason: "a password"}
	for _, typed := range []string{"", "yes", "erase #11", "erase"} {
		a.Confirm = typed
		contains(t, c.refused("t", http.StatusBadRequest, a), "erase #12")
	}
	a.Confirm = "erase #12"
	var before, after inspect.Summary
	c.get("threads/t/summary", &before)
	c.act("t", a)
	if c.get("threads/t/summary", &after); after.Version == before.Version || after.Compactions != before.Compactions {
		t.Errorf("%d compactions at plan %d, before %d at plan %d", after.Compactions, after.Version, before.Compactions, before.Version)
	}
	var one inspect.Message
	c.get("threads/t/messages/12", &one)
	if !one.Erased {
		t.Error("#12 is still there")
	}
	contains(t, one.Text, "a password")
	contains(t, one.Text, "ann")
}

// A name is the inspector's own, and goes into no thread.
func TestRename(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{})
	for _, name := range []string{"The <b>parser</b> job", "", "Second"} {
		c.act("t", inspect.Action{Action: "rename", Title: name})
		var all inspect.Threads
		c.get("threads", &all)
		if len(all.Threads) != 1 || all.Threads[0].Title != name {
			t.Errorf("renamed to %q: %+v", name, all.Threads)
		}
	}
	heads, err := s.Heads(t.Context(), "")
	if err != nil || len(heads) != 1 || heads[0].Key != (store.Key{Thread: "t"}) {
		t.Errorf("threads %v, %v", heads, err)
	}
}
