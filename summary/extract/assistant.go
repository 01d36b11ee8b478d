package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/contradict"
	"github.com/seed-3db51b0e/precis/tool"
)

// assistant reads what the agent wrote: decisions, findings, plans and what it
// says is left to do.
func (r *reader) assistant(text string, at summary.Source) {
	if strings.TrimSpace(text) != "" {
		r.answered()
		r.told = &told{spoken: spoken{text, at}}
	}
	var steps []summary.Step
	var lead triggers
	var led leading
	n := 0
	eachSentence(text, func(s sentence) {
		low := lowered(s.text)
		n++
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
		if doubts(low) {
			r.doubted(&led, at)
		}
		r.reacts(s, low, n, at)
		switch {
		case s.box == ' ' || s.box == 'x':
			r.box(s, at)
			return
		case !s.num && (s.head || strings.HasSuffix(s.text, ":")):
			if lead, steps = in, nil; !under && (in&decision != 0 || chooses(s, low, in)) && !hedges(low) {
				led = leading{text: s.text, says: in&decision == 0}
			}
			return
		case s.num && lead&planned != 0 && len(steps) < maxPlanSteps && !r.agents:
			steps = append(steps, summary.Step{Text: oneline.Clip(oneline.Of(s.text), maxItemText), Status: summary.Pending, Said: true, From: at})
			if len(steps) >= 3 {
				r.out.Plan = steps
			}
		}
		if !under {
			r.keep(s, low, in, at)
		}
	})
	r.led(&led, at)
}

// mostReaction is how many sentences at the head of a text speak of what the agent just saw;
// a later one does where it names a word of it.
const mostReaction = 2

// told is what the agent said in a message.
type told struct {
	spoken
	asked bool // for the regret
	wrong *summary.Note
}

// regret returns the sentence that finds something wrong with what was done, nil for none:
// the first that says that it is to be undone, or fails, before any other.
func (t *told) regret() *summary.Note {
	if t == nil {
		return nil
	}
	if t.asked {
		return t.wrong
	}
	t.asked = true
	strong := false
	eachSentence(t.text, func(x sentence) {
		low := lowered(x.text)
		if strong || !explains(x.text, low) {
			return
		}
		if strong = saysAny(low, undoing); strong || t.wrong == nil && saysAny(low, regrets) {
			t.wrong = spoken{x.text, t.from}.note()
		}
	})
	return t.wrong
}

// doubts reports whether a sentence takes back what was thought before it, rather than waits,
// agrees or adds to it.
func doubts(low string) bool {
	if !startsAny(low, doubting) || startsAny(low, waiting) {
		return false
	}
	if end := strings.TrimRight(low, " "); startsAny(low, agreeing) && (strings.HasSuffix(end, " as well") || strings.HasSuffix(end, " too")) {
		return false
	}
	return !saysAny(low, adding)
}

// doubted marks what the message decided so far: the agent thought again.
func (r *reader) doubted(l *leading, at summary.Source) {
	r.led(l, at)
	for n := len(r.out.Decisions) - 1; n >= 0 && r.out.Decisions[n].From == at; n-- {
		r.out.Decisions[n].Doubted = true
	}
}

// led adds what a lead and the text under it decide, and forgets it.
func (r *reader) led(l *leading, at summary.Source) {
	if words(l.text) >= minDecisionWords && (l.lines > 0 || l.says) && !hedges(lowered(l.text)) && !claims(lowered(l.text)) {
		r.decided(r.decision(l.text, at))
	}
	*l = leading{}
}

// leading is a heading, or the lead of a list, that decides, with what stands under it.
type leading struct {
	text  string
	lines int  // of what stands under it
	says  bool // it decides by itself
}

// takes reports whether a sentence stands under the lead: in its first line, or in an item of
// its list. It adds what the lead does not have.
func (l *leading) takes(s sentence) bool {
	if l.text == "" || s.box != 0 || s.head || strings.HasSuffix(s.text, ":") {
		return false
	}
	if l.lines > 0 && !strings.HasPrefix(s.line, s.text) { // a later sentence of a line
		return strings.HasSuffix(l.text, s.line)
	}
	if l.lines > 0 && !s.item || len(l.text)+len(s.line) > maxParagraph {
		return false
	}
	if l.lines > 0 {
		l.text += ";"
	}
	l.text += " " + s.line
	l.lines++
	return true
}

// explains reports whether a sentence behind an error may say what the agent made of it.
func explains(s, low string) bool {
	n := words(s)
	return n >= 4 && n <= 50 && strings.HasSuffix(s, ".") && !tellsNothing(low) && !looksLikeCode(s)
}

// tellsNothing reports whether a sentence only announces something, or needs the one before it.
func tellsNothing(low string) bool {
	return startsAny(low, announcements) || startsAny(low, insights) || startsAny(low, pointingBack) || goesOn(low)
}

// keep keeps a statement that decides something or leaves it open.
func (r *reader) keep(x sentence, low string, in triggers, at summary.Source) {
	s := x.text
	if startsAny(low, announcements) && in&choice == 0 {
		return
	}
	if isDecision(x, low, in) {
		text := paragraph(x)
		if hedges(lowered(text)) || startsAny(low, announcements) {
			text = s
		}
		r.decided(r.decision(text, at))
	} else if isFinding(s, low) && !(r.agents && x.item) { // in lists, agents tell each other what to look up
		r.said = push(r.said, summary.Fact{Kind: summary.Finding, Text: oneline.Clip(oneline.Of(s), maxFactText), From: at}, maxFindings)
	}
	if in&unsettled != 0 && !r.agents && leavesOpen(s, low) {
		r.out.Open = push(r.out.Open, summary.OpenItem{Text: oneline.Clip(oneline.Of(s), maxItemText), Priority: summary.Low, Status: summary.Pending, From: at}, maxOpenItems)
	}
}

// leavesOpen reports whether a sentence with words of what is left to do says so of something.
func leavesOpen(s, low string) bool {
	return words(s) < 40 && !strings.HasSuffix(s, "?") && !strings.Contains(low, " in this follow") && !startsAny(low, supposing)
}

const maxPlanSteps = 40

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

// decided adds a decision, once where two sentences of a paragraph decide.
func (r *reader) decided(d summary.Decision) {
	for n := len(r.out.Decisions) - 1; n >= 0 && r.out.Decisions[n].From == d.From; n-- {
		if alike(r.out.Decisions[n].Text, d.Text) {
			r.out.Decisions[n] = d
			return
		}
	}
	r.out.Decisions = push(r.out.Decisions, d, maxDecisions)
}

// alike reports whether two decisions of a message say the same for the most part.
func alike(a, b string) bool {
	have, shared := map[string]bool{}, 0
	for w := range strings.FieldsSeq(lowered(a)) {
		have[w] = true
	}
	all := len(have)
	for w := range strings.FieldsSeq(lowered(b)) {
		if have[w] {
			shared++
		} else {
			all++
		}
		delete(have, w)
	}
	return 2*shared > all
}

const maxParagraph = 400 // bytes of a paragraph that stands for a sentence of it

// paragraph returns the line that a sentence stands in, without what it announces before
// and behind, what the sentence takes back and what takes it back, or the sentence where the
// line is long.
func paragraph(s sentence) string {
	if len(s.line) > maxParagraph {
		return s.text
	}
	from, to, said := -1, 0, strings.Index(s.line, s.text)
	for at := 0; at < len(s.line); {
		end := at + sentenceEnd(s.line[at:])
		if doubts(lowered(s.line[at:end])) {
			if at > said {
				break
			}
			from = -1
		}
		if one := strings.TrimSpace(s.line[at:end]); one != "" && !startsAny(lowered(one), announcements) && !strings.HasSuffix(one, ":") {
			to = end
			if from < 0 {
				from = at
			}
		}
		at = end
	}
	if from < 0 {
		return s.text
	}
	return plain(s.line[from:to])
}

// minDecisionWords is how many words a decision has at least; some languages part no words.
const minDecisionWords = 4

// isDecision reports whether a sentence settles something, rather than announces the
// next look or the next run.
func isDecision(x sentence, low string, in triggers) bool {
	s := x.text
	if in&(decision|choice|intent|rationale) == 0 {
		return false
	}
	if !isLongAsDecision(s) || strings.HasSuffix(s, "?") || isPasted(s) || hedges(low) || startsAny(low, citing) {
		return false
	}
	if in&decision != 0 || chooses(x, low, in) {
		return !claims(low) && !isDone(low)
	}
	if in&intent != 0 && intends(low) {
		return true
	}
	sets := in&intent != 0 || startsAny(low, settings)
	return in&rationale != 0 && sets && hasValue(s) && !startsAny(low, unfinished) && !strings.Contains(low, " so that is ")
}

// isLongAsDecision reports whether a sentence is neither too short nor too long for a decision.
func isLongAsDecision(s string) bool {
	n := words(s)
	return n <= 70 && (n >= minDecisionWords || len(s) >= 30)
}

// chooses reports whether a sentence takes one thing in place of another, rather than tells
// that something is one thing instead of another.
func chooses(x sentence, low string, in triggers) bool {
	if in&choice == 0 {
		return false
	}
	for _, p := range choiceLeadIns {
		if rest, ok := strings.CutPrefix(low, p); ok {
			low = " " + rest
		}
	}
	if saysAny(low, lookPhrases) {
		return false
	}
	verb, _, _ := strings.Cut(low[1:], " ")
	return in&intent != 0 || decisionVerbs[verb] || choosingVerbs[verb] || startsAny(low, choosing) || x.item && isChoiceItem(x.text, low)
}

// isChoiceItem reports whether an item of a list with words of a choice is one, rather than tells what is.
func isChoiceItem(s, low string) bool {
	return words(s) < 12 && !startsAny(low, articles) && !saysAny(low, statePhrases)
}

func claims(low string) bool {
	return saysAny(low, successes)
}

// isDone reports whether a sentence tells of what was done already.
func isDone(low string) bool {
	return saysAny(low, doneSaid)
}

// hedges reports whether a sentence weighs rather than decides.
func hedges(low string) bool {
	return saysAny(low, musing)
}

// intends reports whether one of the intents is to decide something.
func intends(low string) bool {
	for _, p := range intents {
		i := strings.Index(low, p)
		if i < 0 {
			continue
		}
		for k, v := range strings.Fields(low[i+len(p):]) {
			if decisionVerbs[v] {
				return true
			}
			if k > 0 || !intentFillers[v] {
				break
			}
		}
	}
	return false
}

// isFinding reports whether a statement of the agent names a value.
func isFinding(s, low string) bool {
	return isStatement(s) && hasValue(s) && !isPasted(s) && standsAlone(low) && !isWork(low) &&
		(!isTalk(low) || contradict.Substance(s) == 2)
}

// isStatement reports whether a text is one whole sentence of usual length, without markup.
func isStatement(s string) bool {
	n := words(s)
	return n >= 4 && n <= 40 && strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") &&
		!strings.Contains(s, "**") && !strings.Contains(s, "Warning:")
}

// standsAlone reports whether a sentence can be read without the one before it.
func standsAlone(low string) bool { return !startsAny(low, pointing) && !goesOn(low) }

// isWork reports whether a sentence tells what is to be done, or what the agent is at.
func isWork(low string) bool {
	verb, _, _ := strings.Cut(low[1:], " ")
	return oneTimeVerbs[verb] || lookUpVerbs[verb] || startsAny(low, workOpenings) ||
		strings.Contains(low, " should ") || strings.Contains(low, " would be ")
}

// isTalk reports whether a sentence tells of the agent's work, or what ought to be, rather
// than of what is.
func isTalk(low string) bool {
	return startsAny(low, ownWorkOpenings) || claims(low) || saysAny(low, proposals)
}

func goesOn(low string) bool { return startsAny(low, unfinished) && !strings.Contains(low, " it is ") }

func (r *reader) decision(s string, at summary.Source) summary.Decision {
	return summary.Decision{Text: oneline.Clip(oneline.Of(s), maxFactText), Turn: r.t.Turn(at.N - 1), From: at}
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
