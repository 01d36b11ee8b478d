package bpe

import "math/bits"

// A piece without any order, in which the longest tokens seldom may stand, is
// merged instead, a long one reach bytes at a time. Of a stretch that does not end the
// piece only the tokens before settled count: the others may change with what
// comes.
const (
	reach   = 63
	settled = 59
	hopes   = 32 // falls with each token taken back
)

// stretch is some bytes of a piece as they merge. No lowest rank of all need be
// looked for: a pair of a lower rank than those on both sides merges before them,
// unless the token on its right merges with more of what follows before that.
type stretch struct {
	bytes  [reach + 8]byte // and nothing after them
	thirds [reach + 1]slot // of the trie's nodes of three bytes, by the first
	starts [reach + 1]start
	ranks  [reach + 1]uint32 // of the token that starts there with the next
	bounds uint64            // where tokens start, and the end
	dips   uint64            // where the pair before has no higher rank
}

// start holds what starts at a byte: tokens by their length up to four, and the base
// of the trie's node for longer ones. The first is none, or more if there are any.
type start struct {
	tokens [5]uint32
	base   uint32
	least  uint32 // no token of three bytes or more is less
}

const more = none + 1

// merge makes the tokens of bytes, two to reach of them.
func (m *stretch) merge(v *vocab, bytes string) {
	m.bounds = 2<<len(bytes) - 1
	m.find(v, bytes)
	for m.dips != 0 {
		i := bits.TrailingZeros64(m.dips) & reach // all before it fall
		prev := m.before(i)
		next := &m.starts[m.next(i)&reach]
		if max(m.starts[i].least, min(next.least, next.tokens[2])) < m.ranks[prev] && m.threat(v, i, len(bytes), m.ranks[prev]) {
			prev, i = m.lowest()
		}
		m.join(v, prev, i)
	}
}

// count is the number of tokens of bytes, two to reach of them.
func (m *stretch) count(v *vocab, bytes string) int {
	m.merge(v, bytes)
	return bits.OnesCount64(m.bounds) - 1
}

// lowest is the pair that merges first of all.
func (m *stretch) lowest() (i, next int) {
	rank := uint32(none)
	for dips := m.dips; dips != 0; dips &= dips - 1 {
		k := bits.TrailingZeros64(dips)
		if r := m.ranks[m.before(k)]; r < rank {
			rank, i, next = r, m.before(k), k
		}
	}
	return i, next
}

// join makes one token of those at i and next.
func (m *stretch) join(v *vocab, i, next int) {
	m.bounds &^= 1 << next
	end := m.next(i)
	rank := m.token(v, i, m.next(end))
	m.ranks[i&reach] = rank
	m.dips &^= 1<<next | 1<<i | 1<<end
	m.dips |= dip(rank, m.ranks[end&reach]) << end
	if i == 0 {
		return
	}
	prev := m.before(i)
	left := m.token(v, prev, end)
	m.ranks[prev] = left
	m.dips &^= 1 << prev
	m.dips |= dip(left, rank)<<i | dip(m.ranks[m.before(prev)], left)<<prev
}

// dip is 1 if a pair of rank a merges before that of rank b on its right.
func dip(a, b uint32) uint64 {
	return uint64(int64(a)-int64(b)-1) & uint64(int64(a)-none) >> 63
}

// find looks up what starts at each of bytes. The answers are far away: they are
// asked for side by side, in two rounds.
func (m *stretch) find(v *vocab, bytes string) {
	clear(m.bytes[copy(m.bytes[:reach], bytes):])
	m.dips = 0
	before := uint32(none)
	for i := range len(bytes) {
		h := v.head(m.bytes[i], m.bytes[i+1])
		pair := h.token()
		m.starts[i&reach].tokens[2] = pair
		m.thirds[i&reach] = slot(word64(v.slots, h.base()+6*int(m.bytes[i+2]))).under(m.bytes[i+2])
		m.ranks[i&reach] = pair
		m.dips |= dip(before, pair) << i
		before = pair
	}
	for i := range len(bytes) {
		third := m.thirds[i&reach]
		fourth := slot(word64(v.slots, third.base()+6*int(m.bytes[i+3]))).under(m.bytes[i+3])
		deep := uint32(-int32(fourth.base()) >> 31) // all bits if there is more
		s := &m.starts[i&reach]
		s.tokens[0], s.tokens[3], s.tokens[4] = none+deep&1, third.merged(), fourth.merged()
		s.base, s.least = uint32(fourth.base()), min(third.merged(), fourth.merged())&^deep
	}
	last := len(bytes) - 1
	m.ranks[last], m.ranks[reach] = none, none
	m.dips |= dip(m.ranks[m.before(last)], none) << last
}

// threat reports whether the token at i may merge with more than the next below
// a rank.
func (m *stretch) threat(v *vocab, i, n int, rank uint32) bool {
	next := m.next(i)
	if next >= n {
		return false
	}
	e, after := m.deep(i), m.next(next)
	for end := i + 3; end <= n; end++ {
		t := uint32(none)
		if length := end - i; length < 5 {
			t = m.starts[i].tokens[length]
		} else if e.base() == 0 {
			break
		} else {
			e = slot(word64(v.slots, e.base()+6*int(m.bytes[end-1]))).under(m.bytes[end-1])
			t = e.merged()
		}
		if end > after && t < rank && m.token(v, next, end) < rank {
			return true
		}
	}
	return false
}

// deep is the node of the four bytes at i.
func (m *stretch) deep(i int) slot { return slot(m.starts[i].base) << 42 }

// token is the token of the bytes from i to end, or none.
func (m *stretch) token(v *vocab, i, end int) uint32 {
	s := &m.starts[i&reach]
	length := end - i
	if length >= len(s.tokens) {
		length = 0
	}
	t := s.tokens[length]
	if t == more {
		return m.long(v, i, end)
	}
	return t
}

// long is token for five bytes or more.
func (m *stretch) long(v *vocab, i, end int) uint32 {
	if end > reach {
		return none
	}
	e := m.deep(i)
	for _, c := range m.bytes[i+4 : end] {
		e = slot(word64(v.slots, e.base()+6*int(c))).under(c)
	}
	return e.merged()
}

// next is the place of the token after that at i, or their end.
func (m *stretch) next(i int) int { return bits.TrailingZeros64(m.bounds>>i>>1) + i + 1 }

// before is the place of the token before that at i, reach if there is none.
func (m *stretch) before(i int) int { return (bits.Len64(m.bounds&(1<<i-1)) - 1) & reach }

// merge counts a piece stretch by stretch: each starts with the last token of those
// before, which is taken back if it does not come out again. It is 0 if that leads
// nowhere.
func (w *worker) merge(v *vocab, piece string) int {
	if _, length := v.longest(piece); length > 8 {
		return 0 // some order
	}
	m := &w.stretch
	n, hope := 0, hopes
	from, pos, size := 0, 0, 0 // the last stretch, its last token
	taken := uint64(0)         // and the bounds of its tokens
	for {
		rest := piece[pos:]
		end := len(rest)
		if end > reach {
			rest, end = rest[:reach], settled
		}
		m.merge(v, rest)
		if size == 0 || m.next(0) == size {
			from, taken = pos, m.bounds&(2<<end-1)
			n += bits.OnesCount64(taken) - 1 - min(size, 1)
			if end == len(rest) {
				return n
			}
			hope = min(hope+1, hopes)
		} else {
			taken &^= 1 << (pos + size - from)
			n--
			hope -= 3
		}
		last := bits.Len64(taken) - 1
		before := bits.Len64(taken&^(1<<last)) - 1
		if before <= 0 || hope < 0 {
			return 0
		}
		pos, size = from+before, last-before
	}
}
