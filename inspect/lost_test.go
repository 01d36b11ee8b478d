package inspect_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/internal/testplans"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// Against the log, the inspector tells of a compaction what its report told.
//
// SPEC: B12
func TestLostIsThatOfTheReport(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: session().Messages, Model: known(t), Budget: 8_000, Client: precis.Client{Source: "anthropic"}})
	if err != nil {
		t.Fatal(err)
	}
	c := served(t, s, inspect.Options{})
	var got inspect.Lost
	c.get(fmt.Sprintf("threads/t/plans/%d/lost?since=0", turn.Version()), &got)
	want := report.Of(turn).Lost
	if len(want) < 2 || len(got.Kinds) != len(want) || got.Version != turn.Version() {
		t.Fatalf("%+v, want those of %+v", got, want)
	}
	for i, k := range got.Kinds {
		var names []string
		for _, x := range k.Names {
			names = append(names, fmt.Sprintf("%s (#%d)", x.Text, x.Message))
		}
		if l := want[i]; k.Kind != l.Kind || k.Lost != l.Lost || k.Of != l.Of || !slices.Equal(names, l.Examples) {
			t.Errorf("%+v, want %+v", k, l)
		}
	}
}

// lossy is a store with two plans: the first drops the message #2, the second the message #4, too, which
// names what #2 names, what #5 repeats, and what nothing else names, and runs a long command.
func lossy(t *testing.T) store.Store {
	t.Helper()
	var ms []message.Message
	for i, text := range []string{"Go.", "src/first.go src/both.go", "on", "src/both.go src/second.go src/kept.go", "src/kept.go", "done"} {
		ms = append(ms, message.TextOf([]message.Role{message.User, message.Assistant}[i%2], text))
	}
	ms[3].Parts = append(ms[3].Parts, message.Part{Kind: message.Call, CallID: "1", Name: "bash", Args: `{"command":"echo ` + strings.Repeat("word ", 500) + `"}`})
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() }) // it holds nothing outside of memory
	testplans.Dropping(t, s, store.Key{Thread: "t"}, ms, 1, 3)
	return s
}

// A version is charged with what stood under the one before it, or another that is named, and no longer
// stands. What is shown of a value is bounded.
//
// SPEC: B12
func TestLostSince(t *testing.T) {
	c := served(t, lossy(t), inspect.Options{})
	for path, want := range map[string]string{
		"plans/0/lost":         "0 since 0:",
		"plans/1/lost":         "1 since 0: path 1 of 4: #2 src/first.go",
		"plans/2/lost":         "2 since 1: path 2 of 3: #2 src/both.go #4 src/second.go command 1 of 1: #4 echo word",
		"plans/2/lost?since=0": "2 since 0: path 3 of 4: #2 src/both.go #2 src/first.go #4 src/second.go command 1 of 1: #4 echo word",
		"plans/2/lost?since=9": "2 since 1: path 2 of 3: #2 src/both.go #4 src/second.go command 1 of 1: #4 echo word",
	} {
		var lost inspect.Lost
		c.get("threads/t/"+path, &lost)
		got := fmt.Sprintf("%d since %d:", lost.Version, lost.Since)
		for _, k := range lost.Kinds {
			got += fmt.Sprintf(" %s %d of %d:", k.Kind, k.Lost, k.Of)
			for _, x := range k.Names {
				got += fmt.Sprintf(" #%d %s", x.Message, x.Text)
				if len(x.Text) > 300 {
					t.Errorf("%s: a name of %d bytes", path, len(x.Text))
				}
			}
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]int{"plans/3/lost": http.StatusNotFound, "plans/2/lost?since=-1": http.StatusBadRequest, "plans/2/lost?since=x": http.StatusBadRequest} {
		if got := c.do(c.request(http.MethodGet, "/api/v1/threads/t/"+path, nil)).StatusCode; got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
}

// What was erased is named no more, under no version.
func TestErasedIsNotAmongTheLost(t *testing.T) {
	s := lossy(t)
	c := served(t, s, inspect.Options{})
	c.act("t", inspect.Action{Action: "erase", Message: 4, Version: current(t, s, "t"), Confirm: "erase #4", Reason: "a password"})
	for v := range current(t, s, "t") + 1 {
		text := body(t, c.do(c.request(http.MethodGet, fmt.Sprintf("/api/v1/threads/t/plans/%d/lost?since=0", v), nil)))
		if strings.Contains(text, "second.go") || strings.Contains(text, "echo") || v > 0 != strings.Contains(text, "src/first.go") {
			t.Errorf("plan %d: %s", v, text)
		}
	}
}
