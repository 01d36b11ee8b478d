package precis

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Report is what a compaction did, for people.
type Report struct {
	Outcome   Outcome `json:"outcome"`
	Policy    string  `json:"policy"`
	Original  int     `json:"original_tokens"`
	Compacted int     `json:"compacted_tokens"`
	Budget    int     `json:"budget_tokens"`
	Messages  int     `json:"messages"`       // in the log
	Sent      int     `json:"sent"`           // in the prompt
	Whole     int     `json:"whole_messages"` // sent exactly as they came
	Counter   string  `json:"counter"`        // name of the counter
	Exact     bool    `json:"exact"`          // false: the counts carry a margin
	// Actions are totals by action, most tokens freed first.
	Actions []ActionTotal `json:"actions"`
	// Records are the plan's records in thread order.
	Records []RecordLine `json:"records"`
	// Largest are the biggest messages of the log.
	Largest []LargeMessage `json:"largest"`
	// Lost are values that no longer stand in the prompt (SPEC B12), by kind.
	Lost []Loss `json:"lost"`
	// Economy is what a compaction was reckoned to cost and save: of this turn, or
	// where none was considered, of the plan in force; nil where nobody asked.
	Economy *plan.Economy `json:"economy,omitempty"`
	// Forced counts messages given back by an undo that the budget took again.
	Forced int `json:"forced,omitempty"`
	// Failures are strategies that could not do their part.
	Failures []string `json:"failures,omitempty"`
}

// ActionTotal sums the records of one action.
type ActionTotal struct {
	Action  string `json:"action"`
	Records int    `json:"records"`
	Saves   int    `json:"saves_tokens"`
}

// RecordLine is one record of the plan.
type RecordLine struct {
	ID        string `json:"id"`
	Action    string `json:"action"`
	From      int    `json:"from"` // message number, counted from 1
	To        int    `json:"to"`
	FirstTurn int    `json:"first_turn"`
	LastTurn  int    `json:"last_turn"`
	Saves     int    `json:"saves_tokens"`
	Reason    string `json:"reason"`
	Artifact  string `json:"artifact,omitempty"`
}

// LargeMessage is a big message.
type LargeMessage struct {
	Number int    `json:"number"` // counted from 1
	ID     string `json:"id"`
	Role   string `json:"role"`
	Tokens int    `json:"tokens"`
	Now    string `json:"now"` // what stands in the prompt: whole, edited, or an action
}

// Loss counts the distinct values of a kind that left the prompt.
type Loss struct {
	Kind     string   `json:"kind"`
	Lost     int      `json:"lost"`
	Of       int      `json:"of"`
	Examples []string `json:"examples"` // the most mentioned first, with their message
}

// examples is how many of each kind a report names.
const examples = 8

// Report describes the turn.
func (t *Turn) Report() Report {
	r := Report{
		Outcome: t.Outcome, Original: t.Original, Compacted: t.Compacted, Budget: t.Budget,
		Messages: t.Thread.Len(), Sent: len(t.Messages), Counter: t.meter.Counter.Name(), Exact: t.meter.Exact(),
		Largest: t.largest(), Lost: t.lost(), Forced: t.Forced, Economy: t.Economy,
	}
	for _, m := range t.Messages {
		if !m.Edited {
			r.Whole++
		}
	}
	if t.Plan != nil {
		r.Policy = t.Plan.Policy
		r.Economy = cmp.Or(r.Economy, t.Plan.Economy)
		r.Records = t.records()
		r.Actions = totals(t.Plan.Records)
	}
	for _, err := range t.Failures {
		r.Failures = append(r.Failures, err.Error())
	}
	return r
}

func label(r *plan.Record) string {
	if r.Action == plan.Replace {
		return string(r.Kind)
	}
	return string(r.Action)
}

func totals(records []plan.Record) []ActionTotal {
	sums := map[string]*ActionTotal{}
	for i := range records {
		l := label(&records[i])
		if sums[l] == nil {
			sums[l] = &ActionTotal{Action: l}
		}
		sums[l].Records++
		sums[l].Saves += records[i].Saves
	}
	out := make([]ActionTotal, 0, len(sums))
	for _, a := range sums {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b ActionTotal) int {
		return cmp.Or(cmp.Compare(b.Saves, a.Saves), cmp.Compare(a.Action, b.Action))
	})
	return out
}

func (t *Turn) records() []RecordLine {
	out := make([]RecordLine, 0, len(t.Plan.Records))
	for i := range t.Plan.Records {
		r := &t.Plan.Records[i]
		from, _ := t.Thread.Find(r.Span.Start())
		to, _ := t.Thread.Find(r.Span.End())
		out = append(out, RecordLine{
			ID: r.ID, Action: label(r), From: from + 1, To: to + 1, FirstTurn: r.Span.FirstTurn, LastTurn: r.Span.LastTurn,
			Saves: r.Saves, Reason: r.Reason, Artifact: r.Artifact,
		})
	}
	return out
}

func (t *Turn) largest() []LargeMessage {
	all := make([]LargeMessage, 0, t.Thread.Len())
	for i := range t.Thread.Len() {
		e := t.Thread.At(i)
		all = append(all, LargeMessage{Number: i + 1, ID: string(e.ID), Role: speaker(e.Message), Tokens: e.Tokens, Now: t.state(i)})
	}
	slices.SortStableFunc(all, func(a, b LargeMessage) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return all[:min(len(all), 5)]
}

// speaker is the role people expect: a message of results only is the tool's,
// whatever the provider files it under.
func speaker(m message.Message) string {
	if m.Has(message.Result) && !thread.Speaks(m) {
		return string(message.Tool)
	}
	return string(m.Role)
}

func (t *Turn) state(i int) string {
	id := t.Thread.At(i).ID
	switch {
	case t.Plan == nil || !t.Plan.Touches(id):
		return "whole"
	case t.Plan.Whole(id) != nil:
		return label(t.Plan.Whole(id))
	}
	return "edited"
}

// lost compares the values of the log with those of the prompt.
func (t *Turn) lost() []Loss {
	if t.Plan == nil || len(t.Plan.Records) == 0 {
		return nil
	}
	stands := map[string]bool{}
	for i := range t.Messages {
		scan(t.Messages[i], func(_ identifier.Kind, v string) { stand(stands, v) })
	}
	logged := map[string]*mention{}
	for i := range t.Thread.Len() {
		scan(t.Thread.At(i).Message, func(k identifier.Kind, v string) {
			if logged[v] == nil {
				logged[v] = &mention{kind: k, value: v, first: i}
			}
			logged[v].times++
		})
	}
	return losses(logged, stands)
}

// stand marks a value, and what a longer one holds at its slashes: the folders
// of a path and its file.
func stand(stands map[string]bool, v string) {
	if stands[v] {
		return
	}
	stands[v] = true
	for i := range len(v) {
		if v[i] == '/' {
			stands[v[:i]], stands[v[i:]], stands[v[i+1:]] = true, true, true
		}
	}
}

type mention struct {
	kind         identifier.Kind
	value        string
	first, times int
}

func scan(m message.Message, f func(identifier.Kind, string)) {
	for i := range m.Parts {
		text := m.Parts[i].Body()
		identifier.Scan(text, func(k identifier.Kind, a, b int) { f(k, text[a:b]) })
	}
}
