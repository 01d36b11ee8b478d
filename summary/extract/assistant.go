package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// assistant reads what the agent wrote: decisions, findings, plans and what it
// says is left to do.
func (r *reader) assistant(text string, at summary.Source) {
	if strings.TrimSpace(text) != "" {
		r.requests.answered()
		if r.told != nil {
			r.told.before = nil
		}
		r.told = &told{spoken: spoken{text, at}, before: r.told}
	}
	all := statementsOf(text)
	r.work.reactions(all, at)
	r.concedes(all, at)
	m := telling{reader: r, at: at}
	for _, s := range all {
		m.sentence(s)
	}
	m.endLead()
}

// telling is a text of the agent's, as far as it is read.
type telling struct {
	*reader
	at     summary.Source
	before string         // the sentence before
	kinds  triggers       // of the last heading or lead of a list
	lead   leading        // the one that decides, and what was read under it
	steps  []summary.Step // under the last heading or lead
}

// sentence reads the next sentence.
func (m *telling) sentence(s sentence) {
	low, in := s.low, s.in
	if in&undone != 0 {
		m.decisions.settled.overturns(m.before, s.text, low, m.at)
		if m.before == "" && outgrows(s.text, low) {
			m.decisions.settled.revokeOf(m.agentBefore())
		}
	}
	m.before = s.text
	if m.in.foreign(s.text) {
		if in = 0; decides(s.text) {
			in = decision
		}
	}
	under := m.lead.takes(s)
	if !under {
		m.endLead()
	}
	if !strings.HasSuffix(s.text, "?") {
		m.work.runs.corrected(low)
		m.stepsDone(low)
	}
	if doubts(low) { // the agent thought again
		m.endLead()
		m.decisions.doubt(m.at)
	}
	switch {
	case s.box == ' ' || s.box == 'x':
		m.box(s)
		return
	case !s.num && (s.head || strings.HasSuffix(s.text, ":")):
		if m.kinds, m.steps = in, nil; !under && (in&decision != 0 || chooses(s, low, in)) && !hedges(low) {
			m.lead = leading{text: s.text, says: in&decision == 0 && !startsAny(low, nextSteps)}
		}
		return
	case s.num:
		m.step(s)
	}
	if !under {
		m.keep(s, low, in)
	}
}

// agentBefore returns the number of the agent's message before this one, 0 where somebody spoke between them.
func (m *telling) agentBefore() int {
	for n := m.at.N - 1; n > 0; n-- {
		switch x := m.t.At(n - 1).Message; {
		case x.Role == message.Assistant:
			return n
		case thread.Speaks(x):
			return 0
		}
	}
	return 0
}

// endLead adds what the lead and the text under it decide, and forgets it.
func (m *telling) endLead() {
	l := &m.lead
	if words(l.text) >= minDecisionWords && (l.lines > 0 || l.says) && !hedges(lowered(l.text)) && !claims(lowered(l.text)) {
		m.decided(l.text)
	}
	*l = leading{}
}

// step adds a numbered sentence to the plan that it is a step of.
func (m *telling) step(s sentence) {
	if m.kinds&planned == 0 || len(m.steps) == maxPlanSteps || m.agents {
		return
	}
	m.steps = append(m.steps, summary.Step{Text: itemText(s.text), Status: summary.Pending, Said: true, From: m.at})
	if len(m.steps) >= leastPlanSaid {
		m.out.Plan = m.steps
	}
}

// keep keeps a statement that decides something or leaves it open. In lists, agents tell each other
// what to do and what to look up.
func (m *telling) keep(x sentence, low string, in triggers) {
	s, order := x.text, m.agents && x.item
	if startsAny(low, announcements) && in&choice == 0 {
		return
	}
	if isDecision(x, low, in) && !order && !namesCall(low, in, &m.t.At(m.at.N-1).Message) {
		text := paragraph(x)
		if hedges(lowered(text)) || startsAny(low, announcements) {
			text = s
		}
		m.decided(text)
	} else if isFinding(&x) && !order {
		m.findings = push(m.findings, summary.Fact{Kind: summary.Finding, Text: factText(s), From: m.at}, maxFindings)
	}
	if in&unsettled != 0 && !m.agents && leavesOpen(s, low) {
		m.leaveOpen(s, summary.Low, summary.Pending, m.at)
	}
}

// leavesOpen reports whether a sentence with words of what is left to do says so of something.
func leavesOpen(s, low string) bool {
	return words(s) <= maxOpenWords && !strings.HasSuffix(s, "?") && !strings.Contains(low, " in this follow") && !startsAny(low, supposing)
}

const (
	maxPlanSteps  = 40
	leastPlanSaid = 3  // steps of a plan that the agent only says
	maxOpenWords  = 39 // of a sentence that leaves something open
)

// box adds an item of a list of what is to be done, ticked or not.
func (m *telling) box(s sentence) {
	if isSkipped(s.text) {
		return
	}
	status := summary.Pending
	if s.box == 'x' {
		status = summary.Done
	}
	m.leaveOpen(s.text, summary.Low, status, m.at)
}

// decided adds what a text decides. What agents tell each other of why they failed is no decision.
func (m *telling) decided(text string) {
	d := summary.Decision{Text: factText(text), Turn: m.t.Turn(m.at.N - 1), From: m.at}
	if !m.agents || !saysAny(lowered(d.Text), diagnoses) {
		m.decisions.add(d)
	}
}

// plan reads a call that writes the agent's list of steps.
func (r *reader) plan(p *message.Part, at summary.Source) {
	if tool.ClassOf(p.Name) != tool.Todo {
		return
	}
	if steps := planSteps(p.Args, at); len(steps) > 0 {
		r.out.Plan = steps
	}
}
