package bpe

// vocab is a vocabulary, as views of the table that generate.go writes and the
// binary carries: nothing is built or copied before use. Tokens are their ids,
// which are their ranks. The table is, little-endian: four numbers of 32 bits
// (slots, tokens, bits of a pair's index, bits of a bit's index), then
//
//	tokens  8 bytes each: left | right<<18 | shorter<<36 | (length-1)<<54
//	maybe   a bit for each pair there is, by its hash
//	pairs   4 bytes each: token | part of the hash<<18, 0 = empty
//	heads   8 bytes each: bits of third bytes | (token+1)<<24 | base<<42
//	slots   two bytes of nothing, then 6 bytes each: label | (token+1)<<8 | base<<26
//
// Left and right are the two tokens a token is merged of, itself twice for a
// single byte; shorter is the longest token that is a proper prefix of it.
type vocab struct {
	tokens string
	// maybe answers for most pairs asked for, which are not there, and stays in
	// the processor's cache.
	maybe string
	// pairs is a hash table, probed linearly, of the token two tokens merge to.
	pairs string
	// heads are the trie's nodes of two bytes, by these: its busiest part, next
	// to each other, with a bit for the third bytes that lead on.
	heads string
	// slots are a trie as a double array: the child of a node by a label is at
	// the node's base + 6*label if the slot there has that label. No two nodes
	// share a base; leaves and empty slots lead to where no label matches.
	slots      string
	pairShift  uint
	maybeShift uint
}

// none is no token.
const none = 1<<18 - 1

const idMask = 1<<18 - 1

const (
	rootBase = 6 * 256
	header   = 16
	thirds   = 24 // bits of a head, a third byte's by its remainder
)

// newVocab finds the parts of a table. Tables are embedded and tested.
func newVocab(table string) vocab {
	count := func(i int) int { return int(word32(table, 4*i)) }
	pairBits, maybeBits := count(2), count(3)
	tokens, rest := cut(table[header:], 8*count(1))
	maybe, rest := cut(rest, 1<<maybeBits/8)
	pairs, rest := cut(rest, 4<<pairBits)
	heads, slots := cut(rest, 8<<16)
	return vocab{
		tokens: tokens, maybe: maybe, pairs: pairs, heads: heads, slots: slots,
		pairShift: uint(64 - pairBits), maybeShift: uint(64 - maybeBits),
	}
}

func cut(s string, n int) (before, after string) { return s[:n], s[n:] }

func word32(s string, i int) uint32 {
	b := s[i : i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func word64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// record holds what is known of a token.
type record uint64

func (v *vocab) record(token uint32) record { return record(word64(v.tokens, 8*int(token))) }

func (r record) left() uint32    { return uint32(r) & idMask }
func (r record) right() uint32   { return uint32(r>>18) & idMask }
func (r record) shorter() uint32 { return uint32(r>>36) & idMask }
func (r record) length() int     { return int(r>>54&0x7F) + 1 }

// longest is the longest token that s starts with, and its length; s is not
// empty, and every byte is a token.
func (v *vocab) longest(s string) (token uint32, length int) {
	if len(s) == 1 {
		return v.single(s[0]), 1
	}
	h := v.head(s[0], s[1])
	if token, length = h.token(), 2; token == none {
		token, length = v.single(s[0]), 1
	}
	if len(s) == 2 || !h.leads(s[2]) {
		return token, length
	}
	base := h.base()
	for i := 2; i < len(s); i++ {
		e := slot(word64(v.slots, base+6*int(s[i])))
		if e.label() != s[i] {
			break
		}
		if t := e.token(); t != 0 {
			token, length = t-1, i+1
		}
		base = e.base()
	}
	return token, length
}

// single is the token of one byte.
func (v *vocab) single(c byte) uint32 {
	return slot(word64(v.slots, rootBase+6*int(c))).token() - 1
}

// head is a node of two bytes, 0 if there is none.
type head uint64

func (v *vocab) head(first, second byte) head {
	return head(word64(v.heads, 8*(int(first)<<8|int(second))))
}

func (h head) token() uint32     { return (uint32(h>>24) - 1) & idMask } // or none
func (h head) base() int         { return int(h >> 42) }
func (h head) leads(c byte) bool { return h>>(c%thirds)&1 != 0 }

// joint is the token that the bytes before and at s[pos] merge to, or none.
func (v *vocab) joint(s string, pos int) uint32 { return v.head(s[pos-1], s[pos]).token() }

// slot is a slot of the trie with the two bytes before it.
type slot uint64

// under is the slot if its label is c, else 0, which leads nowhere; without a
// branch.
func (e slot) under(c byte) slot { return e & slot((int64(e.label()^c)-1)>>63) }

func (e slot) label() byte    { return byte(e >> 16) }
func (e slot) token() uint32  { return uint32(e>>24) & idMask }   // + 1, 0 = none
func (e slot) merged() uint32 { return (e.token() - 1) & idMask } // or none
func (e slot) base() int      { return int(e >> 42) }

func hash(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }

// merged is the token of a rank below limit that left and right merge to, or
// none.
func (v *vocab) merged(left, right, limit uint32) uint32 {
	key := uint64(left)<<18 | uint64(right)
	if h := hash(key); v.may(h) {
		return v.probe(key, h, limit)
	}
	return none
}

// may is false if no pair has that hash.
func (v *vocab) may(h uint64) bool {
	bit := h >> v.maybeShift
	return v.maybe[bit>>3]>>(bit&7)&1 != 0
}

// probe is merged for a pair that may be there.
func (v *vocab) probe(key, h uint64, limit uint32) uint32 {
	mark, last := uint32(h>>16)&(1<<14-1), len(v.pairs)/4-1
	for i := int(h >> v.pairShift); ; i++ {
		e := word32(v.pairs, 4*(i&last))
		token := e & idMask
		if e == 0 || token >= limit { // lower ones were put in before
			return none
		}
		if e>>18 == mark {
			if r := v.record(token); uint64(r.left())<<18|uint64(r.right()) == key {
				return token
			}
		}
	}
}

// adjacent reports whether byte-pair encoding can leave left and right side by
// side: it takes their merges back, latest first, and looks whether another
// pair across the border would have merged before. Where left is the longest
// token at its place, it merges with nothing that comes after it, and only its
// parts are looked at. The last pair, of the two bytes that merge to joint, is
// looked at first: it is the one that most often would have.
func (v *vocab) adjacent(left, right, joint uint32, longest bool) bool {
	if joint != none && joint < min(v.lastMerge(left), v.firstMerge(right)+1) {
		return false
	}
	limit := uint32(none)
	for left >= 256 || right >= 256 {
		if !longest && v.merged(left, right, limit) != none {
			return false
		}
		if right < 256 || left > right {
			left, limit, longest = v.record(left).right(), left, false
		} else {
			right, limit = v.record(right).left(), right+1
		}
	}
	return true
}

// lastMerge is the first merge that took in a token's last byte, none for a
// single byte.
func (v *vocab) lastMerge(token uint32) uint32 {
	merge := uint32(none)
	for token >= 256 {
		merge, token = token, v.record(token).right()
	}
	return merge
}

// firstMerge is the first merge that took in a token's first byte, none for a
// single byte.
func (v *vocab) firstMerge(token uint32) uint32 {
	merge := uint32(none)
	for token >= 256 {
		merge, token = token, v.record(token).left()
	}
	return merge
}

// after is the first that may stand after left among top and its ever shorter
// prefixes, or none.
func (v *vocab) after(left, top, joint uint32, longest bool) uint32 {
	for top != none && !v.adjacent(left, top, joint, longest) {
		top = v.record(top).shorter()
	}
	return top
}
