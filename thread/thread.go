// Package thread is the log of one conversation: a chain of entries, each
// naming its parent, so that a prefix is stored once and an edit is a fork.
//
// Use: New over the entries of a branch, then Units, Turns, Find. Law: entries
// are never changed (SPEC V1). Promise: the same messages give the same ids on
// any machine.
package thread

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/seed-3db51b0e/precis/message"
)

// ID names an entry by its content and everything before it: 32 hex digits,
// the first half of H(0x01 ‖ parent ‖ digest).
type ID string

// Chain derives the id of a message with digest d that follows parent ("" for
// the first).
func Chain(parent ID, d message.Digest) ID {
	h := sha256.New()
	h.Write([]byte{0x01})
	h.Write([]byte(parent))
	h.Write(d[:])
	var sum [sha256.Size]byte
	return ID(hex.EncodeToString(h.Sum(sum[:0])[:16]))
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
	// Erased is set when the message was removed on purpose: Message then only
	// says so, and ID and Digest are those of what stood there.
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
	index   index
	turns   []int
	units   []Unit
}

// New checks that each entry names the one before it as parent. It does not
// hash bodies again; Verify does. The thread keeps the slice.
func New(entries []Entry) (*Thread, error) { return new(Thread).Append(entries) }

// Append returns the thread with entries after its tip; t stays as it is. It
// costs what the new entries cost, and a copy of one word for each old one.
func (t *Thread) Append(entries []Entry) (*Thread, error) {
	grown := &Thread{entries: slices.Grow(slices.Clip(t.entries), len(entries))}
	parent := t.Tip()
	added := make(map[ID]int, len(entries))
	for i := range entries {
		if entries[i].Parent != parent {
			return nil, fmt.Errorf("entry %d: %w", len(grown.entries), ErrBroken)
		}
		parent = entries[i].ID
		added[parent] = len(grown.entries)
		grown.entries = append(grown.entries, &entries[i])
	}
	grown.index = t.index.with(added, len(t.entries))
	grown.turns = turns(t.turns, grown.entries)
	grown.units = units(t.units, grown.entries)
	return grown, nil
}

// Prefix returns the thread of the first n entries.
func (t *Thread) Prefix(n int) (*Thread, error) {
	es := make([]Entry, n)
	for i := range es {
		es[i] = *t.entries[i]
	}
	return New(es)
}

// index finds positions by id: layers, newest first, folded into one when there
// are many, so that appending does not copy what is known.
type index struct {
	layers []map[ID]int
}

const maxLayers = 16

func (x index) with(added map[ID]int, n int) index {
	if len(x.layers) < maxLayers {
		return index{append(slices.Clip(x.layers), added)}
	}
	for _, l := range x.layers[1:] {
		n += len(l)
	}
	folded := make(map[ID]int, n+len(added))
	for _, l := range append(slices.Clip(x.layers[1:]), added) {
		maps.Copy(folded, l)
	}
	if len(folded) < len(x.layers[0])/4 {
		return index{[]map[ID]int{x.layers[0], folded}}
	}
	maps.Copy(folded, x.layers[0])
	return index{[]map[ID]int{folded}}
}

func (x index) find(id ID) (int, bool) {
	for _, l := range x.layers {
		if i, ok := l[id]; ok {
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

// Tip is the id of the last entry, "" when there is none.
func (t *Thread) Tip() ID {
	if len(t.entries) == 0 {
		return ""
	}
	return t.entries[len(t.entries)-1].ID
}

// Find returns the position of an entry.
func (t *Thread) Find(id ID) (int, bool) {
	return t.index.find(id)
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
