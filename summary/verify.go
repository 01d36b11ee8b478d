package summary

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary/internal/reach"
	"github.com/seed-3db51b0e/precis/thread"
)

// ErrUnsupported is the error of a summary that names what its span does not hold,
// ErrLostPin of one that leaves a pinned text out.
var (
	ErrUnsupported = errors.New("summary names what its span does not hold")
	ErrLostPin     = errors.New("summary lost a pinned text")
)

// UnsupportedError is the first thing a summary names that its span does not
// hold. It wraps ErrUnsupported.
type UnsupportedError struct {
	Section string // as in JSON: "facts", "ledger", …
	Item    int    // counted from 0
	Value   string
	From    Source
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("verify summary: %s %d names %q (%s): %v", e.Section, e.Item, oneline.Clip(e.Value, 80), ref.Message(e.From.N), ErrUnsupported)
}

// Redacted is the error without the value: where it stands in the summary, and what is wrong.
func (e *UnsupportedError) Redacted() string {
	return fmt.Sprintf("verify summary: %s %d: %v", e.Section, e.Item, ErrUnsupported)
}

// Unwrap makes errors.Is find ErrUnsupported.
func (e *UnsupportedError) Unwrap() error { return ErrUnsupported }

// lostPinError is a pinned text that a summary leaves out. It wraps ErrLostPin.
type lostPinError struct{ fact Fact }

func (e *lostPinError) Error() string {
	return fmt.Sprintf("verify summary: %q (%s): %v", oneline.Clip(e.fact.Text, 80), ref.Message(e.fact.From.N), ErrLostPin)
}

// Redacted is the error without the text.
func (e *lostPinError) Redacted() string { return "verify summary: " + ErrLostPin.Error() }

// Unwrap makes errors.Is find ErrLostPin.
func (e *lostPinError) Unwrap() error { return ErrLostPin }

// Verify checks a summary before it is committed: every source, id, path,
// number and quoted value it names occurs in the span, pinned texts stand
// verbatim, and the pinned texts of earlier summaries survive. The error is an
// *UnsupportedError for the first such thing, or wraps ErrLostPin.
func Verify(s *Structured, t *thread.Thread, span plan.Span, previous ...*Structured) error {
	reach := reach.Of(t, span)
	v := &verifier{t: t, reach: reach, in: reach.Union(), text: map[int]string{}}
	if err := v.all(s); err != nil {
		return err
	}
	return v.pinsSurvive(s, previous)
}

// pinsSurvive checks the pinned texts of earlier summaries, but for those that end before
// the span.
func (v *verifier) pinsSurvive(s *Structured, previous []*Structured) error {
	var have map[string]bool
	for _, p := range previous {
		if p == nil || p.To.N > 0 && !v.has(p.To.N-1, p.To.ID) {
			continue
		}
		for _, f := range p.Facts {
			if f.Pinned && have == nil {
				have = folded(s.Facts)
			}
			if f.Pinned && !have[oneline.Fold(f.Text)] {
				return &lostPinError{f}
			}
		}
	}
	return nil
}

func folded(facts []Fact) map[string]bool {
	have := make(map[string]bool, len(facts))
	for _, f := range facts {
		have[oneline.Fold(f.Text)] = true
	}
	return have
}

type verifier struct {
	t      *thread.Thread
	reach  reach.Reach    // of the span
	in     reach.Reach    // its union
	text   map[int]string // position → readable text on one line
	joined string
	far    int             // searches beyond near
	apart  map[string]bool // paths named in two parts; nil until it is asked for
	ranIn  map[string]bool // folders that something ran in
}

// all checks every item, section by section. A flat list.
func (v *verifier) all(s *Structured) error {
	c := checker{v: v}
	if s.Narrative != "" {
		c.item("narrative", 0, s.To, withoutCounts(s.Narrative, v.parts()))
	}
	for i, f := range s.Facts {
		c.item("facts", i, f.From, f.Text, f.Who)
		if f.Pinned {
			c.verbatim(f.Text)
		}
	}
	c.note("current_task", 0, s.Task)
	c.note("last_completed", 0, s.LastDone)
	c.requests(s.Requests)
	for i, p := range s.Plan {
		c.item("current_plan", i, p.From, p.Text)
	}
	for i, o := range s.Open {
		c.item("open_items", i, o.From, o.Text, o.Context, path.Base(o.File))
	}
	for i, d := range s.Decisions {
		c.item("decisions", i, d.From, d.Text, d.Rationale)
		c.later("decisions", i, d.Next)
	}
	c.work(s)
	for i, o := range s.Outcomes {
		c.later("tool_outcomes", i, o.First)
		c.item("tool_outcomes", i, o.From, o.Tool, o.Error)
		for _, f := range o.Fields {
			c.item("tool_outcomes", i, o.From, f.Value)
		}
	}
	for i, a := range s.Artifacts {
		c.item("artifacts", i, a.From, a.Description)
	}
	for i, m := range s.Ledger {
		c.item("ledger", i, m.From)
		c.verbatim(m.Value)
		for seg := range strings.SplitSeq(m.Line, oneline.Ellipsis) {
			c.verbatim(seg)
		}
	}
	return c.err()
}

// requests checks what the user asked for, and what came of it.
func (c *checker) requests(all []Request) {
	for i, x := range all {
		c.item("requests", i, x.From, x.Text)
		c.later("requests", i, x.Ended)
		c.later("requests", i, x.Failed)
		c.later("requests", i, x.Then)
		c.later("requests", i, x.Reply)
	}
}

// work checks what was done: errors, files, commands.
func (c *checker) work(s *Structured) {
	for i, f := range s.Errors {
		c.item("errors", i, f.From, f.Text, f.Command, f.Test)
		c.later("errors", i, f.Fixed, f.Fix)
		c.note("errors", i, f.Why)
	}
	if s.Folder != "" {
		c.item("folder", 0, s.To, s.Folder)
	}
	if s.Stands != "" {
		c.item("stands", 0, s.To, s.Stands)
	}
	for i, f := range s.Files {
		c.item("files", i, f.From, f.About)
		if f.Undone != nil {
			c.later("files", i, f.Undone.After)
			c.later("files", i, f.Undone.In)
			c.later("files", i, f.Undone.Call)
			c.note("files", i, f.Undone.Why)
		}
		c.later("files", i, f.First)
		c.later("files", i, f.Made)
		c.later("files", i, f.Swept)
		for _, x := range f.Restores {
			c.later("files", i, x.After)
			c.later("files", i, x.In)
		}
		c.paths(f.Path, f.Of)
	}
	for i, x := range s.Commands {
		c.item("commands", i, x.From, x.Error)
		c.note("commands", i, x.Said)
		c.verbatim(x.Line)
		c.paths(x.In)
		c.paths(x.Changed...)
	}
	for i := range s.Effects {
		c.item("side_effects", i, s.Effects[i].From, s.Effects[i].Text, s.Effects[i].Commit)
		c.paths(s.Effects[i].In)
	}
}

// counted finds counts of what a conversation is made of: "read 14 files".
var counted = regexp.MustCompile(`\b\d{2,4} (?:\w+ )?(?:files|folders|directories|messages|calls|commands|runs|edits|changes|results|errors|failures|steps|times|rounds|turns|searches|pages|questions|requests|attempts)\b`)

// withoutCounts leaves out the numbers of things that a teller counts and no message
// need say, as far as there may be so many.
func withoutCounts(text string, most int) string {
	return counted.ReplaceAllStringFunc(text, func(said string) string {
		digits, rest, _ := strings.Cut(said, " ")
		if n, err := strconv.Atoi(digits); err == nil && n <= most {
			return rest
		}
		return said
	})
}

// parts returns how many parts the messages of the span have.
func (v *verifier) parts() (n int) {
	for _, x := range v.reach {
		for i := x.From; i < x.To; i++ {
			n += len(v.t.At(i).Message.Parts)
		}
	}
	return n
}

// checker remembers the item at hand and the first thing that the span does not hold.
type checker struct {
	v       *verifier
	section string
	n       int
	from    Source
	at      int // position of from
	found   *UnsupportedError
}

func (c *checker) err() error {
	if c.found == nil {
		return nil
	}
	return c.found
}

// item checks the source of an item and the values its texts name.
func (c *checker) item(section string, n int, from Source, texts ...string) {
	if c.found != nil {
		return
	}
	c.section, c.n, c.from = section, n, from
	if c.at = from.N - 1; !c.v.has(c.at, from.ID) {
		c.unsupported(string(from.ID))
		return
	}
	for _, t := range texts {
		eachNamed(t, func(x string) {
			if c.found == nil && !c.v.holds(x, c.at) {
				c.unsupported(x)
			}
		})
	}
}

// has reports whether the span's entry at position i is the one of that id.
func (v *verifier) has(i int, id thread.ID) bool {
	return i >= 0 && i < v.t.Len() && v.t.At(i).ID == id && v.in.Holds(i)
}

func (c *checker) note(section string, n int, x *Note) {
	if x != nil {
		c.item(section, n, x.From, x.Text)
	}
}

// later checks what may have become of an item since; a from without a number is nothing.
func (c *checker) later(section string, n int, from Source, texts ...string) {
	if from.N != 0 {
		c.item(section, n, from, texts...)
	}
}

// verbatim checks that a text stands as it is in the span.
func (c *checker) verbatim(texts ...string) {
	for _, text := range texts {
		c.stands(text)
	}
}

// paths checks that each path stands in the span: see holdsPath.
func (c *checker) paths(names ...string) {
	for _, name := range names {
		if c.found == nil && !c.v.holdsPath(name, c.at) {
			c.unsupported(name)
		}
	}
}

func (c *checker) stands(text string) {
	if c.found == nil && !c.v.holdsText(text, c.at) {
		c.unsupported(text)
	}
}

func (c *checker) unsupported(x string) {
	c.found = &UnsupportedError{Section: c.section, Item: c.n, Value: x, From: c.from}
}

// eachNamed calls f with what a text names: identifiers, numbers of two digits
// or more, and what stands between quotes or backticks.
func eachNamed(text string, f func(string)) {
	if text == "" {
		return
	}
	identifier.Scan(text, func(_ identifier.Kind, a, b int) { f(text[a:b]) })
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		j := i
		for j < len(text) && text[j] >= '0' && text[j] <= '9' {
			j++
		}
		if j-i >= 2 {
			f(text[i:j])
		}
		i = j
	}
	eachQuoted(text, "`", f)
	eachQuoted(text, `"`, f)
}

func eachQuoted(text, quote string, f func(string)) {
	for {
		_, rest, opened := strings.Cut(text, quote)
		x, rest, closed := strings.Cut(rest, quote)
		if !opened || !closed {
			return
		}
		if x = strings.TrimSpace(x); len(x) > 2 {
			f(x)
		}
		text = rest
	}
}

// holds reports whether the span holds a value; its source, at position from, is
// looked at first. A word such as "read/write" holds when its parts do.
func (v *verifier) holds(x string, from int) bool {
	if v.holdsPath(x, from) {
		return true
	}
	if !strings.Contains(x, "/") || strings.ContainsAny(x, ".~0123456789") || x[0] == '/' {
		return false
	}
	for part := range strings.SplitSeq(x, "/") {
		if !v.holdsText(part, from) {
			return false
		}
	}
	return true
}

// holdsText looks for a text as it is, on one line; what was clipped out of it
// does not count.
func (v *verifier) holdsText(x string, from int) bool {
	if head, rest, cut := strings.Cut(x, oneline.Ellipsis); cut {
		return v.holdsText(head, from) && v.holdsText(rest, from)
	}
	x = strings.TrimSpace(oneline.Of(x))
	return v.nearby(x, from) || v.before(x, from) || strings.Contains(v.whole(), x)
}

// near is how many messages up to an item's source are looked at before all are:
// a result speaks of its call.
const near = 4

func (v *verifier) nearby(x string, i int) bool {
	least := max(i-near+1, 0)
	for k := i; k >= least; k-- {
		if v.in.Holds(k) && standsIn(&v.t.At(k).Message, x) {
			return true
		}
	}
	for k := i; k >= least; k-- {
		if v.in.Holds(k) && strings.Contains(v.entry(k), x) {
			return true
		}
	}
	return false
}

// farSearches is how often all messages are looked at before their text is joined
// and searched as one.
const farSearches = 16

// before looks further back, at what is written only.
func (v *verifier) before(x string, i int) bool {
	if v.far++; v.far > farSearches || v.joined != "" {
		return false
	}
	for k := i - near; k >= 0; k-- {
		if v.in.Holds(k) && standsIn(&v.t.At(k).Message, x) {
			return true
		}
	}
	return false
}

// standsIn reports whether a text on one line stands in a message as it is written:
// then it does in what is read of it, which need not be made.
func standsIn(m *message.Message, x string) bool {
	for i := range m.Parts {
		p := &m.Parts[i]
		if strings.Contains(p.Name, x) || p.Kind != message.Result && strings.Contains(p.Body(), x) {
			return true
		}
		for j := range p.Parts {
			if p.Kind == message.Result && p.Parts[j].Kind == message.Text && strings.Contains(p.Parts[j].Text, x) {
				return true
			}
		}
	}
	return false
}
