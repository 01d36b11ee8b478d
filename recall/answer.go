package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
)

// defaultAnswer is the most bytes of an answer when ToolHandler.Max is 0.
const defaultAnswer = 16 << 10

// leastAnswer is the least bound of an answer: a frame and something in it.
const leastAnswer = 1 << 10

// ToolHandler answers the calls that a model makes of the recall tools. The zero
// value answers the default tenant, with no permission. Safe for concurrent use
// if Count and Tell are.
//
// An answer is never an error of the program: what cannot be answered is a text
// that begins with its Outcome and says what to do. Content stands in a frame:
// a line "[begin KEY what it is]" before it and "[end KEY …]" after it, where
// KEY follows from the content and does not occur in it, so nothing inside can
// end it. The same call on the same thread gives the same bytes.
type ToolHandler struct {
	// Who asks. Content that artifact.Allowed refuses to them is not shown.
	Who artifact.Requester
	// Max is the most bytes of an answer, frame included; 0 is 16 KiB,
	// less than 1 KiB is 1 KiB.
	Max int
	// Tokens is the most tokens of an answer, frame included, by Count; 0 is no
	// bound. A text of few words that says so may still exceed it.
	Tokens int
	Count  func(string) int // required where Tokens is set
	// Work bounds what all calls cost that share it; nil gives every call NewWork.
	Work *Work
	// Tell is told of every call when it is answered; nil tells nobody.
	Tell func(Retrieval)
}

// Outcome describes how a call went.
type Outcome string

// The outcomes.
const (
	Found       Outcome = "found"
	Miss        Outcome = "miss"         // the id names nothing here, or nothing matches
	BadArgument Outcome = "bad_argument" // the text says which
	UnknownTool Outcome = "unknown_tool"
	Expired     Outcome = "expired"     // the artifact's time is over
	Erased      Outcome = "erased"      // it was removed on purpose
	Sealed      Outcome = "sealed"      // it is encrypted, and the key is not here
	Denied      Outcome = "denied"      // a permission is missing
	NoRoom      Outcome = "no_room"     // Tokens does not hold any of it
	Stopped     Outcome = "stopped"     // the context ended
	Unavailable Outcome = "unavailable" // the store failed
)

// Retrieval is one answered call: names and numbers, never content.
type Retrieval struct {
	Tool    string // as it was called
	Outcome Outcome
	// Refs name what was shown or, refused, what was asked for: each once, in the
	// order shown; "#12/2", or the id of a record or an artifact.
	Refs []string
	// Bytes states how much was shown, Tokens the whole answer by ToolHandler.Count, 0
	// without one.
	Bytes, Tokens int
	Degraded      string // see Findings
	Err           error  // why it is Denied, Stopped, Unavailable and the like
}

// refusal is an Outcome with what the model is told.
type refusal struct {
	outcome Outcome
	text    string
}

func (e *refusal) Error() string { return e.text }

// toolCall is one call being answered.
type toolCall struct {
	ctx  context.Context
	r    *Reader
	args *arguments
	got  *Retrieval
	work *Work
}

// answerWithin makes as much of an answer as has room, in bytes of content.
type answerWithin func(room int) answerText

// answerText is an answer before it is framed: what it is, the content, and what is
// missing of it.
type answerText struct {
	head, body, tail string
	refs             []string
}

// Answer answers a call of a tool by its name, with the arguments as the model
// wrote them. failed says that it asked for what is not there, or in a way that
// is not understood; a search that finds nothing has not failed.
func (a ToolHandler) Answer(ctx context.Context, r *Reader, name string, args json.RawMessage) (text string, failed bool) {
	got := Retrieval{Tool: name, Outcome: Found}
	text, err := a.answer(ctx, r, args, &got)
	if err != nil {
		text = got.refuse(err)
	}
	if a.Count != nil {
		got.Tokens = a.Count(text)
	}
	if a.Tell != nil {
		a.Tell(got)
	}
	return text, err != nil && !errors.Is(err, errNothing)
}

func (a ToolHandler) answer(ctx context.Context, r *Reader, raw json.RawMessage, got *Retrieval) (string, error) {
	d := find(got.Tool)
	if d == nil {
		return "", &refusal{UnknownTool, "there is no tool " + short(got.Tool) + " here"}
	}
	r, err := r.For(a.Who)
	if err != nil {
		return "", err
	}
	l := &toolCall{ctx: ctx, r: r, args: d.arguments(got.Tool, raw), got: got, work: a.Work}
	if l.work == nil {
		l.work = NewWork()
	}
	show, err := d.look(l)
	if err = cmp.Or(l.args.err, err, ctx.Err()); err != nil {
		return "", err
	}
	return a.fit(show, got)
}

// frameRoom bounds the bytes of a frame.
const frameRoom = 512

// fit frames as much as the bounds allow.
func (a ToolHandler) fit(show answerWithin, got *Retrieval) (string, error) {
	const least = 32 // bytes of content below which nothing is shown
	for room := max(cmp.Or(a.Max, defaultAnswer), leastAnswer) - frameRoom; room >= least; {
		s := show(room)
		text := framed(s)
		n := 0
		if a.Tokens > 0 {
			n = a.Count(text)
		}
		if n <= a.Tokens {
			got.Refs, got.Bytes = s.refs, len(s.body)
			return text, nil
		}
		room = min(room, len(s.body))
		room = min(room*9/10, room*a.Tokens/n)
	}
	return "", &refusal{NoRoom, fmt.Sprintf("the prompt has room for %d tokens, which holds none of it", a.Tokens)}
}

// errNothing is a search without hits: an answer, not a fault.
var errNothing = errors.New("nothing found")

// kinds tells the errors of reading apart.
var kinds = []struct {
	err error
	is  Outcome
}{
	{artifact.ErrDenied, Denied},
	{ErrExpired, Expired},
	{store.ErrErased, Erased},
	{ErrSealed, Sealed},
	{errNothing, Miss},
	{ErrMiss, Miss},
	{store.ErrNotFound, Miss},
	{context.Canceled, Stopped},
	{context.DeadlineExceeded, Stopped},
}

// refuse notes why a call was not answered and says so.
func (got *Retrieval) refuse(err error) string {
	var why *refusal
	if errors.As(err, &why) {
		got.Outcome = why.outcome
		return string(why.outcome) + ": " + why.text
	}
	got.Outcome, got.Err = Unavailable, err
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			got.Outcome = k.is
			break
		}
	}
	var denied *artifact.AccessError
	switch {
	case got.Outcome == Unavailable: // an error of the store's may name paths and machines
		return "unavailable: the log cannot be read now; the same call may work later"
	case got.Outcome == Stopped:
		return "stopped: the call was given up before it was answered"
	case errors.As(err, &denied):
		return "denied: reading " + denied.Artifact + " takes the permission " + denied.Missing
	}
	return string(got.Outcome) + ": " + err.Error()
}

// find resolves the id that was given, which this view must show.
func (l *toolCall) find() (Place, error) {
	ref := l.args.id()
	if l.args.err == nil && ref == "" {
		l.args.fail("id is missing; %s", l.ids())
	}
	if l.args.err != nil {
		return Place{}, l.args.err
	}
	l.got.Refs = []string{window(ref, 0, 0, 80)}
	l.r, ref = l.r.of(ref)
	p, err := l.r.Find(l.ctx, ref)
	if errors.Is(err, ErrMiss) {
		return p, &refusal{Miss, err.Error() + l.nearest(ref) + "; " + l.ids()}
	}
	if err != nil {
		return p, err
	}
	l.got.Refs = []string{l.r.nameOf(p)}
	return p, l.r.denied(p)
}

// ids reports what ids look like.
func (l *toolCall) ids() string {
	said := fmt.Sprintf("ids are #1 to %s for messages, #1/2 for the second part of one, "+
		"and r or a with 12 hex digits, as markers in the conversation give them; %s lists them", ref.Message(l.r.Thread.Len()), listTool)
	if note := l.r.earlierNote(); note != "" {
		said += "; " + note
	}
	return said
}

// nearest names the records and artifacts whose ids are like one that names
// nothing.
func (l *toolCall) nearest(ref string) string {
	const far = 4
	type near struct {
		id   string
		away int
	}
	var all []near
	add := func(id string) {
		if n := distance(ref, id); n < far {
			all = append(all, near{id, n})
		}
	}
	for i := range l.r.Artifacts {
		add(l.r.Artifacts[i].ID)
	}
	if l.r.Plan != nil {
		for i := range l.r.Plan.Records {
			add(l.r.Plan.Records[i].ID)
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(a.away, b.away), cmp.Compare(a.id, b.id)) })
	var names []string
	for _, n := range all[:min(len(all), 3)] {
		names = append(names, n.id)
	}
	if len(names) == 0 {
		return ""
	}
	return "; near to it: " + strings.Join(names, ", ")
}

// distance returns how many bytes must be put in, taken out or changed to make b of
// a; for long texts, how much longer one is.
func distance(a, b string) int {
	if n := max(len(a), len(b)) - min(len(a), len(b)); n > 8 {
		return n
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0] // of the row above, one to the left
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
