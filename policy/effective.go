package policy

import "slices"

// Effective are a policy's numbers at one budget: what it does, in tokens. Its
// own fields stand in for the policy's of the same name.
type Effective struct {
	Policy
	Budget int `json:"budget_tokens"` // hard cap of a request
	Fixed  int `json:"fixed_tokens"`  // system prompt and tools assumed
	// Trigger is the size of a request above which it is compacted, Target the
	// size it is brought down to.
	Trigger int `json:"trigger_tokens"`
	Target  int `json:"target_tokens"`
	// Recent states what is kept as it is at the end, at least; Summary the most a
	// summary takes: where a rung fills the target, all that the target leaves; Reserve
	// the room for artifacts that come back.
	Recent   int      `json:"recent_tokens"`
	Summary  int      `json:"summary_tokens"`
	Reserve  int      `json:"rehydration_tokens"`
	Reserves Reserves `json:"reserves,omitzero"`
	Safety   int      `json:"safety_tokens,omitempty"`
	// Rungs are the policy's, scaled to the budget.
	Rungs []Rung `json:"rungs"`
}

// At scales the policy to a budget, 0 for the one its design was drawn for;
// fixed is the cost of a request beside its messages, in tokens.
func (p Policy) At(budget, fixed int) Effective {
	if budget == 0 {
		budget = p.Window
	}
	e := Effective{
		Policy: p, Budget: budget, Fixed: fixed, Trigger: p.Trigger(budget, fixed), Target: p.Target(budget, fixed),
		Recent: p.RecentTokens(budget), Summary: p.SummaryCap(budget), Reserve: p.Reserve(budget),
	}
	if slices.ContainsFunc(p.Rungs, func(r Rung) bool { return r.Fill }) {
		e.Summary = max(e.Summary, e.Target-fixed)
	}
	e.Safety, e.Reserves = AtMostTenth(p.Safety, budget), p.Reserves.at(budget)
	for _, r := range p.Rungs {
		e.Rungs = append(e.Rungs, r.At(budget))
	}
	return e
}
