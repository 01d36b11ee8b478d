package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

func outcomeLines(s *summary.Structured) []line {
	var ls []line
	var sets []*summary.ToolOutcome
	one := map[string]int{} // by tool, the things that it looked up one by one
	newest, failed := map[string]*summary.ToolOutcome{}, map[string]bool{}
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		newest[o.Tool] = o
		if ofOne(o) {
			one[o.Tool]++
		}
		failed[o.Tool] = failed[o.Tool] || isFailure(o)
	}
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		how := howEnded(o, failed[o.Tool])
		l := line{section: outcomes, rank: rankCommand, worth: float64(o.From.N), lead: "- " + oneline.Of(o.Tool) + ": ", text: cameTo(o, how) + repeated(o)}
		if finds(o) {
			if l.rank = rankFound; one[o.Tool] > 1 && ofOne(o) {
				sets = append(sets, o)
				continue
			}
		}
		switch acts := tool.ActsByName(o.Tool); {
		case acts && isFailure(o):
			l.rank = rankFailure
		case acts:
			l.rank = rankEffect
			l.short = shortOutcome(o, newest[o.Tool], how)
		}
		ls = append(ls, l)
	}
	return append(ls, setLines(sets)...)
}

// ofOne reports whether a call looked up one thing by one argument.
func ofOne(o *summary.ToolOutcome) bool { return len(o.Fields) == 2 && finds(o) }

// mostWhole is how many things that were looked up alike are told at length: all of so few, else those
// that were named last, if they are no more. shortFound is the bytes in which one of the others is, and
// shortNamed those with the names of what it lists.
const mostWhole, shortFound, shortNamed = 2, 80, 100

// setLines tells the things that a tool looked up one by one in a line that stands whole or not at all:
// some of them alone would seem to be those that matter.
func setLines(sets []*summary.ToolOutcome) (ls []line) {
	of, at := map[string][]*summary.ToolOutcome{}, []string(nil)
	for _, o := range sets {
		if of[o.Tool] == nil {
			at = append(at, o.Tool)
		}
		of[o.Tool] = append(of[o.Tool], o)
	}
	for _, name := range at {
		l := line{section: outcomes, rank: rankFound, text: "- " + oneline.Of(name) + ": "}
		whole := toldWhole(of[name])
		for i, o := range of[name] {
			told := *o
			if !whole[o] {
				told.Fields = []summary.Field{o.Fields[0], {Name: summary.FoundField, Value: inShort(o.Fields[1].Value)}}
			}
			if i > 0 {
				l.text += "; "
			}
			l.text += cameTo(&told, "") + repeated(o)
			l.worth = max(l.worth, float64(o.From.N))
		}
		ls = append(ls, l)
	}
	return ls
}

// toldWhole returns which of a set are told at length.
func toldWhole(set []*summary.ToolOutcome) map[*summary.ToolOutcome]bool {
	last := 0
	for _, o := range set {
		last = max(last, o.Named)
	}
	whole := map[*summary.ToolOutcome]bool{}
	for _, o := range set {
		if len(set) <= mostWhole || o.Named == last && last > 0 {
			whole[o] = true
		}
	}
	if len(whole) > mostWhole {
		return nil
	}
	return whole
}

// inShort returns the first members of a record that are told in a word, whole, and of a list behind them
// the names.
func inShort(found string) string {
	named := ""
	if i := strings.IndexByte(found, '('); i >= 0 {
		end := max(strings.LastIndexByte(found[:i], ','), 0)
		if names := namesOf(found[i:]); names != "" {
			named = found[end:i] + names
		}
		found = found[:end]
	}
	if len(found)+len(named) <= shortNamed {
		return found + named
	}
	for len(found) > shortFound {
		found = found[:max(strings.LastIndexByte(found, ','), 0)]
	}
	return found
}

// namesOf returns the names of the objects of a list in brackets that a text begins with, "" where they have no names.
func namesOf(list string) string {
	list, _, whole := strings.Cut(list[len("("):], ")")
	if !whole || strings.Contains(list, "(") {
		return ""
	}
	var names []string
	for object := range strings.SplitSeq(list, "; ") {
		name, _, more := strings.Cut(object, ", ")
		if !more || strings.Contains(name, " ") || !strings.ContainsAny(name, "0123456789") {
			return ""
		}
		names = append(names, name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// finds reports whether a call only looked, and it is told what it found.
func finds(o *summary.ToolOutcome) bool {
	return slices.ContainsFunc(o.Fields, func(f summary.Field) bool { return f.Name == summary.FoundField })
}

func isFailure(o *summary.ToolOutcome) bool { return o.Outcome == string(tool.Failure) }

// howEnded returns the word for how a call ended: of one that did not fail where it stands beside one
// that did, unless a result of a few words says so.
func howEnded(o *summary.ToolOutcome, beside bool) string {
	switch {
	case isFailure(o):
		return "failed"
	case beside && o.Outcome == string(tool.Success) && !slices.ContainsFunc(o.Fields, func(f summary.Field) bool { return f.Name == summary.ResultField }):
		return "succeeded"
	}
	return ""
}

// shortOutcome tells what a call came to by what differs from a newer call of the same tool, "" where
// that is all or nothing.
func shortOutcome(o, newer *summary.ToolOutcome, how string) string {
	rest := summary.ToolOutcome{Error: o.Error}
	for _, f := range o.Fields {
		if !slices.Contains(newer.Fields, f) {
			rest.Fields = append(rest.Fields, f)
		}
	}
	if len(rest.Fields) == 0 || len(rest.Fields) == len(o.Fields) {
		return ""
	}
	return cameTo(&rest, how) + repeated(o)
}

// mostLooks is how often the same may be looked up before it is told how often it was.
const mostLooks = 2

// repeated says where a call was made, and how often where it came to the same again.
func repeated(o *summary.ToolOutcome) string {
	if o.Times < 2 || o.Times <= mostLooks && tool.LooksByName(o.Tool) {
		return numbered(o.From)
	}
	return " (" + strconv.Itoa(o.Times) + " times, " + ref.Message(o.First.N).String() + " to " + ref.Message(o.From.N).String() + ")"
}

func outcomeText(o *summary.ToolOutcome) string {
	return oneline.Of(o.Tool) + ": " + cameTo(o, howEnded(o, false))
}

// cameTo tells what a call came to, without the name of its tool; how is a word for how it ended.
func cameTo(o *summary.ToolOutcome, how string) string {
	var said []string
	if how != "" {
		said = append(said, how)
	}
	for _, f := range o.Fields {
		if f.Name == summary.FoundField {
			if f.Value != "" {
				said = append(said, oneline.Of(f.Value))
			}
			continue
		}
		said = append(said, oneline.Of(f.Name)+"="+oneline.Clip(oneline.Of(f.Value), summary.MostFieldText))
	}
	if o.Error != "" {
		said = append(said, oneline.Clip(oneline.Of(o.Error), maxError))
	}
	return cmp.Or(strings.Join(said, ", "), "called")
}
