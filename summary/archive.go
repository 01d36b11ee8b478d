package summary

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/ref"
)

// ArchiveSchema is the version of an archive's data form.
const ArchiveSchema = 1

// ErrOrder is the error of an archive whose batches are not disjoint, in the
// order of the log and of time.
var ErrOrder = errors.New("batches are not disjoint and in order")

// Batch is one chunk of a conversation, summarized on its own.
type Batch struct {
	// Depth is 0 for a summary of messages, else one more than the deepest batch
	// folded into it.
	Depth int `json:"depth"`
	// Start and End are the times of its first and last message, zero where the
	// log has none.
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
	// From and To are its first and last message, Count how many of those
	// between it covers.
	From  Source `json:"from"`
	To    Source `json:"to"`
	Count int    `json:"count"`
	// Summary is its state, to be carried on; Text what is shown of it, "" for
	// the summary worded as a handover.
	Summary *Structured `json:"summary,omitempty"`
	Text    string      `json:"text,omitempty"`
}

// Archive is the compressed past of a conversation: batches, oldest first. A value of
// it is never changed.
type Archive struct {
	Schema  int     `json:"archive_schema"`
	Batches []Batch `json:"batches"`
}

// UnmarshalJSON reads an archive of this schema; another one, and a summary that
// is no archive, is ErrSchema.
func (a *Archive) UnmarshalJSON(data []byte) error {
	type plain Archive
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	if p.Schema != ArchiveSchema {
		return fmt.Errorf("read archive of schema %d: %w", p.Schema, ErrSchema)
	}
	*a = Archive(p)
	return nil
}

// Validate names the batch that is not after the one before it, or not itself in order;
// the error is ErrOrder.
func (a Archive) Validate() error {
	var last Batch
	for i, b := range a.Batches {
		if why := b.fault(last); why != "" {
			return fmt.Errorf("batch %d: %s: %w", i+1, why, ErrOrder)
		}
		if b.Start.IsZero() {
			b.Start = last.Start
		}
		last = b
	}
	return nil
}

// fault says what is wrong with a batch that follows last.
func (b *Batch) fault(last Batch) string {
	switch {
	case b.Count < 1 || b.From.N < 1 || b.Count > b.To.N-b.From.N+1:
		return fmt.Sprintf("%d messages from %s to %s", b.Count, ref.Message(b.From.N), ref.Message(b.To.N))
	case b.From.N <= last.To.N:
		return fmt.Sprintf("starts at %s, the one before ends at %s", ref.Message(b.From.N), ref.Message(last.To.N))
	case b.Depth < 0:
		return fmt.Sprintf("depth %d", b.Depth)
	case b.Start.IsZero() != b.End.IsZero() || b.End.Before(b.Start):
		return fmt.Sprintf("from %s to %s", b.Start.Format(time.RFC3339), b.End.Format(time.RFC3339))
	case !b.Start.IsZero() && b.Start.Before(last.Start):
		return fmt.Sprintf("starts %s, before the one before it", b.Start.Format(time.RFC3339))
	}
	return ""
}

// Count returns how many messages the archive covers.
func (a Archive) Count() int {
	n := 0
	for i := range a.Batches {
		n += a.Batches[i].Count
	}
	return n
}

// Cycles is how often the oldest messages were summarized: the greatest depth
// and one.
func (a Archive) Cycles() int {
	n := 0
	for i := range a.Batches {
		n = max(n, a.Batches[i].Depth+1)
	}
	return n
}

// buffer is how many batches more than are shown may stand before they are
// folded.
const buffer = 2

// Due reports whether batches are to be summarized again: when there are more than are
// shown and two. All but the last ones then fold into one, Batches[from:until].
func (a Archive) Due(first, last int) (from, until int, ok bool) {
	n := len(a.Batches)
	first, last = min(max(first, 0), n), min(max(last, 0), n)
	if n <= first+last+buffer {
		return 0, 0, false
	}
	return 0, n - last, true
}

// Fold returns the batch that Batches[from:until] become, without its summary and
// text; ok is false when there are none.
func (a Archive) Fold(from, until int) (b Batch, ok bool) {
	if from < 0 || until > len(a.Batches) || from >= until {
		return Batch{}, false
	}
	list := a.Batches[from:until]
	b = Batch{From: list[0].From, To: list[len(list)-1].To, Depth: Archive{Batches: list}.Cycles()}
	for i := range list {
		x := &list[i]
		b.Count += x.Count
		if b.Start.IsZero() || !x.Start.IsZero() && x.Start.Before(b.Start) {
			b.Start = x.Start
		}
		if x.End.After(b.End) {
			b.End = x.End
		}
	}
	return b, true
}

// Replace returns the archive with one batch in place of Batches[from:until];
// with from = until = len(Batches) it is added. a stays as it is: what is new is
// written before what is old goes. A batch that leaves out messages of those it
// replaces, or does not fit between its neighbours, is ErrOrder.
func (a Archive) Replace(from, until int, b Batch) (Archive, error) {
	if from < 0 || until < from || until > len(a.Batches) {
		return Archive{}, fmt.Errorf("replace batches %d to %d of %d: %w", from, until, len(a.Batches), ErrOrder)
	}
	if was, ok := a.Fold(from, until); ok && (b.Count != was.Count || b.From != was.From || b.To != was.To) {
		return Archive{}, fmt.Errorf("replace batches %d to %d: %d messages for %d: %w", from, until, b.Count, was.Count, ErrOrder)
	}
	out := Archive{Schema: ArchiveSchema, Batches: slices.Concat(a.Batches[:from], []Batch{b}, a.Batches[until:])}
	if err := out.Validate(); err != nil {
		return Archive{}, fmt.Errorf("replace batches: %w", err)
	}
	return out, nil
}

// Chunks groups units, each [start, end) in the log and in order, into chunks of
// at most size messages, as [from, until) of units: a unit is never parted, and
// one longer than size stands alone. A size below 1 is one chunk.
func Chunks(units [][2]int, size int) [][2]int {
	var chunks [][2]int
	from, n := 0, 0
	for i, u := range units {
		length := u[1] - u[0]
		if i > from && size > 0 && n+length > size {
			chunks = append(chunks, [2]int{from, i})
			from, n = i, 0
		}
		n += length
	}
	if from < len(units) {
		chunks = append(chunks, [2]int{from, len(units)})
	}
	return chunks
}
