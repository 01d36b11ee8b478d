package render

import (
	"regexp"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// unreadable finds where a text that a plan made tells the model to read something back or
// to search: behind a comma or a semicolon, or as a line of its own. Behind a semicolon it
// captures what is read.
func unreadable(tool string) *regexp.Regexp {
	call := func(of string) string { // in arguments quotes are escaped
		return `(?:precis_read|read_artifact|` + regexp.QuoteMeta(tool) + `)\(\\?"` + of + `\\?"\)`
	}
	anything := call(`[^"\n]*`)
	return regexp.MustCompile(regexp.QuoteMeta(lookUpHint) + `|; search it with precis_grep|, searchable via precis_grep|; ` + call(`([^"\\\n]*)`) + ` returns (?:it|all)|, ` + anything +
		` returns (?:it|all)|\n\[` + anything + ` returns all of it\]|\n\n\[[^\[\]\n]* behind this summary: ` + anything + `\]|\nTo retrieve full content, call: ` + anything)
}

// named is what a text says in place of what unreadable found: of what something was left out.
func named(calls *regexp.Regexp, text string) string {
	return calls.ReplaceAllStringFunc(text, func(found string) string {
		if of := calls.FindStringSubmatch(found)[1]; of != "" {
			return " of " + of
		}
		return ""
	})
}

// WithoutRecall returns a prompt of a thread under a plan for a model that cannot read
// back what left it: no text that the plan made tells it to call the tool of that name.
// Messages as they came are the same, and so is the order; changed are the positions of
// the others.
func WithoutRecall(t *thread.Thread, p *plan.Plan, tool string, out Result) (ms []message.Message, changed []int) {
	calls := unreadable(tool)
	ms = slices.Clone(out.Messages)
	for i, o := range out.Origins[:min(len(out.Origins), len(ms))] {
		for n := range ms[i].Parts {
			if o.First >= 0 && o.Record == nil && (p == nil || p.Part(t.At(o.First).ID, n+1) == nil) {
				continue
			}
			part, differs := without(calls, ms[i].Parts[n])
			if !differs {
				continue
			}
			if len(changed) == 0 || changed[len(changed)-1] != i {
				changed = append(changed, i)
				ms[i] = ms[i].Clone()
			}
			ms[i].Parts[n] = part
		}
	}
	return ms, changed
}

// without is a part whose text and arguments do not tell to call anything.
func without(calls *regexp.Regexp, p message.Part) (message.Part, bool) {
	text, args := named(calls, p.Text), named(calls, p.Args)
	changed := text != p.Text || args != p.Args
	p.Text, p.Args = text, args
	for i, inner := range p.Parts {
		if q, differs := without(calls, inner); differs {
			p.Parts = slices.Clone(p.Parts)
			p.Parts[i], changed = q, true
		}
	}
	p.Edited = p.Edited || changed
	return p, changed
}
