package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// decisions are what the agent decided.
type decisions struct {
	all     []summary.Decision
	settled settled // those of an earlier summary among them
}

// newDecisions starts from those of an earlier summary, which later words may take back.
func newDecisions(old []summary.Decision) (l decisions) {
	for i := range old {
		l.settled.add(&old[i])
	}
	return l
}

// add adds a decision, once where two sentences of a paragraph decide.
func (l *decisions) add(d summary.Decision) {
	l.settled.add(&d)
	for n := len(l.all) - 1; n >= 0 && l.all[n].From == d.From; n-- {
		if alike(l.all[n].Text, d.Text) {
			l.all[n] = d
			return
		}
	}
	l.all = push(l.all, d, maxDecisions)
}

// doubt marks what a message decided so far: the agent thought again.
func (l *decisions) doubt(at summary.Source) {
	for n := len(l.all) - 1; n >= 0 && l.all[n].From == at; n-- {
		l.all[n].Doubted = true
	}
}

// written returns the newest decisions, behind those of an earlier summary that were taken back.
func (l *decisions) written() []summary.Decision {
	return l.settled.marked(lastOf(l.all, maxDecisions))
}

// A decision has so many words, or in languages that part no words so many bytes.
const (
	minDecisionWords = 4
	maxDecisionWords = 70
	minDecisionText  = 30
)

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

// namesCall reports whether a lowered sentence of a message only says that the agent uses what it calls in
// the same message: a tool, or the program of a command line.
func namesCall(low string, in triggers, m *message.Message) bool {
	if in&(decision|choice|rationale) != 0 {
		return false
	}
	return slices.ContainsFunc(m.Parts, func(p message.Part) bool {
		if p.Kind != message.Call {
			return false
		}
		name := p.Name
		if e := tool.Parse(p, nil); e.Command != "" {
			name, _, _ = strings.Cut(e.Command, " ")
		}
		return saysUse(low, name)
	})
}

// saysUse reports whether a lowered sentence says that the agent uses what has a name.
func saysUse(low, name string) bool {
	return name != "" && strings.Contains(low, " use "+strings.ToLower(name)+" ")
}

// isLongAsDecision reports whether a sentence is neither too short nor too long for a decision.
func isLongAsDecision(s string) bool {
	n := words(s)
	return n <= maxDecisionWords && (n >= minDecisionWords || len(s) >= minDecisionText)
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
	return words(s) <= maxChoiceWords && !startsAny(low, articles) && !saysAny(low, statePhrases)
}

// maxChoiceWords is how many words such an item has.
const maxChoiceWords = 11

// claims reports whether a lowered text says that something came out well.
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

// paragraph returns the line that a sentence stands in, without what it announces and asks before
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
		if one := strings.TrimSpace(s.line[at:end]); one != "" && !strings.HasSuffix(one, "?") && !startsAny(lowered(one), announcements) && !strings.HasSuffix(one, ":") {
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
