package convert

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Rounds checks turn by turn that the calls of each are answered in the next one, and
// that nothing else is answered there.
type Rounds struct {
	What   string // the API's word for a turn, for errors
	calls  []string
	unread [][]byte
}

// Unread takes note of JSON that is not read: the ids it names are not checked from then on.
func (r *Rounds) Unread(raw []byte) { r.unread = append(r.unread, raw) }

// Turn takes the turn at a position: who speaks, and the ids of its calls and results. It
// may sort them.
func (r *Rounds) Turn(at int, role message.Role, calls, results []string) error {
	slices.Sort(results)
	alone, orphans := unpaired(r.calls, results, r.unread)
	if len(alone)+len(orphans) > 0 {
		return fmt.Errorf("%s %d: calls %q, results %q: %w", r.What, at, alone, orphans, codec.ErrUnpaired)
	}
	if len(calls) > 0 && role != message.Assistant {
		return fmt.Errorf("%s %d: calls %q of a user: %w", r.What, at, calls, codec.ErrUnpaired)
	}
	slices.Sort(calls)
	r.calls = calls
	return nil
}

// End checks that the last turn called nothing.
func (r *Rounds) End() error {
	if len(r.calls) > 0 {
		return fmt.Errorf("last %s: calls %q: %w", r.What, r.calls, codec.ErrUnpaired)
	}
	return nil
}

// Names reports whether JSON that is not read names an id: what it is to a call or a
// result of that id is not known. The newest is looked at first.
func Names(unread [][]byte, id string) bool {
	if id == "" {
		return false
	}
	quoted := jsonedit.Quote(id)
	for _, raw := range slices.Backward(unread) {
		if bytes.Contains(raw, quoted) {
			return true
		}
	}
	return false
}

// unpaired returns the ids of calls that no result has, and of results that no call has,
// without those that unread names. Both lists are in order, and may hold an id twice.
func unpaired(calls, results []string, unread [][]byte) (alone, orphans []string) {
	for len(calls) > 0 || len(results) > 0 {
		switch {
		case len(results) == 0 || len(calls) > 0 && calls[0] < results[0]:
			alone, calls = append(alone, calls[0]), calls[1:]
		case len(calls) == 0 || results[0] < calls[0]:
			orphans, results = append(orphans, results[0]), results[1:]
		default:
			calls, results = calls[1:], results[1:]
		}
	}
	named := func(id string) bool { return Names(unread, id) }
	return slices.DeleteFunc(alone, named), slices.DeleteFunc(orphans, named)
}
