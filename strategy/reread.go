package strategy

import "github.com/seed-3db51b0e/precis/plan"

// rereadBudgets states how far back, in budgets, a compaction reads again what an earlier
// summary covers. What lies further back is worth what that summary carries on of
// it as state; its lines are looked up: what has not been used for so long hardly
// ever is again, and what a compaction reads does not grow with the conversation.
const rereadBudgets = 8

// skipped tells, by entry as far as any is, which ones are not read again, for a
// budget in tokens.
func (d *Draft) skipped(budget int) []bool {
	until := len(d.cells)
	for room := rereadBudgets * budget; until > 0 && room > 0; until-- {
		room -= d.Original(until - 1)
	}
	past := make([]bool, until)
	for i := range past {
		r := d.cells[i].whole
		past[i] = r != nil && r.Action == plan.Summarize
	}
	return past
}
