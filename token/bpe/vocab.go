package bpe

import (
	"encoding/binary"
	"math/bits"
)

// none is no token.
const none = ^uint32(0)

// vocab is a vocabulary. Tokens are their ids, which are their ranks.
type vocab struct {
	trie    trie
	length  []uint8  // bytes of each token
	shorter []uint32 // the longest token that is a proper prefix, or none
	// half holds the two tokens that each token is merged of; a single byte's
	// are itself.
	half [][2]uint32
	// pairs finds the token two tokens merge to: a hash table of
	// left<<36 | right<<18 | token, probed linearly, 0 for empty.
	pairs []uint64
	shift uint
	// maybe has a bit for each pair there is, by its hash: most pairs asked for
	// are not there, and these bits stay in the processor's cache.
	maybe []uint64
}

// newVocab reads the merges that generate.go writes. They are embedded and
// tested, so that what does not parse ends the vocabulary.
func newVocab(merges string) vocab {
	v := vocab{}
	at := make([]uint32, 0, 200_000) // end of each token's bytes in text
	text := make([]byte, 0, 1_500_000)
	for pos := 0; pos < len(merges); {
		left, n := uvarint(merges[pos:])
		pos += n
		id := uint32(len(v.half))
		start := len(text)
		if left == 0 {
			text = append(text, merges[pos])
			pos++
			v.half = append(v.half, [2]uint32{id, id})
		} else {
			right, n := uvarint(merges[pos:])
			pos += n
			left--
			text = append(text, text[at[left]-uint32(v.length[left]):at[left]]...)
			text = append(text, text[at[right]-uint32(v.length[right]):at[right]]...)
			v.half = append(v.half, [2]uint32{left, right})
		}
		at = append(at, uint32(len(text)))
		v.length = append(v.length, uint8(len(text)-start))
	}
	v.index()
	g := v.grow(text, at)
	v.shorter = g.shorter(len(v.half))
	v.trie = g.pack()
	return v
}

func uvarint(s string) (uint32, int) {
	var b [binary.MaxVarintLen32]byte
	v, n := binary.Uvarint(b[:copy(b[:], s)])
	return uint32(v), n
}

// index builds pairs.
func (v *vocab) index() {
	size := bits.Len(uint(2*len(v.half) - 1))
	v.pairs = make([]uint64, 1<<size)
	v.shift = uint(64 - size)
	v.maybe = make([]uint64, maybeBits/64)
	for id, half := range v.half {
		if v.length[id] == 1 {
			continue
		}
		key := uint64(half[0])<<18 | uint64(half[1])
		h := hash(key)
		v.maybe[h>>maybeShift/64] |= 1 << (h >> maybeShift % 64)
		i := h >> v.shift
		for v.pairs[i] != 0 {
			i = (i + 1) & uint64(len(v.pairs)-1)
		}
		v.pairs[i] = key<<18 | uint64(id)
	}
}

const (
	maybeShift = 64 - 21
	maybeBits  = 1 << 21
)

func hash(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }

// pair is the token that left and right merge to, or none.
func (v *vocab) pair(left, right uint32) uint32 {
	key := uint64(left)<<18 | uint64(right)
	h := hash(key)
	if v.maybe[h>>maybeShift/64]>>(h>>maybeShift%64)&1 == 0 {
		return none
	}
	mask := uint64(len(v.pairs) - 1)
	for i := h >> v.shift; ; i++ {
		e := v.pairs[i&mask]
		if e>>18 == key && e != 0 {
			return uint32(e & (1<<18 - 1))
		}
		if e == 0 {
			return none
		}
	}
}

// grow makes the trie of all tokens. A token's way starts where its left half
// ends, so only the right half is walked.
func (v *vocab) grow(text []byte, at []uint32) *growing {
	g := &growing{nodes: make([]node, 1, 5*len(v.half)/2)}
	end := make([]uint32, len(v.half)) // each token's node
	for id, h := range v.half {
		node, part := uint32(0), h[1]
		if h[0] != uint32(id) {
			node = end[h[0]]
		}
		for _, c := range text[at[part]-uint32(v.length[part]) : at[part]] {
			node = g.child(node, c)
		}
		end[id] = node
		g.nodes[node].token = uint32(id) + 1
	}
	return g
}
