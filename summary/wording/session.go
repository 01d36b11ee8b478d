package wording

import (
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// DefaultSessionCap is the most tokens a session summary takes beside its task.
const DefaultSessionCap = 800

// SessionOptions set how a session summary is written. The zero value is an
// unknown task and no cap.
type SessionOptions struct {
	// Task is the original request, shown verbatim and outside of the cap; ""
	// shows as "Unknown task". TaskID is the message it came from, if known:
	// facts taken from there are not said twice.
	Task   string
	TaskID thread.ID
	// Round is the compaction round; 0 is the summary's own.
	Round int
	// Cap is the most tokens under Count of everything but the task; 0 is
	// DefaultSessionCap. A nil Count is no cap.
	Cap   int
	Count func(string) int
	// SearchTool is the tool that searches the log; "" names none.
	SearchTool string
}

// The sections, in the order shown.
const (
	partWork = iota
	partDecisions
	partState
	partPending
	partErrors
	parts // their number
)

var sessionHeads = [parts]string{
	partWork: "### Completed Work\n" +
		"| File/Component | Action | Description |\n" +
		"|----------------|--------|-------------|",
	partDecisions: "### Key Technical Decisions",
	partState:     "### Current State",
	partPending:   "### Pending Work",
	partErrors:    "### Errors & Resolutions",
}

// Ranks of rows: what is kept before what, and the share of the cap that a rank
// may take before the ranks below it had theirs.
const (
	rowState = iota // working on, last completed
	rowConstraint
	rowPending
	rowFailure
	rowChanged
	rowDecision
	rowWish
	rowCommand
	rowFixed
	rowArtifact
	rowLater // low priority, findings, steps done
	rowRead
	rowLedger
	rows // their number
)

var rowShare = [rows]float64{
	rowState: .25, rowConstraint: .35, rowPending: .12, rowFailure: .1, rowChanged: .18, rowDecision: .15, rowWish: .1,
	rowCommand: .08, rowFixed: .08, rowArtifact: .08, rowLater: .05, rowLedger: .1,
}

// Session writes the summary in the sections of the session design: the task as it was
// given, then as much of the rest as fits, by priority. What a user demanded has no
// section of its own there; it stands first among the decisions, since it binds what
// follows. Where rows are left out or cut, a line says what, and how to find it. A cap
// too small for the sections leaves the task alone, one too small for the header "".
func Session(s *summary.Structured, o SessionOptions) string {
	s = located(s)
	f := &form{s: s, o: o, round: max(o.Round, 1), task: o.Task}
	if o.Round == 0 {
		f.round = max(s.Round, 1)
	}
	if f.o.Cap == 0 {
		f.o.Cap = DefaultSessionCap
	}
	if strings.TrimSpace(f.task) == "" {
		f.task = "Unknown task"
	}
	f.ps = f.pieces()
	for i := range f.ps {
		f.had[f.ps[i].part] = true
	}
	head := f.head()
	text, ok := f.fill()
	switch {
	case ok:
		return head + f.task + text[len(head):]
	case f.o.Count(head) <= f.o.Cap:
		return head + f.task
	}
	return ""
}

// form is a session summary being written.
type form struct {
	s     *summary.Structured
	o     SessionOptions
	round int
	task  string
	ps    []piece
	had   [parts]bool // the section has something to say
}

func (f *form) head() string {
	return "## Session Summary (Compaction Round " + strconv.Itoa(f.round) + ")\n\n### Original Task\n"
}

// noteShare is the part of the room that the note may take.
const noteShare = 4

// fill writes everything but the task, within the cap. It is false when not even
// the sections fit.
func (f *form) fill() (string, bool) {
	limit, count := f.o.Cap, f.o.Count
	all, none := make([]bool, len(f.ps)), make([]bool, len(f.ps))
	for i := range all {
		all[i] = true
	}
	whole := f.write(all, f.note(all))
	if count == nil || count(whole) <= limit {
		return whole, true
	}
	left := limit - count(f.write(none, ""))
	for part, had := range f.had {
		if had { // rows take the place of the word that they are left out
			left += count("\n" + f.empty(part))
		}
	}
	left -= min(count("\n\n"+f.note(none)), left/noteShare)
	c := choose(f.ps, "\n", left, rowShare[:], count)
	return c.settle(limit, count, func() string {
		text := f.write(c.keep, f.note(c.keep))
		if count(text) > limit {
			return f.write(c.keep, "")
		}
		return text
	})
}

// write returns the form with an empty task.
func (f *form) write(keep []bool, note string) string {
	var b strings.Builder
	b.WriteString(f.head())
	i := 0
	for part := range parts {
		if part == partErrors && !f.had[part] {
			continue
		}
		b.WriteString("\n\n" + sessionHeads[part])
		kept := false
		for ; i < len(f.ps) && f.ps[i].part == part; i++ {
			if keep[i] {
				kept = true
				b.WriteString("\n" + f.ps[i].text)
			}
		}
		if !kept {
			b.WriteString("\n" + f.empty(part))
		}
	}
	if note != "" {
		b.WriteString("\n\n" + note)
	}
	if f.round > 1 {
		b.WriteString("\n\nThis summary incorporates context from " + strconv.Itoa(f.round-1) + " previous compaction rounds.")
	}
	return b.String()
}

// empty stands in a section without rows.
func (f *form) empty(part int) string {
	text := "none"
	if f.had[part] {
		text = "left out for room"
	}
	if part == partWork {
		return "| " + text + " | | |"
	}
	return "- " + text
}

// maxNumbers is how many messages a note names.
const maxNumbers = 8

// note says what the rows shown leave out or cut, and how to find it; "" when
// there is nothing to say.
func (f *form) note(keep []bool) string {
	var kinds []string
	gone, cut, at := map[string]int{}, false, ""
	named := 0
	for i := range f.ps {
		p := &f.ps[i]
		if keep[i] {
			cut = cut || p.cut && p.from.N > 0
			continue
		}
		if gone[p.kind] == 0 {
			kinds = append(kinds, p.kind)
		}
		gone[p.kind]++
		if p.rank == rowConstraint && p.from.N > 0 && named < maxNumbers && !strings.Contains(at, numbered(p.from)) {
			at += numbered(p.from)
			named++
		}
	}
	if len(kinds) == 0 && !cut {
		return ""
	}
	for i, k := range kinds {
		kinds[i] = Count(gone[k], k)
		if k == kindConstraint {
			kinds[i] += at
		}
	}
	note := "The log holds all of it"
	if len(kinds) > 0 {
		note = "Left out for room: " + strings.Join(kinds, ", ") + ". The log holds them"
	}
	if f.s.To.N > 0 {
		note += "; #n is its n-th message"
	}
	if f.o.SearchTool != "" {
		note += "; search it with " + f.o.SearchTool
	}
	return note + "."
}

// numbered returns the pointer to a message.
func numbered(at summary.Source) string { return " (" + ref.Message(at.N).String() + ")" }

// Count is so many of something, in words: "1 message", "2 messages".
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
