package summary

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool"
)

// dropChanged drops what a call read in a few words where a later one changed the thing that it was
// read of, with the identifiers in these words.
func (s *Structured) dropChanged() {
	old := map[int]string{} // what was read, by message
	kept := make([]ToolOutcome, 0, len(s.Outcomes))
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		said := o.reading()
		if said != "" && slices.ContainsFunc(s.Outcomes, func(x ToolOutcome) bool { return x.changes(o) }) {
			old[o.From.N] = said
			continue
		}
		kept = append(kept, *o)
	}
	if len(old) == 0 {
		return
	}
	s.Outcomes = kept
	s.Ledger = slices.DeleteFunc(s.Ledger, func(m Mention) bool {
		said := old[m.From.N]
		return said != "" && strings.Contains(said, m.Line)
	})
}

// reading returns the few words that a call which only looks came to, "" for none.
func (o *ToolOutcome) reading() string {
	i := slices.IndexFunc(o.Fields, Field.Result)
	if i < 0 || !tool.LooksByName(o.Tool) {
		return ""
	}
	return o.Fields[i].Value
}

// changes reports whether a call came after a reading and may have changed what was read: by its name
// it changes the same thing, and no argument names another.
func (o *ToolOutcome) changes(read *ToolOutcome) bool {
	if o.From.N <= read.From.N || o.Outcome != string(tool.Success) || !tool.ActsByName(o.Tool) || !tool.SameObject(o.Tool, read.Tool) {
		return false
	}
	return !slices.ContainsFunc(o.Fields, func(f Field) bool {
		return !f.Result() && slices.ContainsFunc(read.Fields, func(g Field) bool { return g.Name == f.Name && g.Value != f.Value })
	})
}
