package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// tally holds what became of the runs of a source under a policy and budget. All
// numbers but tokens are runs.
type tally struct {
	Source     string         `json:"source"`
	Policy     string         `json:"policy"`
	Budget     int            `json:"budget"`
	Runs       int            `json:"runs"`
	Compacted  int            `json:"compacted"`
	Impossible int            `json:"impossible"`
	Unjust     int            `json:"unjustified"` // impossible without need
	Invalid    int            `json:"invalid"`     // a body breaks a rule of its provider
	Over       int            `json:"over"`
	Errors     int            `json:"errors"` // failures, exports that differ, wrong counts
	Different  int            `json:"different"`
	Original   int            `json:"original_tokens"` // sum
	Tokens     int            `json:"tokens"`          // sum
	Outcomes   map[string]int `json:"outcomes"`
	Slowest    time.Duration  `json:"slowest_ns"`
	Total      time.Duration  `json:"total_ns"`
	Examples   []string       `json:"examples,omitempty"` // of what went wrong
}

const mostExamples = 5

// tallied sums the results of two passes over the same runs, by source.
func tallied(policy string, budget int, first, second []result) []tally {
	var ts []tally
	for i := range first {
		r := &first[i]
		n := slices.IndexFunc(ts, func(t tally) bool { return t.Source == r.source })
		if n < 0 {
			n = len(ts)
			ts = append(ts, tally{Source: r.source, Policy: policy, Budget: budget, Outcomes: map[string]int{}})
		}
		ts[n].add(r, second[i].bodies != r.bodies || second[i].outcome != r.outcome)
	}
	return ts
}

func (t *tally) add(r *result, different bool) {
	t.Runs++
	t.Outcomes[r.outcome]++
	t.Original += r.original
	t.Tokens += r.tokens
	t.Total += r.took
	t.Slowest = max(t.Slowest, r.took)
	for _, c := range []struct {
		n    *int
		is   bool
		what string
	}{
		{&t.Compacted, r.outcome == "compacted", ""},
		{&t.Impossible, r.outcome == "impossible", ""},
		{&t.Unjust, r.unjust, "impossible without need"},
		{&t.Invalid, len(r.faults) > 0, strings.Join(r.faults[:min(2, len(r.faults))], "; ")},
		{&t.Over, r.over, "over budget"},
		{&t.Errors, len(r.problems) > 0, strings.Join(r.problems, "; ")},
		{&t.Different, different, "two passes differ"},
	} {
		if !c.is {
			continue
		}
		*c.n++
		if c.what != "" && len(t.Examples) < mostExamples {
			t.Examples = append(t.Examples, c.what)
		}
	}
}

// broken reports whether a law was.
func (t tally) broken() bool { return t.Unjust+t.Invalid+t.Over+t.Errors+t.Different > 0 }

func (j *job) print(ts []tally) error {
	if j.json {
		return printJSON(j.out, ts)
	}
	slices.SortStableFunc(ts, func(a, b tally) int { return strings.Compare(a.Source, b.Source) })
	_, err := fmt.Fprintf(j.out, "%-14s %-10s %7s |%5s %9s %10s |%6s %7s %5s %6s %9s |%10s %10s |%8s %8s\n",
		"source", "policy", "budget", "runs", "compacted", "impossible", "unjust", "invalid", "over", "errors", "different",
		"tokens in", "out", "mean ms", "most ms")
	if err != nil {
		return err
	}
	for _, t := range ts {
		_, err := fmt.Fprintf(j.out, "%-14s %-10s %7d |%5d %9d %10d |%6d %7d %5d %6d %9d |%10d %10d |%8.1f %8.1f  %v\n",
			t.Source, t.Policy, t.Budget, t.Runs, t.Compacted, t.Impossible, t.Unjust, t.Invalid, t.Over, t.Errors, t.Different,
			t.Original, t.Tokens, ms(t.Total)/float64(max(t.Runs, 1)), ms(t.Slowest), t.Outcomes)
		if err != nil {
			return err
		}
		for _, e := range t.Examples {
			fmt.Fprintf(j.out, "    %.300s\n", e)
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
