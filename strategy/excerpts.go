package strategy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// leastNew is the part of the budget that must be left for a summary beside the excerpts which it
// leaves standing: one over leastNew, and one over leastNewLines beside its state. With less, the lines of
// all that it covers are chosen anew.
const leastNew, leastNewLines = 6, 12

// LeaveExcerpts lets a compaction leave the excerpts of the last summary in place, so that the prompt begins
// as it did and the provider's cache of that beginning holds. It then comes down to target tokens, not to
// Target. Where that leaves too little room for what is new, nothing changes.
func (v *View) LeaveExcerpts(target int) {
	last := v.onlySummary()
	if last == nil || len(last.Excerpts) == 0 {
		return
	}
	if sound, err := v.summaries(last.Span); err != nil || len(sound) == 0 {
		return // its lines, too, speak of messages that were put back
	}
	span, cost := Summarize{From: Old, Fill: true}.span(v)
	room := v.roomBelow(target, cost) - v.ExcerptTokens(last.Excerpts)
	if room >= max(v.Limits.Budget/leastNew, stateTokens+v.Limits.Budget/leastNewLines) && v.covers(span, last) {
		v.standing, v.Target = last, target
	}
}

// onlySummary returns the summary of a draft that has one and no more, else nil.
func (d *Draft) onlySummary() (only *plan.Record) {
	for i := range d.cells {
		r := d.cells[i].whole
		switch {
		case r == nil || r.Action != plan.Summarize || r == only:
		case only != nil:
			return nil
		default:
			only = r
		}
	}
	return only
}

// covers reports whether a span has all that a record stands for.
func (d *Draft) covers(span plan.Span, r *plan.Record) bool {
	n := 0
	for _, i := range d.T.Positions(span.IDs) {
		if d.Whole(i) == r {
			n++
		}
	}
	return n == r.Span.Count()
}

// excerpts returns those that a summary of a span leaves standing, and the part of the span whose lines
// are still to be chosen. Only one that fills the room leaves any: a cap may be less than they take.
func (s Summarize) excerpts(v *View, span plan.Span) (standing []string, rest plan.Span) {
	if !s.Fill || v.standing == nil || !v.covers(span, v.standing) {
		return nil, span
	}
	rest = span
	rest.IDs = slices.DeleteFunc(slices.Clone(span.IDs), func(id thread.ID) bool {
		i, _ := v.T.Find(id)
		return v.Whole(i) == v.standing
	})
	return v.standing.Excerpts, rest
}

// ExcerptTokens returns what excerpts of a summary take in the prompt.
func (d *Draft) ExcerptTokens(excerpts []string) (n int) {
	for _, e := range excerpts {
		n += d.Meter.Message(message.TextOf(d.Style.Role, render.ExcerptHead+e))
	}
	return n
}

// ofResult finds the lines of an excerpt that begin what it quotes of a result, with the number of the
// message. Quoted content does not imitate them: see speakers.
var ofResult = regexp.MustCompile(`(?m)^#(\d+) tool(?:, .*?)?( changed since)?: `)

// outdated says, in a line, which results that excerpts quote show files as they were before a later
// change; "" for none. Excerpts do not change, so that the text below them has to say it.
func (v *View) outdated(excerpts []string, made *summary.Structured) string {
	if len(excerpts) == 0 {
		return ""
	}
	from := newOrigins(v.T, made, true, v.Meter.Text)
	var files []string
	numbers := map[string][]string{} // by file, "" where a result shows more than one
	for _, e := range excerpts {
		for _, m := range ofResult.FindAllStringSubmatch(e, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil || m[2] != "" || n < 1 || n > v.T.Len() {
				continue
			}
			if x := from.at(int32(n - 1)); x.changed {
				if numbers[x.of] == nil {
					files = append(files, x.of)
				}
				numbers[x.of] = append(numbers[x.of], ref.Message(n).String())
			}
		}
	}
	if len(files) == 0 {
		return ""
	}
	for i, file := range files {
		files[i] = strings.Join(numbers[file], ", ")
		if file != "" {
			files[i] += " (" + file + ")"
		}
	}
	return OutdatedHead + strings.Join(files, ", ") + "\n"
}

// OutdatedHead begins the line of a summary that names the messages outdated finds.
const OutdatedHead = "Of the lines above, those of files that changed since: "
