package bpe

import "math/bits"

// window is up to 64 ASCII characters from the start of a piece on, a bit for
// each in every mask, lowest first. It finds the pieces among them without a
// branch for any: which character comes next no processor foretells. What is not
// in a mask is another symbol.
type window struct {
	upper, lower, digit uint64
	blank, tab, breaks  uint64 // tab is any other white space
	slash, quote        uint64

	n int // how many characters
}

// lanes spreads the class of a byte over the eight masks, a byte for each in the
// order of window; 0 is any other byte.
var lanes = func() (t [256]uint64) {
	for c := range 0x80 {
		switch class := ascii[c]; {
		case class == upper:
			t[c] = 1
		case class == lower:
			t[c] = 1 << 8
		case class == number:
			t[c] = 1 << 16
		case c == ' ':
			t[c] = 1 << 24
		case class == space:
			t[c] = 1 << 32
		case class == breaks:
			t[c] = 1 << 40
		case c == '/':
			t[c] = 1 << 48
		case c == '\'':
			t[c] = 1 << 56
		}
	}
	return t
}()

// read looks at s from i on, eight bytes at a time, up to the first that is not
// ASCII; fewer than eight at the end are left out.
func (w *window) read(s string, i int) {
	*w = window{}
	for w.n < 64 && i+w.n+8 <= len(s) {
		x := word64(s, i+w.n)
		g := lanes[x&0xFF] | lanes[x>>8&0xFF]<<1 | lanes[x>>16&0xFF]<<2 | lanes[x>>24&0xFF]<<3 |
			lanes[x>>32&0xFF]<<4 | lanes[x>>40&0xFF]<<5 | lanes[x>>48&0xFF]<<6 | lanes[x>>56]<<7
		size := 8
		if wide := x & 0x8080808080808080; wide != 0 {
			size = bits.TrailingZeros64(wide) / 8
			g &= (1<<size - 1) * 0x0101010101010101
		}
		w.upper |= g & 0xFF << w.n
		w.lower |= g >> 8 & 0xFF << w.n
		w.digit |= g >> 16 & 0xFF << w.n
		w.blank |= g >> 24 & 0xFF << w.n
		w.tab |= g >> 32 & 0xFF << w.n
		w.breaks |= g >> 40 & 0xFF << w.n
		w.slash |= g >> 48 & 0xFF << w.n
		w.quote |= g >> 56 << w.n
		w.n += size
		if size < 8 {
			return
		}
	}
}

// starts are the bits of the characters, s[i] the first, that start a piece
// whatever comes after the window; by the cl100k pattern if caseless, else by
// o200k's.
func (w *window) starts(s string, i int, caseless bool) uint64 {
	letter := w.upper | w.lower
	white := w.blank | w.tab
	space := white | w.breaks
	all := ^uint64(0) >> (64 - w.n)
	other := all &^ (letter | w.digit | space)

	// Line breaks after symbols are theirs, for o200k with slashes.
	tail := w.breaks
	if !caseless {
		tail |= w.slash
	}
	tail = run(tail, w.breaks&(other<<1))
	// The first of some symbols starts a piece, and a letter after it belongs to it;
	// after a blank, they are the blank's, and a letter is not.
	symbol := other &^ tail &^ (other&^tail<<1 | w.blank<<1)

	word := letter & ((w.digit | w.breaks | other&^symbol) << 1)
	if !caseless {
		word |= w.upper & (w.lower << 1)
	}
	// White space is a piece up to its last line break, and without its last
	// character, which starts what follows, one after it.
	gap := white & (^space>>1 | ^space<<1 | tail<<1 | (w.breaks<<1)&^w.leading(white))
	line := w.breaks &^ tail &^ (space << 1)

	out := 1 | word | thirdDigits(w.digit) | symbol | gap | line
	out &= 2<<bits.Len64(all&^space) - 1 // white space at the end may go on
	return w.contractions(out, letter, s, i, caseless)
}

// run is the bits of mask from each of from on, which are bits of it, upwards
// without a gap.
func run(mask, from uint64) uint64 { return ((mask+from)^mask)&mask | from }

// leading is the white space that has a line break after it.
func (w *window) leading(white uint64) uint64 {
	out := white & (w.breaks >> 1)
	for more := out; more != 0; {
		more = more >> 1 & white
		out |= more
	}
	return out
}

// thirdDigits are the first digits of runs and every third after.
func thirdDigits(digit uint64) uint64 {
	out := digit &^ (digit << 1)
	step := digit & (digit << 1) & (digit << 2) & (digit << 3)
	for k := 3; step != 0; k *= 2 {
		out |= out << k & step
		step &= step << k
	}
	return out
}

// contractions corrects starts for English contractions, which o200k takes into
// the word before.
func (w *window) contractions(out, letter uint64, s string, i int, caseless bool) uint64 {
	quote := w.quote & (letter << 1)
	if caseless {
		quote = w.quote & out
	}
	for last := -1; quote != 0; quote &= quote - 1 {
		q := bits.TrailingZeros64(quote)
		end := contraction(s, i+q) - i
		if end == q || q == last && !caseless { // a quote that starts a word ends none
			continue
		}
		if !caseless {
			out &^= (1<<(end-q) - 1) << q
		}
		out |= 1 << end
		last = end
	}
	return out
}

// plain counts the pieces of a valid text from i on that a window shows whole,
// and says where the next one starts: at i itself if none is.
func (w *worker) plain(e *encoding, s string, i int) (n, end int) {
	if i+8 > len(s) || s[i] >= 0x80 || s[i+1] >= 0x80 {
		return 0, i
	}
	w.window.read(s, i)
	starts := w.window.starts(s, i, e.caseless)
	end = bits.Len64(starts) - 1
	single := starts & (starts >> 1)
	n = bits.OnesCount64(single)
	for m := starts &^ single &^ (1 << end); m != 0; m &= m - 1 {
		p := bits.TrailingZeros64(m)
		size := bits.TrailingZeros64(starts>>p>>1) + 1
		n += w.count(e, s, i+p, i+p+size)
	}
	return n, i + end
}
