package bpe

import (
	"math/bits"
	"slices"
)

// A long piece without any order, in which the longest tokens seldom may stand,
// is merged by rank instead, reach bytes at a time. Of a stretch that does not
// end the piece only the tokens before settled count: the others may change with
// what comes.
const (
	reach   = 64
	settled = 56
	hopes   = 32 // falls with each token taken back
)

// stretch is some bytes of a piece as they merge. Only the places in alive are
// tokens'; ranks are those of a place's token with the next, with the place in
// the low bits.
type stretch struct {
	tokens [reach]uint32
	ranks  [reach]uint32
	lowest [reach / group]uint32 // of each group of ranks
	alive  uint64
}

const (
	placeBits = 6
	group     = 8
)

// merge makes the tokens of bytes, two to reach of them.
func (m *stretch) merge(v *vocab, bytes string) {
	n := len(bytes)
	m.alive = 1<<n - 1
	for i := range n {
		m.tokens[i] = v.single(bytes[i])
	}
	for i := range n - 1 {
		m.ranks[i] = v.head(bytes[i], bytes[i+1]).token()<<placeBits | uint32(i)
	}
	for i := n - 1; i < reach; i++ {
		m.ranks[i] = none << placeBits
	}
	for i := range m.lowest {
		m.regroup(i * group)
	}
	for {
		best := slices.Min(m.lowest[:])
		if best>>placeBits == none {
			return
		}
		m.join(v, int(best&(reach-1)), best>>placeBits)
	}
}

// join puts a token in the place of the one at i and the next. What it merges to
// on either side is looked up side by side: the answers are far away.
func (m *stretch) join(v *vocab, i int, token uint32) {
	next := m.next(i) & (reach - 1) // is there
	m.alive &^= 1 << next
	m.ranks[next] = none << placeBits
	m.tokens[i] = token
	before := (bits.Len64(m.alive&(1<<i-1)) - 1) & (reach - 1)
	after := m.next(i)
	left := uint64(m.tokens[before])<<18 | uint64(token)
	right := uint64(token)<<18 | uint64(m.tokens[after&(reach-1)])
	leftHash, rightHash := hash(left), hash(right)
	leftMay, rightMay := v.may(leftHash), v.may(rightHash)
	m.regroup(next)
	rank := uint32(none)
	if rightMay && after < reach {
		rank = v.probe(right, rightHash, none)
	}
	m.ranks[i] = rank<<placeBits | uint32(i)
	m.regroup(i)
	if before >= i {
		return
	}
	rank = none
	if leftMay {
		rank = v.probe(left, leftHash, none)
	}
	m.ranks[before] = rank<<placeBits | uint32(before)
	m.regroup(before)
}

// next is the place of the token after that at i, reach or more if none is.
func (m *stretch) next(i int) int { return bits.TrailingZeros64(m.alive>>i>>1) + i + 1 }

// regroup finds the lowest rank of the group that i is in.
func (m *stretch) regroup(i int) {
	i = i / group & (reach/group - 1)
	r := m.ranks[i*group : i*group+group]
	m.lowest[i] = min(min(r[0], r[1], r[2], r[3]), min(r[4], r[5], r[6], r[7]))
}

// merge counts a piece stretch by stretch: the first token of one must be
// allowed to stand after the last of those before, else that one is taken back.
// It is 0 if that leads nowhere, as in runs of one symbol with tokens of any
// length.
func (w *worker) merge(v *vocab, piece string) int {
	w.stack = w.stack[:0]
	m := &w.stretch
	hope := hopes
	for pos := 0; pos < len(piece); hope = min(hope+1, hopes) {
		rest := piece[pos:]
		end := len(rest)
		if end > reach {
			rest, end = rest[:reach], settled
		}
		m.merge(v, rest)
		if k := len(w.stack) - 1; k >= 0 && !v.adjacent(w.stack[k].token, m.tokens[0], v.joint(piece, pos), false) {
			if hope -= 3; hope < 0 {
				return 0
			}
			pos -= v.record(w.stack[k].token).length()
			w.stack = w.stack[:k]
			continue
		}
		for at := 0; at < end; {
			next := min(m.next(at), len(rest))
			if next > end {
				if at == 0 {
					return 0
				}
				break
			}
			w.stack = append(w.stack, choice{token: m.tokens[at]})
			pos += next - at
			at = next
		}
	}
	return len(w.stack)
}
