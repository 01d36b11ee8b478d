package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. What the agent only said it would do is told as of then. A step that it says is done is done; once a
// tool booked, cancelled or sent something, none is told, as that may have been it.
func TestStepsThatTheAgentOnlySaid(t *testing.T) {
	const (
		plan  = "user: Add a cache.\n---\nassistant: Here is my plan:\n1. Add cache.go with an LRU.\n2. Use it in server.go.\n3. Write the tests.\n---\n"
		wrote = `call write {"path":"cache.go","content":"package x"}` + "\n---\nresult: ok\n---\n"
		head  = "## Plan of the agent when it told it; steps may be done since\n- Add cache.go with an LRU. (#2)\n- Use it in server.go. (#2)\n"
	)
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"as it was said", plan, []string{head + "- Write the tests. (#2)"}, []string{"[ ]", "## Current plan"}},
		{"some done", plan + wrote + "assistant: Steps 1 and 2 are done. Next, the tests.", []string{"- [x] Add cache.go", "- [x] Use it in server.go", "- Write the tests."}, nil},
		{"one of them", plan + wrote + "assistant: Step 1 is now complete.", []string{"- [x] Add cache.go", "- Use it in server.go. (#2)"}, nil},
		{"from one to another", plan + wrote + "assistant: Steps 1-2 are finished, and step 3 is not done yet.", []string{"- [x] Add cache.go", "- [x] Use it", "- Write the tests."}, nil},
		{"when it will be", plan + wrote + "assistant: Step 1 is done when the tests pass. Step 2 is complete once server.go builds.", []string{head}, []string{"[x]"}},
		{"none", plan + wrote + "assistant: Step 1 is not done. Is step 2 done? Once step 3 is done, I will commit.", []string{head}, []string{"[x]"}},
		{"no such step", plan + wrote + "assistant: Step 9 is done.", []string{head}, []string{"[x]"}},
		{"in German", "user: Bitte füge einen Cache ein und nimm dafür die Datei.\n---\nassistant: Mein Plan für den Cache ist dieser:\n1. Die Datei cache.go mit dem LRU anlegen.\n2. Sie in server.go verwenden.\n3. Die Tests dazu schreiben.\n---\n" + wrote + "assistant: Die Schritte 1 und 2 sind erledigt, und nun kommen die Tests.", nil, []string{"[ ]", "## Current plan"}},
		{"a file written", plan + wrote, []string{head}, nil},
		{"a booking", plan + "call book_reservation {\"id\":\"K1\"}\n---\nresult: {\"status\": \"booked\"}", nil, []string{"Write the tests"}},
		{"a booking that failed", plan + "call book_reservation {\"id\":\"K1\"}\n---\nresult: Error: no such flight", []string{"Write the tests"}, nil},
		{"a tool's", "user: Go.\n---\ncall TodoWrite {\"todos\":[{\"content\":\"Write docs\",\"status\":\"pending\"}]}\n---\nresult: ok\n---\nassistant: Step 1 is done.", []string{"## Current plan\n- [ ] Write docs (#2)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:2]))), 0, nil), c.want, c.without)
		})
	}
}
