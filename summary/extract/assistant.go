package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
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
	var steps []summary.Step
	var lead triggers
	var led leading
	r.work.reactions(text, at)
	before := ""
	eachSentence(text, func(s sentence) {
		low := lowered(s.text)
		r.decisions.settled.overturns(before, s.text, at)
		before = s.text
		in := triggersIn(low)
		if r.in.foreign(s.text) {
			if in = 0; decides(s.text) {
				in = decision
			}
		}
		under := led.takes(s)
		if !under {
			r.led(&led, at)
		}
		if !strings.HasSuffix(s.text, "?") {
			r.work.runs.corrected(low)
		}
		if doubts(low) {
			r.doubted(&led, at)
		}
		switch {
		case s.box == ' ' || s.box == 'x':
			r.box(s, at)
			return
		case !s.num && (s.head || strings.HasSuffix(s.text, ":")):
			if lead, steps = in, nil; !under && (in&decision != 0 || chooses(s, low, in)) && !hedges(low) {
				led = leading{text: s.text, says: in&decision == 0 && !startsAny(low, nextSteps)}
			}
			return
		case s.num && lead&planned != 0 && len(steps) < maxPlanSteps && !r.agents:
			steps = append(steps, summary.Step{Text: oneline.Clip(oneline.Of(s.text), maxItemText), Status: summary.Pending, Said: true, From: at})
			if len(steps) >= leastPlanSaid {
				r.out.Plan = steps
			}
		}
		if !under {
			r.keep(s, low, in, at)
		}
	})
	r.led(&led, at)
}

// doubted marks what the message decided so far: the agent thought again.
func (r *reader) doubted(l *leading, at summary.Source) {
	r.led(l, at)
	r.decisions.doubt(at)
}

// led adds what a lead and the text under it decide, and forgets it.
func (r *reader) led(l *leading, at summary.Source) {
	if words(l.text) >= minDecisionWords && (l.lines > 0 || l.says) && !hedges(lowered(l.text)) && !claims(lowered(l.text)) {
		r.decided(l.text, at)
	}
	*l = leading{}
}

// keep keeps a statement that decides something or leaves it open. In lists, agents tell each other
// what to do and what to look up.
func (r *reader) keep(x sentence, low string, in triggers, at summary.Source) {
	s, order := x.text, r.agents && x.item
	if startsAny(low, announcements) && in&choice == 0 {
		return
	}
	if isDecision(x, low, in) && !order && !namesCall(low, in, &r.t.At(at.N-1).Message) {
		text := paragraph(x)
		if hedges(lowered(text)) || startsAny(low, announcements) {
			text = s
		}
		r.decided(text, at)
	} else if isFinding(s, low) && !order {
		r.findings = push(r.findings, summary.Fact{Kind: summary.Finding, Text: oneline.Clip(oneline.Of(s), maxFactText), From: at}, maxFindings)
	}
	if in&unsettled != 0 && !r.agents && leavesOpen(s, low) {
		r.out.Open = push(r.out.Open, summary.OpenItem{Text: oneline.Clip(oneline.Of(s), maxItemText), Priority: summary.Low, Status: summary.Pending, From: at}, maxOpenItems)
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

func (r *reader) box(s sentence, at summary.Source) {
	if isSkipped(s.text) {
		return
	}
	o := summary.OpenItem{Text: oneline.Clip(oneline.Of(s.text), maxItemText), Priority: summary.Low, Status: summary.Pending, From: at}
	if s.box == 'x' {
		o.Status = summary.Done
	}
	r.out.Open = push(r.out.Open, o, maxOpenItems)
}

// decided adds what a text decides. What agents tell each other of why they failed is no decision.
func (r *reader) decided(text string, at summary.Source) {
	d := summary.Decision{Text: oneline.Clip(oneline.Of(text), maxFactText), Turn: r.t.Turn(at.N - 1), From: at}
	if !r.agents || !saysAny(lowered(d.Text), diagnoses) {
		r.decisions.add(d)
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
