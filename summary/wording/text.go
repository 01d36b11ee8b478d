// Package wording writes a summary's state as the text that a model reads.
//
// Use: Text for a structured summary; Session, Handover and Archive for the presets
// of those names; Placeholder where no summary could be written. Law: no content can
// start a line and look like a heading. Promise: deterministic, never more tokens
// than the cap, and what is left out for room is chosen by rank: what users demanded
// stays longest.
package wording

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/contradict"
)

// Version is the version of the text form, named in its first line.
const Version = "v1.1"

// minScore is the score from which an identifier is worth its place; below it, one is
// shown only where room is left over.
const minScore = 3

// section is a heading of the text form, in the order shown.
type section int

const (
	constraints section = iota
	facts
	requests
	steps
	stepsSaid
	open
	files
	commands
	failures
	outcomes
	decisions
	findings
	artifacts
	ledger
	sections // their number
)

var headings = [sections]string{
	constraints: "## Constraints and preferences (verbatim)",
	facts:       "## Facts stated",
	requests:    "## Requests of the user, in order",
	steps:       "## Current plan",
	stepsSaid:   "## Plan of the agent when it told it; steps may be done since",
	open:        "## Open items",
	files:       "## Files",
	commands:    "## Commands run",
	failures:    "## Errors and resolutions",
	outcomes:    "## Tool outcomes",
	decisions:   "## Decisions of the agent when it made them",
	findings:    "## Findings of the agent when it told them; later work may have changed them",
	artifacts:   "## Artifacts",
	ledger:      "## Identifiers, in the line they stood in",
}

// line is one line of the text form and what decides whether it stays.
type line struct {
	section section
	rank    int // lower is kept before higher
	worth   float64
	text    string
	short   string // a clipped form; "" when there is none
	said    string // of a preference: the words alone
	// lead, when set, begins a line that neighbours with the same lead share.
	lead string
	// shortLead takes its place beside the short form, "" where it stays.
	shortLead string
	// group is the number of the lines that belong together, 0 for none; clipped says that the
	// short form stands.
	group   int
	clipped bool
	// crowds says that its message has more rules than its share.
	crowds bool
}

// perLine is how many items share a line, and lineBytes about how long it may get.
const (
	perLine   = 8
	lineBytes = 320
)

// Longest forms in bytes; what is cut ends in "…" and its pointer.
const (
	maxFact     = 600
	maxDecision = 400
	maxTask     = 1600
	maxStep     = 200
	maxCommand  = 200
	maxError    = 220
	maxSaid     = 220 // of the agent, with the sentence that decides how it is meant
	maxCommit   = 90
	shortFact   = 90
)

// Text returns the text form: as much of the summary as fits into limit tokens under
// count. Constraints stand first, then task, plan and open items; then each kind of line
// has its share, in the order of the ranks: preferences, open errors, verdicts of tests,
// changed files, calls with consequences, facts, decisions, earlier requests, commands and
// so on. Calls with consequences have some room before the request stands at length. Limit 0
// or a nil count is no cap.
// The first line names the version; "#n" is the n-th message of the thread.
func Text(s *summary.Structured, limit int, count func(string) int) string {
	ls := lines(s)
	if limit > 0 && count != nil {
		return fit(header(s), ls, limit, count)
	}
	return compose(header(s), ls)
}

// Rules returns the section of what the user demanded and prefers, within limit tokens under
// count; limit 0 or a nil count is no cap. "" where there is nothing.
func Rules(s *summary.Structured, limit int, count func(string) int) string {
	ls := factLines(slices.DeleteFunc(slices.Clone(s.Facts), func(f summary.Fact) bool { return sectionOf(&f) != constraints }))
	if len(ls) == 0 {
		return ""
	}
	if limit > 0 && count != nil {
		return strings.TrimPrefix(fit("", ls, limit, count), "\n")
	}
	return strings.TrimPrefix(compose("", ls), "\n")
}

// Done returns what a summary tells of files that were changed and of commands and other calls
// that are not made twice without consequences, "" where there is nothing.
func Done(s *summary.Structured) string {
	s = located(s)
	return compose("", slices.DeleteFunc(slices.Concat(fileLines(s), commandLines(s), outcomeLines(s)), func(l line) bool { return l.rank != rankChanged && l.rank != rankEffect }))
}

// Found returns what a summary tells of what was looked up, "" where there is nothing.
func Found(s *summary.Structured) string {
	return compose("", slices.DeleteFunc(outcomeLines(s), func(l line) bool { return l.rank != rankFound }))
}

func header(s *summary.Structured) string {
	h := "[Summary " + Version + "]"
	if s.To.N > 0 {
		h += " of messages " + ref.Message(s.From.N).String() + " to " + ref.Message(s.To.N).String() + apart(s.Apart, s.To.N) + "; (#n) is where an item stands in the log"
	}
	return h
}

// Bare reports whether a text of a summary is its head and no more, though its state says
// something.
func Bare(text string, s *summary.Structured) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "[Summary "+Version+"]") && !strings.Contains(text, "\n") && len(lines(s)) > 0
}

// mostApart is how many messages that stand beside a summary are named one by one.
const mostApart = 3

// apart says which messages of the user, and instructions, stand below a summary of what was
// before and after them: what comes last in the prompt was not said last.
func apart(numbers []int, last int) string {
	if len(numbers) == 0 {
		return ""
	}
	named := make([]string, len(numbers))
	for i, n := range numbers {
		named[i] = ref.Message(n).String()
	}
	which, end := "", numbers[len(numbers)-1]
	switch n := len(numbers); {
	case n > mostApart:
		which = Count(n, "message")
	case n > 1:
		which = strings.Join(named[:n-1], ", ") + " and " + named[n-1]
	default:
		which = named[0]
	}
	where := " (below"
	if end < last {
		where += ", older than " + ref.Message(end+1).String()
	}
	return ", without " + which + where + ")" // in few words: it stands in the smallest summary
}

func compose(header string, ls []line) string {
	var b strings.Builder
	b.WriteString(header)
	at, lead, shared, began := section(-1), "", 0, 0
	for i := range ls {
		l := &ls[i]
		if l.section != at {
			at, lead = l.section, ""
			b.WriteString("\n" + headings[at])
		}
		if l.lead != "" && l.lead == lead && shared < perLine && b.Len()-began+len(l.text) < lineBytes {
			b.WriteString(", " + l.text)
			shared++
			continue
		}
		began = b.Len()
		b.WriteString("\n" + l.lead + l.text)
		lead, shared = l.lead, 1
	}
	return b.String()
}

// lines writes every item, in the order shown.
func lines(s *summary.Structured) []line {
	s = located(s)
	var ls []line
	ls = append(ls, factLines(s.Facts)...)
	ls = append(ls, requestLines(s)...)
	ls = append(ls, stepLines(s)...)
	ls = append(ls, openLines(s)...)
	ls = append(ls, fileLines(s)...)
	ls = append(ls, commandLines(s)...)
	ls = append(ls, failureLines(s)...)
	ls = append(ls, outcomeLines(s)...)
	gone := summary.Deletions(s.Files)
	for _, d := range standing(s) {
		text := item(decisionText(d), d.From)
		if d.Next.N > 0 {
			text += ", a change followed in " + ref.Message(d.Next.N).String()
		}
		if n := d.DeletedSince(gone); n > 0 {
			text += ", before a file that it names was deleted or made anew (" + ref.Message(n).String() + ")"
		}
		ls = append(ls, line{section: decisions, rank: rankDecision, worth: float64(d.From.N), text: text})
	}
	for _, a := range s.Artifacts {
		ls = append(ls, line{section: artifacts, rank: rankArtifact, worth: float64(a.From.N), text: item(artifactText(a), a.From)})
	}
	for _, m := range s.Ledger {
		l := line{section: ledger, rank: rankLedger, worth: m.Score, text: item(oneline.Of(m.Line), m.From)}
		if m.Score < minScore {
			l.rank = rankScrap
		}
		ls = append(ls, l)
	}
	slices.SortStableFunc(ls, func(a, b line) int { return int(a.section) - int(b.section) })
	return ls
}

func item(text string, at summary.Source) string {
	return "- " + text + numbered(at)
}

// sectionOf returns where a fact is told.
func sectionOf(f *summary.Fact) section {
	switch {
	case f.Pinned:
	case f.Kind == summary.Plain:
		return facts
	case f.Kind == summary.Finding:
		return findings
	}
	return constraints
}

// worthOf returns what a fact is worth beside others of its kind: pins stand before all, what crowds behind.
func worthOf(f *summary.Fact, crowding int) float64 {
	worth := float64(f.From.N) - 1e6*float64(crowding)
	if f.Pinned {
		worth += 1e9
	}
	return worth
}

func factLines(told []summary.Fact) []line {
	var ls []line
	crowding := summary.Crowding(told)
	for i, f := range told {
		l := line{section: sectionOf(&f), rank: rankConstraint, worth: worthOf(&f, crowding[i]), crowds: crowding[i] > 0}
		switch {
		case f.Pinned:
			l.crowds = false
		case f.Kind == summary.Preference:
			l.rank, l.said = rankWish, oneline.Of(f.Text)
		case f.Kind == summary.Plain:
			l.rank = rankFact
		case f.Kind == summary.Finding:
			n := contradict.Substance(f.Text)
			l.rank, l.worth = rankFinding, l.worth+1e6*float64(n)
			if n == 2 {
				l.rank, l.worth = rankDecision, float64(f.From.N)-.5
			}
		}
		text := oneline.Of(f.Text)
		if f.Who != "" {
			text = oneline.Of(f.Who) + ": " + text
		}
		l.text = item(oneline.Clip(text, maxFact), f.From)
		if l.rank <= rankWish {
			l.short = item(oneline.Clip(text, shortFact), f.From)
		}
		ls = append(ls, l)
	}
	return ls
}

func stepLines(s *summary.Structured) []line {
	var ls []line
	for i, p := range s.Steps() {
		in, mark := steps, "[ ] "
		if p.Said {
			in, mark = stepsSaid, ""
		}
		switch p.Status {
		case summary.Done:
			mark = "[x] "
		case summary.Doing:
			mark = "[~] "
		}
		l := line{section: in, rank: rankTask, worth: -float64(i), text: item(mark+oneline.Clip(oneline.Of(p.Text), maxStep), p.From)}
		if p.Status == summary.Done {
			l.rank = rankDone
		}
		ls = append(ls, l)
	}
	return ls
}

// ahead is the worth of a line that comes before those that are worth the number of their message.
const ahead = 1e9

func openLines(s *summary.Structured) []line {
	var ls []line
	unticked := map[string]int{}
	for _, o := range s.Open {
		if o.Status != summary.Done && !o.Made {
			unticked[o.File]++
		}
	}
	before := ""
	for i, o := range s.OpenItems() {
		text := "(" + string(o.Priority) + ") " + oneline.Clip(oneline.Of(o.Text), 300)
		if o.Context != "" {
			text += " — " + oneline.Clip(oneline.Of(o.Context), maxStep)
		}
		l := line{section: open, rank: rankTask, worth: float64(o.From.N), text: item(text, o.From)}
		switch {
		case o.File != "":
			l.rank, l.worth = rankDecision, ahead-float64(i)
			in := "unticked in " + path.Base(o.File)
			if n := unticked[o.File]; n > summary.MostUnticked && o.File != before { // a step that stands twice is not counted
				in = "the first of at least " + strconv.Itoa(n) + " " + in
			}
			if before = o.File; o.Context != "" {
				in += ", " + oneline.Of(o.Context)
			}
			l.text = item("[ ] "+oneline.Clip(oneline.Of(o.Text), maxStep)+" — "+in, o.From)
		case o.LeftByAgent():
			l.rank = rankDone
		}
		ls = append(ls, l)
	}
	return ls
}

// standing returns the decisions that the agent did not doubt as it made them.
func standing(s *summary.Structured) []summary.Decision {
	return slices.DeleteFunc(slices.Clone(s.Decisions), func(d summary.Decision) bool { return d.Doubted })
}

func decisionText(d summary.Decision) string {
	text := oneline.Clip(oneline.Of(d.Text), maxDecision)
	if d.Rationale != "" {
		text += " — because " + oneline.Clip(oneline.Of(d.Rationale), maxStep)
	}
	return text
}

func artifactText(a summary.Artifact) string {
	text := oneline.Of(a.ID)
	if a.Description != "" {
		text += ": " + oneline.Clip(oneline.Of(a.Description), maxStep)
	}
	if a.Hint != "" {
		text += " — " + oneline.Clip(oneline.Of(a.Hint), maxStep)
	}
	return text
}
