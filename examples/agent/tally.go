package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
)

// tally counts the cost of a run. Tokens are as the provider reports them.
type tally struct {
	compactions int
	recalls     int // calls that looked something up
	requests    int // answered
	sent        int // tokens of all prompts
	largest     int // prompt, in tokens
	retries     int // after a prompt was refused as too long
	cuts        int // answers that were cut short
}

// take counts an answer, and how its prompt came to be.
func (t *tally) take(r *codec.Reply, turn *precis.Turn) {
	if turn != nil && turn.Outcome == precis.Compacted {
		t.compactions++
	}
	t.requests++
	t.sent += r.Usage.Input
	t.largest = max(t.largest, r.Usage.Input)
	if r.Stop.Truncated() {
		t.cuts++
	}
}

func (t tally) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s "+format+"\n", append([]any{name}, args...)...)
	}
	line("compactions", "%d", t.compactions)
	line("recalls", "%d", t.recalls)
	line("sent", "%s tokens in %d requests, the largest %s", grouped(t.sent), t.requests, grouped(t.largest))
	line("overflow", "retries: %d, answers cut short: %d", t.retries, t.cuts)
	return b.String()
}

// grouped writes a count as people read it: 639,735.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
