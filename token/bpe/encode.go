package bpe

// memory is how many pieces a worker remembers; remembered pieces are at most
// pieceBytes long.
const (
	memory     = 1 << 14
	pieceBytes = 15
	// verdicts is how many answers of adjacent a worker remembers.
	verdicts = 1 << 12
)

// worker is what one goroutine needs to count.
type worker struct {
	seen  [memory]entry
	stack []uint32
	alive []uint64
	// asked holds pairs of tokens and whether they may be neighbours:
	// left<<20 | right<<2 | 2 | verdict. Runs of one symbol ask the same
	// hundred pairs again at every token.
	asked [verdicts]uint64
}

// entry is a piece and its count. The last byte of high is length<<4 | count.
type entry struct{ low, high uint64 }

// count is the number of tokens of the piece s[i:end].
func (w *worker) count(e *encoding, s string, i, end int) int {
	n := end - i
	if n == 1 {
		return 1
	}
	if n > pieceBytes {
		return w.encode(&e.vocab, s[i:end])
	}
	low, high := key(s, i, n)
	h := (low ^ high*0xFF51AFD7ED558CCD) * 0x9E3779B97F4A7C15
	slot := &w.seen[h>>(64-14)]
	high |= uint64(n) << 60
	if slot.low == low && slot.high&^(0xF<<56) == high {
		return int(slot.high >> 56 & 0xF)
	}
	c := w.encode(&e.vocab, s[i:end])
	*slot = entry{low, high | uint64(c)<<56}
	return c
}

// key is the bytes of s[i:i+n] as two numbers, the first byte lowest.
func key(s string, i, n int) (low, high uint64) {
	if i+16 > len(s) {
		for k := n - 1; k >= 0; k-- {
			high = high<<8 | low>>56
			low = low<<8 | uint64(s[i+k])
		}
		return low, high
	}
	b := s[i : i+16]
	low = word64(b[:8])
	if n <= 8 {
		return low & (^uint64(0) >> (64 - 8*uint(n))), 0
	}
	return low, word64(b[8:]) & (^uint64(0) >> (128 - 8*uint(n)))
}

func word64(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// encode counts a piece by backtracking: the longest token that may stand after
// the one before it is taken; where none may, the one before is taken back and
// shortened, and its end is dead for good, so that no place is left twice.
func (w *worker) encode(v *vocab, piece string) int {
	w.reset(len(piece))
	next, pos := v.trie.longest(piece), 0
	for {
		last := none
		if k := len(w.stack); k > 0 {
			last = w.stack[k-1]
		}
		t := next
		for t != none && !w.fits(v, last, t, pos) {
			t = v.shorter[t]
		}
		if t == none {
			w.alive[pos/64] &^= 1 << (pos % 64)
			if last == none { // cannot be: single bytes always fit
				return len(piece)
			}
			w.stack = w.stack[:len(w.stack)-1]
			pos -= int(v.length[last])
			next = last
			continue
		}
		w.stack = append(w.stack, t)
		pos += int(v.length[t])
		if pos == len(piece) {
			return len(w.stack)
		}
		next = v.trie.longest(piece[pos:])
	}
}

func (w *worker) reset(n int) {
	w.stack = w.stack[:0]
	need := n/64 + 1
	if cap(w.alive) < need {
		w.alive = make([]uint64, need)
	}
	w.alive = w.alive[:need]
	for i := range w.alive {
		w.alive[i] = ^uint64(0)
	}
}

// fits says whether token t may stand at pos after last.
func (w *worker) fits(v *vocab, last, t uint32, pos int) bool {
	end := pos + int(v.length[t])
	if w.alive[end/64]>>(end%64)&1 == 0 {
		return false
	}
	return last == none || w.adjacent(v, last, t)
}

// adjacent is vocab.adjacent, remembered.
func (w *worker) adjacent(v *vocab, left, right uint32) bool {
	pair := uint64(left)<<20 | uint64(right)<<2 | 2
	slot := &w.asked[hash(pair)>>(64-12)]
	if *slot|1 == pair|1 {
		return *slot&1 != 0
	}
	*slot = pair
	ok := v.adjacent(left, right)
	if ok {
		*slot |= 1
	}
	return ok
}

// adjacent says whether byte-pair encoding can leave left and right side by
// side: it takes their merges back, latest first, and looks whether another
// pair across the border would have merged before.
func (v *vocab) adjacent(left, right uint32) bool {
	limit := none
	for {
		if t := v.pair(left, right); t < limit { // none is never less
			return false
		}
		if left > right {
			limit = left
			left = v.half[left][1]
			if left == limit {
				limit = right + 1
				right = v.half[right][0]
				if right+1 == limit {
					return true
				}
			}
		} else {
			limit = right + 1
			right = v.half[right][0]
			if right+1 == limit {
				limit = left
				left = v.half[left][1]
				if left == limit {
					return true
				}
			}
		}
	}
}
