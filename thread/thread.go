// Package thread is the log of one conversation: a chain of entries, each
// naming its parent, so that a prefix is stored once and an edit is a fork.
//
// Use: New over the entries of a branch, then Units, Turns, Find. Law: entries
// are never changed. Promise: the same messages give the same ids on
// any machine.
package thread

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/seed-3db51b0e/precis/message"
)

// ID names an entry by its content and everything before it: 32 hex digits,
// the first half of H(0x01 ‖ parent ‖ digest).
type ID string

// Chain derives the id of a message with digest d that follows parent ("" for
// the first).
func Chain(parent ID, d message.Digest) ID {
	var room [1 + 32 + len(d)]byte
	b := append(room[:0], 0x01)
	b = append(b, parent...)
	sum := sha256.Sum256(append(b, d[:]...))
	return ID(hex.EncodeToString(sum[:16]))
}

// Entry is one logged message. Immutable.
type Entry struct {
	ID      ID
	Parent  ID // "" for the first
	Digest  message.Digest
	Message message.Message
	// Tokens is the count of the message under the counter named by Counter;
	// Counter "" means not counted.
	Tokens  int
	Counter string
	// Erased is set when the message was removed on purpose: Message is then a
	// tombstone, and ID and Digest are those of the removed message.
	Erased bool
}

// Extend chains messages onto parent.
func Extend(parent ID, ms []message.Message) []Entry {
	es := make([]Entry, len(ms))
	for i, m := range ms {
		d := m.Digest()
		es[i] = Entry{ID: Chain(parent, d), Parent: parent, Digest: d, Message: m}
		parent = es[i].ID
	}
	return es
}

// ErrBroken is returned by New when an entry does not follow its parent.
var ErrBroken = errors.New("broken chain")

// Thread is an immutable view of one branch, first entry to tip.
type Thread struct {
	entries []*Entry
	ids     []ID // of entries, close together
	index   index[ID]
	calls   index[string] // first entry with a call of the id
	reuse   int           // see FirstReuse
	systems []int         // see Systems
	fixed   []int         // see Fixed
	turns   []int
	units   []Unit
	// claimed counts the used elements of the arrays behind the slices. Threads of
	// one line share them: the one that claims the room after its end may write there.
	claimed *atomic.Int64
}

// New checks that each entry names the one before it as parent. It does not
// hash bodies again; Verify does. The thread keeps the slice.
func New(entries []Entry) (*Thread, error) { return new(Thread).Append(entries) }

// Append returns the thread with entries after its tip; t stays as it is. It
// costs what the new entries cost; a second thread appended to the same one
// costs a copy of one word for each old entry.
func (t *Thread) Append(entries []Entry) (*Thread, error) {
	grown := t.grow(len(entries))
	parent := t.Tip()
	added := make(map[ID]int, len(entries))
	for i := range entries {
		if entries[i].Parent != parent {
			return nil, fmt.Errorf("entry %d: %w", len(grown.entries), ErrBroken)
		}
		parent = entries[i].ID
		added[parent] = len(grown.entries)
		grown.entries, grown.ids = append(grown.entries, &entries[i]), append(grown.ids, parent)
		if entries[i].Message.Role == message.System {
			grown.systems = append(grown.systems, len(grown.entries)-1)
		}
		if entries[i].Message.Fixed() {
			grown.fixed = append(grown.fixed, len(grown.entries)-1)
		}
	}
	grown.index = t.index.with(added)
	grown.indexCalls(t, entries)
	grown.turns = turns(grown.turns, grown.entries)
	grown.units = units(grown.units, grown.entries)
	return grown, nil
}

// indexCalls adds the calls of the entries that follow those of old.
func (t *Thread) indexCalls(old *Thread, entries []Entry) {
	t.reuse = old.reuse
	if old.reuse == old.Len() {
		t.reuse = t.Len()
	}
	added := make(map[string]int, len(entries)/2)
	for n := range entries {
		i := old.Len() + n
		for _, p := range entries[n].Message.Parts {
			if p.Kind != message.Call {
				continue
			}
			_, used := added[p.CallID]
			if !used {
				_, used = old.calls.find(p.CallID)
			}
			switch {
			case used && message.IsDerivedID(p.CallID):
			case used || p.CallID == "":
				t.reuse = min(t.reuse, i)
			default:
				added[p.CallID] = i
			}
		}
	}
	t.calls = old.calls.with(added)
}

// grow returns a thread like t with room for n more entries: in the arrays of t if
// no other thread has claimed it, else in its own.
func (t *Thread) grow(n int) *Thread {
	have := int64(len(t.entries))
	if t.claimed != nil && cap(t.entries)-len(t.entries) >= n && t.claimed.CompareAndSwap(have, have+int64(n)) {
		return &Thread{entries: t.entries, ids: t.ids, systems: t.systems, fixed: t.fixed, turns: t.turns, units: t.units, claimed: t.claimed}
	}
	claimed := new(atomic.Int64)
	claimed.Store(have + int64(n))
	spare := n + len(t.entries)/4
	return &Thread{
		entries: slices.Grow(slices.Clip(t.entries), spare),
		ids:     slices.Grow(slices.Clip(t.ids), spare),
		systems: slices.Clip(t.systems),
		fixed:   slices.Clip(t.fixed),
		turns:   slices.Grow(slices.Clip(t.turns), spare),
		units:   slices.Grow(slices.Clip(t.units), spare),
		claimed: claimed,
	}
}

// Prefix returns the thread of the first n entries.
func (t *Thread) Prefix(n int) (*Thread, error) {
	if n == t.Len() {
		return t, nil
	}
	es := make([]Entry, n)
	for i := range es {
		es[i] = *t.entries[i]
	}
	return New(es)
}

// index finds positions by id: layers, oldest first, each more than twice as
// large as the next, so that appending copies each id a few times in all.
type index[K comparable] struct {
	layers []map[K]int
}

func (x index[K]) with(added map[K]int) index[K] {
	if len(added) == 0 {
		return x
	}
	layers := append(slices.Clip(x.layers), added)
	for n := len(layers); n > 1 && len(layers[n-2]) < 2*len(layers[n-1]); n-- {
		both := make(map[K]int, len(layers[n-2])+len(layers[n-1]))
		maps.Copy(both, layers[n-2])
		maps.Copy(both, layers[n-1])
		layers = append(layers[:n-2], both)
	}
	return index[K]{layers}
}

func (x index[K]) find(key K) (int, bool) {
	for _, l := range x.layers {
		if i, ok := l[key]; ok {
			return i, true
		}
	}
	return 0, false
}

// Verify hashes every body again and compares it with the chain. Of an erased
// entry there is only the digest to check.
func (t *Thread) Verify() error {
	for i := range t.entries {
		e := t.entries[i]
		d := e.Digest
		if !e.Erased {
			d = e.Message.Digest()
		}
		if d != e.Digest || Chain(e.Parent, d) != e.ID {
			return fmt.Errorf("entry %d (%s): %w", i, e.ID, ErrBroken)
		}
	}
	return nil
}

// Len is the number of entries.
func (t *Thread) Len() int { return len(t.entries) }

// At returns the entry at position i, counted from 0. Do not change it.
func (t *Thread) At(i int) *Entry { return t.entries[i] }

// ID is the id of the entry at position i.
func (t *Thread) ID(i int) ID { return t.ids[i] }

// Systems are the positions of system messages. Do not change the slice.
func (t *Thread) Systems() []int { return t.systems }

// Fixed are the positions of messages that hold what is not known, or what declares
// tools: see message.Fixed. Do not change the slice.
func (t *Thread) Fixed() []int { return t.fixed }

// Names reports whether a message of Fixed names a call id: it may hold the call, or its
// result, in a form that is not known.
func (t *Thread) Names(id string) bool {
	quoted, err := json.Marshal(id)
	return err == nil && id != "" && slices.ContainsFunc(t.fixed, func(i int) bool { return bytes.Contains(t.entries[i].Message.Raw, quoted) })
}

// Tip is the id of the last entry, "" when there is none.
func (t *Thread) Tip() ID { return t.TipAt(t.Len()) }

// TipAt is the id of the last of the first n entries, "" where n is 0.
func (t *Thread) TipAt(n int) ID {
	if n == 0 {
		return ""
	}
	return t.ids[n-1]
}

// Find returns the position of an entry.
func (t *Thread) Find(id ID) (int, bool) {
	return t.index.find(id)
}

// Called returns the position of the first entry with a call of the id, "" aside.
func (t *Thread) Called(id string) (int, bool) { return t.calls.find(id) }

// FirstReuse returns the position of the first entry with a call whose id is empty or
// was used by an earlier call; Len if there is none. An id that a codec made may come
// again: see message.DerivedID.
func (t *Thread) FirstReuse() int { return t.reuse }

// Positions yields the position of each id in order, -1 for one that the thread
// does not hold. Ids that follow each other in the thread cost no look-up.
func (t *Thread) Positions(ids []ID) iter.Seq2[int, int] {
	return func(yield func(n, at int) bool) {
		at := -1
		for n, id := range ids {
			if at++; at >= len(t.ids) || t.ids[at] != id {
				var ok bool
				if at, ok = t.Find(id); !ok {
					at = -1
				}
			}
			if !yield(n, at) {
				return
			}
		}
	}
}

// Turn is the number of the turn that position i belongs to, counted from 1;
// 0 before the first. A turn starts at a user message that says something of
// its own or at an assistant message that follows a result, whichever comes
// first: a run with one user message has as many turns as tool rounds.
func (t *Thread) Turn(i int) int { return t.turns[i] }

// Turns is the number of turns.
func (t *Thread) Turns() int {
	if len(t.turns) == 0 {
		return 0
	}
	return t.turns[len(t.turns)-1]
}

// UnitOf returns the unit that holds position i.
func (t *Thread) UnitOf(i int) Unit {
	n := sort.Search(len(t.units), func(n int) bool { return t.units[n].End > i })
	return t.units[n]
}

// Units returns the atomic units in order. Do not change the slice.
func (t *Thread) Units() []Unit { return t.units }
