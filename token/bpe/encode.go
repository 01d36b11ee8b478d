package bpe

// A worker remembers pieces of at most pieceBytes, two for each of 2^memoryBits
// hashes, and 2^verdictBits answers of follow.
const (
	memoryBits  = 13
	pieceBytes  = 15
	verdictBits = 12
	// pause states how many questions are answered without looking after the memory
	// has helped too little: text without any order fills it in vain.
	pause = 128
	// patience states how often backtracking may go back before merging is tried.
	patience = 32
)

// worker holds what one goroutine needs to count.
type worker struct {
	seen  [1 << memoryBits][2]entry
	stack []choice
	alive []uint64
	// asked holds questions to follow and their answers: a bit that is always
	// set, then left, right and the answer, 18 bits each. Runs of one symbol, with
	// a token for almost every length, ask the same few at every byte.
	asked   [1 << verdictBits]uint64
	window  window
	stretch stretch
	luck    int // rises with each answer found there, falls with each that was not
}

// choice is a token of a piece and the longest that could be at its place.
type choice struct{ token, top uint32 }

// entry is a piece and its count. The last byte of high is length<<4 | count.
type entry struct{ low, high uint64 }

// text counts a valid text.
func (w *worker) text(e *encoding, s string) int {
	n := 0
	for i := 0; i < len(s); {
		k, end := w.plain(e, s, i)
		if end == i {
			end = e.next(s, i)
			k = w.count(e, s, i, end)
		}
		n += k
		i = end
	}
	return n
}

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
	pair := &w.seen[h>>(64-memoryBits)]
	high |= uint64(n) << 60
	// One branch for both: which of the two it is nobody can foretell.
	found, differs := pair[1].high, pair[1].differs(low, high)
	if pair[0].differs(low, high) == 0 {
		found, differs = pair[0].high, 0
	}
	if differs == 0 {
		return int(found >> 56 & 0xF)
	}
	c := w.short(&e.vocab, s[i:end])
	pair[1] = pair[0]
	pair[0] = entry{low, high | uint64(c)<<56}
	return c
}

// differs is 0 if e is the entry of a piece.
func (e *entry) differs(low, high uint64) uint64 {
	return e.low ^ low | (e.high^high)&^(0xF<<56)
}

// short counts a piece of at most reach bytes: most often the longest tokens, one
// after the other, may stand as they are; else it is merged.
func (w *worker) short(v *vocab, piece string) int {
	last, pos := v.longest(piece)
	n := 1
	for pos < len(piece) {
		t, length := v.longest(piece[pos:])
		if !v.adjacent(last, t, v.joint(piece, pos), true) {
			return w.stretch.count(v, piece)
		}
		last, pos = t, pos+length
		n++
	}
	return n
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
	low = word64(b, 0)
	if n <= 8 {
		return low & (^uint64(0) >> (64 - 8*uint(n))), 0
	}
	return low, word64(b, 8) & (^uint64(0) >> (128 - 8*uint(n)))
}

// encode counts a piece: by backtracking, unless it goes back too often.
func (w *worker) encode(v *vocab, piece string) int {
	if n := w.backtrack(v, piece, patience); n > 0 {
		return n
	}
	if len(piece) > reach {
		if n := w.merge(v, piece); n > 0 {
			return n
		}
	}
	return w.backtrack(v, piece, len(piece))
}

// backtrack counts a piece by backtracking: a token that may stand after the one
// before it is taken, the longest first; where none may, the one before is taken
// back, and its end is dead for good, so that no place is left twice. There is
// one way only to the end of a piece, and any order of trying finds it. It is 0
// if tokens are taken back more often than a sixteenth of them and patience times.
func (w *worker) backtrack(v *vocab, piece string, patience int) int {
	w.reset(len(piece))
	last, longest, pos := uint32(none), false, 0
	for pos < len(piece) {
		top, length := v.longest(piece[pos:])
		t := top
		switch {
		case last == none:
		case w.luck < 0:
			w.luck++
			t = v.after(last, top, v.joint(piece, pos), longest)
		default:
			t = w.follow(v, last, top, v.joint(piece, pos), longest)
		}
		if t != top && t != none {
			length = v.record(t).length()
		}
		if t != none && w.dead(pos+length) {
			t, length = w.another(v, last, top, piece, pos)
		}
		for t == none { // take the last one back
			if last == none { // cannot be: single bytes always fit
				return len(piece)
			}
			w.alive[pos/64] &^= 1 << (pos % 64)
			pos -= v.record(last).length()
			if patience--; patience+len(w.stack)/16 < 0 {
				return 0
			}
			last, top = w.pop()
			t, length = w.another(v, last, top, piece, pos)
		}
		w.stack = append(w.stack, choice{t, top})
		pos += length
		last, longest = t, t == top
	}
	return len(w.stack)
}

// pop takes the last choice back: before is the token that is last then, or
// none, and top the longest at the place that is open again.
func (w *worker) pop() (before, top uint32) {
	k := len(w.stack) - 1
	top = w.stack[k].top
	w.stack = w.stack[:k]
	if k == 0 {
		return none, top
	}
	return w.stack[k-1].token, top
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

func (w *worker) dead(pos int) bool { return w.alive[pos/64]>>(pos%64)&1 == 0 }

// follow is the one to try first after left among top and its ever shorter
// prefixes, or none if none may stand there. longest says that left is the
// longest token at its place. Answers are remembered.
func (w *worker) follow(v *vocab, left, top, joint uint32, longest bool) uint32 {
	question, slot := w.ask(left, top)
	if *slot&^idMask == question {
		w.luck = min(w.luck+1, pause)
		return uint32(*slot & idMask)
	}
	if w.luck--; w.luck < 0 {
		w.luck = -pause
	}
	t := v.after(left, top, joint, longest)
	*slot = question | uint64(t)
	return t
}

// another is the longest that leads to no dead end, or none, and its length. It is
// what follow tells to try the next time: what comes after is probably the same
// again.
func (w *worker) another(v *vocab, left, top uint32, piece string, pos int) (t uint32, length int) {
	joint, longest := uint32(none), false
	if left != none {
		before := w.stack[len(w.stack)-1]
		joint, longest = v.joint(piece, pos), before.token == before.top
	}
	for t = top; t != none; {
		r := v.record(t)
		length = r.length()
		if !w.dead(pos+length) && (left == none || v.adjacent(left, t, joint, longest)) {
			break
		}
		t = r.shorter()
	}
	if t != none && left != none && w.luck >= 0 { // else nobody looks soon
		question, slot := w.ask(left, top)
		*slot = question | uint64(t)
	}
	return t, length
}

func (w *worker) ask(left, top uint32) (question uint64, slot *uint64) {
	question = 1<<63 | uint64(left)<<36 | uint64(top)<<18
	return question, &w.asked[hash(question)>>(64-verdictBits)]
}
