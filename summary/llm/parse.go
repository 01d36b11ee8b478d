package llm

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// parser turns an answer into a summary. Items that have no message are dropped
// and counted.
type parser struct {
	*attributor
	out     *summary.Structured
	items   int // looked at
	dropped int // of them
}

// parse reads what an answer says of the messages at the attributor's positions.
func parse(a *answer, f *attributor) *parser {
	w := &parser{attributor: f, out: &summary.Structured{Schema: summary.Schema, Count: len(f.at)}}
	w.out.From, w.out.To = f.source(f.at[0]), f.source(f.at[len(f.at)-1])
	w.out.Narrative = prose(a.Narrative)
	if w.out.Narrative != "" {
		w.items += len(sentences(w.out.Narrative))
	}
	w.facts(a)
	w.decisions(a)
	w.work(a)
	w.goals(a)
	w.failures(a)
	return w
}

// from finds an item's message, "" texts aside; goal items need one in which
// somebody speaks.
func (p *parser) from(n number, goal bool, texts ...string) (src summary.Source, ok bool) {
	p.items++
	src, ok = p.attribute(int(n), texts...)
	if !ok || goal && !p.isSpoken(src) {
		p.dropped++
		return src, false
	}
	return src, true
}

func (p *parser) facts(a *answer) {
	for _, x := range a.Facts {
		text := clean(x.Text)
		if text == "" {
			continue
		}
		if src, ok := p.from(x.Message, false, text); ok {
			p.out.Facts = append(p.out.Facts, summary.Fact{Kind: p.kind(x.Kind, text, src), Text: text, From: src})
		}
	}
}

// kind returns what a statement may count as. What binds the agent stands verbatim in
// what a user wrote; what else users said is in their words at least; anything else is
// a finding, which supersedes nothing that a user said.
func (p *parser) kind(claimed, text string, src summary.Source) summary.FactKind {
	said := p.userText(src)
	folded := strings.TrimRight(fold(text), ".!; ")
	switch kind := summary.FactKind(claimed); {
	case said == "":
		return summary.Finding
	case strings.Contains(said, folded):
		if kind == summary.Constraint || kind == summary.Preference {
			return kind
		}
		return summary.Plain
	case inWords(said, text):
		return summary.Plain
	}
	return summary.Finding
}

// inWords reports whether a text is made of the words of another: all its values, and
// four of five words.
func inWords(said, text string) bool {
	for _, v := range valuesOf([]string{text}) {
		if !strings.Contains(said, v) {
			return false
		}
	}
	words, n := wordsOf([]string{text}), 0
	for _, w := range words {
		if strings.Contains(said, w) {
			n++
		}
	}
	return len(words) > 0 && 5*n >= 4*len(words)
}

func (p *parser) decisions(a *answer) {
	for _, x := range a.Decisions {
		text, why := clean(x.Text), clean(x.Why)
		if text == "" {
			continue
		}
		if src, ok := p.from(x.Message, true, text, why); ok {
			p.out.Decisions = append(p.out.Decisions, summary.Decision{Text: text, Rationale: why, Turn: p.t.Turn(src.N - 1), From: src})
		}
	}
}

// work adds the files and the outcomes of tools.
func (p *parser) work(a *answer) {
	for _, x := range a.Files {
		path := clean(x.Path)
		if path == "" {
			continue
		}
		if src, ok := p.from(x.Message, false, path); ok {
			p.out.Files = append(p.out.Files, summary.File{Path: path, State: state(x.Action), About: clean(x.About), Times: 1, From: src})
		}
	}
	for _, x := range a.Outcomes {
		o := summary.ToolOutcome{Tool: clean(x.Tool), Outcome: outcome(x.Outcome), Error: clean(x.Error)}
		if o.Tool == "" {
			continue
		}
		texts := []string{o.Error}
		for _, f := range x.Fields {
			if name, val := clean(f.Name), clean(f.Value); name != "" && val != "" {
				o.Fields = append(o.Fields, summary.Field{Name: name, Value: val})
				texts = append(texts, val)
			}
		}
		var ok bool
		if o.From, ok = p.from(x.Message, false, texts...); ok {
			p.out.Outcomes = append(p.out.Outcomes, o)
		}
	}
}

// goals adds what the agent is at and is to do.
func (p *parser) goals(a *answer) {
	p.out.Task = p.note(a.Task, true)
	p.out.LastDone = p.note(a.LastDone, false)
	for _, x := range a.Plan {
		text := clean(x.Text)
		if text == "" {
			continue
		}
		if src, ok := p.from(x.Message, true, text); ok {
			p.out.Plan = append(p.out.Plan, summary.Step{Text: text, Status: status(x.Status), From: src})
		}
	}
	for _, x := range a.Open {
		text, context := clean(x.Text), clean(x.Context)
		if text == "" {
			continue
		}
		if src, ok := p.from(x.Message, true, text, context); ok {
			p.out.Open = append(p.out.Open, summary.OpenItem{Text: text, Context: context, Priority: priority(x.Priority), Status: status(x.Status), From: src})
		}
	}
}

func (p *parser) note(x note, goal bool) *summary.Note {
	text := clean(x.Text)
	if text == "" {
		return nil
	}
	src, ok := p.from(x.Message, goal, text)
	if !ok {
		return nil
	}
	return &summary.Note{Text: text, From: src}
}

func (p *parser) failures(a *answer) {
	for _, x := range a.Errors {
		f := summary.Failure{Text: clean(x.Text), Command: clean(x.Command)}
		if f.Text == "" {
			continue
		}
		var ok bool
		if f.From, ok = p.from(x.Message, false, f.Text, f.Command); !ok {
			continue
		}
		if fix := clean(x.Fix); fix != "" {
			if src, ok := p.from(x.FixedIn, false, fix); ok {
				f.Fix, f.Fixed = fix, src
			}
		}
		p.out.Errors = append(p.out.Errors, f)
	}
}

func state(s string) summary.FileState {
	switch f := summary.FileState(strings.ToLower(s)); f {
	case summary.FileCreated, summary.FileDeleted, summary.FileRead:
		return f
	}
	return summary.FileEdited
}

func outcome(s string) string {
	switch s = strings.ToLower(s); s {
	case "success", "failure":
		return s
	}
	return "partial"
}

func status(s string) summary.Status {
	switch f := summary.Status(strings.ToLower(s)); f {
	case summary.Doing, summary.Done:
		return f
	}
	return summary.Pending
}

func priority(s string) summary.Priority {
	switch f := summary.Priority(strings.ToLower(s)); f {
	case summary.High, summary.Low:
		return f
	}
	return summary.Medium
}

// clean puts a text on one line, without message numbers: they mean nothing once
// the item has a source of its own.
func clean(s string) string { return oneline.Of(unnumbered(s)) }

// prose keeps the lines of a narrative, but none that looks like a head, a marker or a
// fence: it stands in a prompt.
func prose(s string) string {
	var lines []string
	for line := range strings.SplitSeq(unnumbered(s), "\n") {
		if line = strings.TrimLeft(oneline.Of(line), "#[<>|= "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// unnumbered drops "(#12)" and "[#12]".
func unnumbered(s string) string {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '#')
		if i < 0 {
			return s
		}
		i += at
		j := i + 1
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		if i == 0 || j == i+1 || j == len(s) || s[i-1] != '(' && s[i-1] != '[' || s[j] != ')' && s[j] != ']' {
			at = i + 1
			continue
		}
		s = strings.TrimRight(s[:i-1], " ") + s[j+1:]
		at = 0
	}
}
