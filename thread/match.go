package thread

import "github.com/seed-3db51b0e/precis/message"

// Match returns how many of the messages continue t from its first entry: the
// length of the common prefix by digest. Messages beyond it are new, and
// entries beyond it belong to another branch.
func (t *Thread) Match(ms []message.Message) int {
	n := min(len(ms), len(t.entries))
	for i := range n {
		if e := t.entries[i]; (e.Erased || !sameMessage(&ms[i], &e.Message)) && ms[i].Digest() != e.Digest {
			return i
		}
	}
	return n
}

// Align pairs the entries of an edited branch with those of the branch it was
// edited from: to[i] is the position in t of entry i of edited, or -1. Entries
// keep their order; equal digests pair up greedily after the common prefix, so
// a record whose whole span still stands can be carried over.
func (t *Thread) Align(edited *Thread) []int {
	at := map[message.Digest][]int{}
	for i := range t.entries {
		at[t.entries[i].Digest] = append(at[t.entries[i].Digest], i)
	}
	to := make([]int, len(edited.entries))
	last := -1
	for i := range edited.entries {
		to[i] = -1
		list := at[edited.entries[i].Digest]
		for len(list) > 0 && list[0] <= last {
			list = list[1:]
		}
		if len(list) > 0 {
			to[i], last = list[0], list[0]
			list = list[1:]
		}
		at[edited.entries[i].Digest] = list
	}
	return to
}
