package extract

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// assistant reads what the agent wrote: decisions, findings, plans and what it
// says is left to do.
func (r *reader) assistant(text string, at summary.Source) {
	if strings.TrimSpace(text) != "" {
		r.answered()
	}
	var steps []summary.Step
	var lead triggers
	eachSentence(text, func(s sentence) {
		low := lowered(s.text)
		in := triggersIn(low)
		if r.in.foreign(s.text) {
			in = 0
		}
		if len(r.work.errors.fresh) > 0 && explains(s.text, low) {
			r.work.errors.explained(&summary.Note{Text: oneline.Clip(oneline.Of(s.text), maxItem), From: at})
		}
		switch {
		case s.box == ' ' || s.box == 'x':
			r.box(s, at)
			return
		case !s.num && strings.HasSuffix(s.text, ":"):
			lead, steps = in, nil
			return
		case s.num && lead&planned != 0 && len(steps) < maxSteps:
			steps = append(steps, summary.Step{Text: oneline.Clip(oneline.Of(s.text), maxItem), Status: summary.Pending, Said: true, From: at})
			if len(steps) >= 3 {
				r.out.Plan = steps
			}
		}
		r.keep(s, low, in, at)
	})
}

// explains reports whether a sentence behind an error may say what the agent made of it.
func explains(s, low string) bool {
	n := words(s)
	return n >= 4 && n <= 50 && strings.HasSuffix(s, ".") && !startsAny(low, announcements) && !goesOn(low) && !looksLikeCode(s)
}

// keep keeps a statement that decides something or leaves it open.
func (r *reader) keep(x sentence, low string, in triggers, at summary.Source) {
	s := x.text
	if startsAny(low, announcements) {
		return
	}
	if isDecision(s, low, in) {
		text := paragraph(x)
		if hedges(lowered(text)) {
			text = s
		}
		r.decided(r.decision(text, at))
	} else if isFinding(s) {
		r.said = push(r.said, summary.Fact{Kind: summary.Finding, Text: oneline.Clip(oneline.Of(s), maxFactText), From: at}, maxFindings)
	}
	if in&unsettled != 0 && words(s) < 40 && !strings.HasSuffix(s, "?") {
		r.out.Open = push(r.out.Open, summary.OpenItem{Text: oneline.Clip(oneline.Of(s), maxItem), Priority: summary.Low, Status: summary.Pending, From: at}, maxOpen)
	}
}

const maxSteps = 40

func (r *reader) box(s sentence, at summary.Source) {
	o := summary.OpenItem{Text: oneline.Clip(oneline.Of(s.text), maxItem), Priority: summary.Low, Status: summary.Pending, From: at}
	if s.box == 'x' {
		o.Status = summary.Done
	}
	r.out.Open = push(r.out.Open, o, maxOpen)
}

// decided adds a decision, once where two sentences of a paragraph decide.
func (r *reader) decided(d summary.Decision) {
	if n := len(r.out.Decisions); n > 0 && r.out.Decisions[n-1] == d {
		return
	}
	r.out.Decisions = push(r.out.Decisions, d, maxDecisions)
}

const maxParagraph = 400 // bytes of a paragraph that stands for a sentence of it

// paragraph returns the line that a sentence stands in, without what it announces before
// and behind, or the sentence where the line is long.
func paragraph(s sentence) string {
	if len(s.line) > maxParagraph {
		return s.text
	}
	from, to := -1, 0
	for at := 0; at < len(s.line); {
		end := at + sentenceEnd(s.line[at:])
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
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(s.line[from:to]), "*"))
}

// isDecision reports whether a sentence settles something, rather than announces the
// next look or the next run.
func isDecision(s, low string, in triggers) bool {
	if in&(decision|intent|rationale) == 0 {
		return false
	}
	n := words(s)
	if n < 4 || n > 70 || strings.HasSuffix(s, "?") || looksLikeCode(s) || hedges(low) {
		return false
	}
	if in&decision != 0 {
		return true
	}
	if in&intent != 0 && intends(low) {
		return true
	}
	return in&rationale != 0 && in&(setting|intent) != 0 && hasValue(s) && !startsAny(low, unfinished)
}

// musing words weigh what might be done.
var musing = phrases(`could | might | seems | maybe | perhaps | need to be careful | should work | is fine | let me think`)

// hedges reports whether a sentence weighs rather than decides.
func hedges(low string) bool {
	return slices.ContainsFunc(musing, func(p string) bool { return strings.Contains(low, p) })
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
			if k > 0 || (v != "just" && v != "now" && v != "then" && v != "also" && v != "instead" && v != "therefore") {
				break
			}
		}
	}
	return false
}

// isFinding reports whether a statement of the agent names a value.
func isFinding(s string) bool {
	n := words(s)
	return n >= 4 && n <= 40 && !strings.HasSuffix(s, "..") && !goesOn(lowered(s)) && strings.HasSuffix(s, ".") && !strings.Contains(s, "**") && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, ":") && hasValue(s) && !isPasted(s)
}

// unfinished begins a sentence that goes on with a thought, or corrects itself in the next.
var unfinished = phrases(`so | but | if | and | or | then | actually | wait | hmm | maybe | perhaps | good | great | perfect | excellent | yes | no | ok | since | because | also | this | these | they | however | looking at | let's | rename | pros | cons |
	that's because | that matches | it works | it seems | in that case | in this case | given these | option | options | i think option | your | i can | please | you can | we could | divide`)

func goesOn(low string) bool { return startsAny(low, unfinished) && !strings.Contains(low, " it is ") }

func (r *reader) decision(s string, at summary.Source) summary.Decision {
	d := summary.Decision{Text: oneline.Clip(oneline.Of(s), maxFactText), Turn: r.t.Turn(at.N - 1), From: at}
	if i := strings.Index(d.Text, " because "); i > 0 {
		d.Text, d.Rationale = strings.TrimRight(d.Text[:i], ",;"), d.Text[i+len(" because "):]
	}
	return d
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

// planSteps finds the first array of objects that have a text and perhaps a
// status, whatever its members are called.
func planSteps(args string, at summary.Source) []summary.Step {
	d := jsontext.NewDecoder(strings.NewReader(args), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var steps []summary.Step
	var cur summary.Step
	key := ""
	for {
		t, err := d.ReadToken()
		if err != nil || len(steps) >= maxSteps {
			return steps
		}
		switch {
		case t.Kind() == '{':
			cur, key = summary.Step{Status: summary.Pending, From: at}, ""
		case t.Kind() == '}':
			if cur.Text != "" && d.StackDepth() >= 2 {
				steps = append(steps, cur)
			}
			cur = summary.Step{}
		case t.Kind() == '"' && isName(d):
			key = strings.ToLower(t.String())
		case t.Kind() == '"':
			setStep(&cur, key, t.String())
		}
	}
}

// isName reports whether the token just read was a member's name.
func isName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == '{' && n%2 == 1
}

func setStep(s *summary.Step, key, text string) {
	switch key {
	case "content", "step", "title", "text", "task", "subject":
		s.Text = oneline.Clip(oneline.Of(text), maxItem)
	case "description":
		if s.Text == "" {
			s.Text = oneline.Clip(oneline.Of(text), maxItem)
		}
	case "status":
		switch strings.ToLower(text) {
		case "completed", "done", "complete", "cancelled":
			s.Status = summary.Done
		case "in_progress", "doing", "active":
			s.Status = summary.Doing
		}
	}
}
