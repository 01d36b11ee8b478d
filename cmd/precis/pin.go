package main

import (
	"regexp"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// selectPins resolves selectors over the messages. One that selects nothing is
// a mistake of the user's.
func selectPins(selectors []string, ms []message.Message) ([]plan.Ref, error) {
	if len(selectors) == 0 {
		return nil, nil
	}
	entries := thread.Extend("", ms)
	var pins []plan.Ref
	for _, s := range selectors {
		chosen, err := selector(s)
		if err != nil {
			return nil, err
		}
		n := len(pins)
		for i := range entries {
			if chosen(i, &entries[i]) {
				pins = append(pins, plan.Ref{ID: entries[i].ID})
			}
		}
		if len(pins) == n {
			return nil, usage("a selector is #12, an entry id, role:user or /regexp/", "select --pin %q: none of %s", s, term.Count(len(ms), "message"))
		}
	}
	return pins, nil
}

// chooser reports whether a selector takes the entry at position i.
type chooser func(i int, e *thread.Entry) bool

func selector(s string) (chooser, error) {
	if role, ok := strings.CutPrefix(s, "role:"); ok {
		return func(_ int, e *thread.Entry) bool { return string(recall.RoleOf(e.Message)) == role }, nil
	}
	if at, err := ref.Parse(s); err == nil && at.Kind == ref.ToMessage && at.Part == 0 {
		return func(i int, _ *thread.Entry) bool { return i+1 == at.N }, nil
	}
	if len(s) > 2 && s[0] == '/' && s[len(s)-1] == '/' {
		re, err := regexp.Compile(s[1 : len(s)-1])
		if err != nil {
			return nil, usage("the syntax is RE2's: https://golang.org/s/re2syntax", "select --pin %q: %w", s, err)
		}
		return func(_ int, e *thread.Entry) bool { return matches(re, e.Message) }, nil
	}
	return func(_ int, e *thread.Entry) bool { return ref.Abbreviates(s, string(e.ID)) }, nil
}

func matches(re *regexp.Regexp, m message.Message) bool {
	for i := range m.Parts {
		if re.MatchString(recall.Text(m.Parts[i])) {
			return true
		}
	}
	return false
}
