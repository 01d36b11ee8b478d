// Package report says what preparing a prompt did: what left it, why, what that costs
// and how to get it back.
//
// Use: Of a turn, once; the Report is JSON for programs, its Text is for people. Law:
// it reads the turn's log, plan and prompt, and changes nothing. Promise: every number
// has its unit, and every command in the text runs as it is printed.
package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
)

// Report describes a turn. Sizes are in tokens of the counter it names.
type Report struct {
	Outcome   precis.Outcome `json:"outcome"`
	Policy    string         `json:"policy"`
	Original  int            `json:"original_tokens"`
	Compacted int            `json:"compacted_tokens"`
	Budget    int            `json:"budget_tokens"`
	Messages  int            `json:"messages"`       // in the log
	Sent      int            `json:"sent"`           // in the prompt
	Whole     int            `json:"whole_messages"` // sent exactly as they came
	Counter   string         `json:"counter"`        // name of the counter
	Exact     bool           `json:"exact"`          // false: the counts carry a margin
	// Actions are totals by action, most tokens freed first.
	Actions []Action `json:"actions"`
	// Records are the plan's records in thread order.
	Records []Record `json:"records"`
	// Largest are the five biggest messages of the log.
	Largest []Large `json:"largest"`
	// Lost counts, by kind, the values that no longer stand in the prompt.
	Lost []Loss `json:"lost"`
	// Economy holds the estimated cost and savings of a compaction: of this turn, or
	// where none was considered, of the plan in force; nil where nobody asked.
	Economy *plan.Economy `json:"economy,omitempty"`
	// Uncommitted says that no plan was kept, as the log holds a longer conversation:
	// its records cannot be undone.
	Uncommitted bool `json:"uncommitted,omitempty"`
	// Outgrew is the smaller budget of the plan before, where planning started anew.
	Outgrew int `json:"outgrew,omitempty"`
	// Forced counts messages given back by an undo that the budget took again.
	Forced int `json:"forced,omitempty"`
	// Failures are strategies that could not do their part.
	Failures []string `json:"failures,omitempty"`

	thread   string
	version  int // of the plan, 0 for none
	messages []drawn
}

// Action sums the records of one action.
type Action struct {
	Action  string `json:"action"`
	Records int    `json:"records"`
	Saves   int    `json:"saves_tokens"`
}

// Record is one record of the plan.
type Record struct {
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

// Large is a big message.
type Large struct {
	Number int    `json:"number"` // counted from 1
	ID     string `json:"id"`
	Role   string `json:"role"`
	Tokens int    `json:"tokens"`
	Now    string `json:"now"` // what stands in the prompt: whole, edited, or an action

	tool    string   // whose result it is
	records []string // ids of the records over it
}

// Of describes a turn.
func Of(t *precis.Turn) *Report {
	r := &Report{
		Outcome: t.Outcome, Original: t.Original, Compacted: t.Compacted, Budget: t.Budget,
		Sent: len(t.Messages), Forced: t.Forced, Economy: t.Economy, Uncommitted: t.Uncommitted, Outgrew: t.Outgrew, thread: t.Key.Thread,
	}
	if t.Thread != nil { // else the log could not be read
		r.Messages, r.Largest, r.Lost, r.messages = t.Thread.Len(), largest(t), lost(t), coverage(t)
	}
	r.Counter, r.Exact = t.Counter()
	for _, m := range t.Messages {
		if !m.Edited {
			r.Whole++
		}
	}
	if t.Plan != nil {
		r.Policy, r.version = t.Plan.Policy, t.Version()
		r.Records = records(t)
		if t.PlannedAlike() {
			r.Economy = cmp.Or(r.Economy, t.Plan.Economy)
		} else {
			r.recount()
		}
		r.Actions = totals(r.Records)
	}
	for _, err := range t.Failures {
		r.Failures = append(r.Failures, err.Error())
	}
	return r
}

// recount gives the records what they free as the turn was counted: the plan was counted
// for another model. They share what all of them free as their plan says.
func (r *Report) recount() {
	sum := 0
	for i := range r.Records {
		sum += r.Records[i].Saves
	}
	if sum <= 0 {
		return
	}
	share := float64(r.Original-r.Compacted) / float64(sum)
	for i := range r.Records {
		r.Records[i].Saves = int(math.Round(share * float64(r.Records[i].Saves)))
	}
}

func totals(records []Record) []Action {
	sums := map[string]*Action{}
	for i := range records {
		act := records[i].Action
		if sums[act] == nil {
			sums[act] = &Action{Action: act}
		}
		sums[act].Records++
		sums[act].Saves += records[i].Saves
	}
	out := make([]Action, 0, len(sums))
	for _, a := range sums {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b Action) int {
		return cmp.Or(cmp.Compare(b.Saves, a.Saves), cmp.Compare(a.Action, b.Action))
	})
	return out
}

func records(t *precis.Turn) []Record {
	out := make([]Record, 0, len(t.Plan.Records))
	for i := range t.Plan.Records {
		r := &t.Plan.Records[i]
		from, _ := t.Thread.Find(r.Span.Start())
		to, _ := t.Thread.Find(r.Span.End())
		out = append(out, Record{
			ID: r.ID, Action: recall.Act(r), From: from + 1, To: to + 1, FirstTurn: r.Span.FirstTurn, LastTurn: r.Span.LastTurn,
			Saves: r.Saves, Reason: r.Reason, Artifact: r.Artifact,
		})
	}
	return out
}

func largest(t *precis.Turn) []Large {
	all := make([]Large, 0, t.Thread.Len())
	for i := range t.Thread.Len() {
		e := t.Thread.At(i)
		all = append(all, Large{
			Number: i + 1, ID: string(e.ID), Role: string(recall.RoleOf(e.Message)), Tokens: t.MessageTokens(i), Now: recall.State(t.Plan, e.ID, 0),
		})
	}
	slices.SortStableFunc(all, func(a, b Large) int { return cmp.Compare(b.Tokens, a.Tokens) })
	all = all[:min(len(all), 5)]
	tools := recall.Tools(t.Thread)
	for i := range all {
		m := t.Thread.At(all[i].Number - 1).Message
		if results := m.Results(); len(results) > 0 {
			all[i].tool = tools[m.Parts[results[0]].CallID]
		}
		all[i].records = over(t, all[i].Number-1)
	}
	return all
}

// over are the ids of the records over the message at i.
func over(t *precis.Turn, i int) (ids []string) {
	if t.Plan == nil {
		return nil
	}
	e := t.Thread.At(i)
	if r := t.Plan.Whole(e.ID); r != nil {
		return []string{r.ID}
	}
	for n := range e.Message.Parts {
		if r := t.Plan.Part(e.ID, n+1); r != nil {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
