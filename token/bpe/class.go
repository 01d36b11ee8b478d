package bpe

import "unicode"

// The classes of characters the patterns tell apart, one bit each.
const (
	upper  uint8 = 1 << iota // Lu, Lt
	lower                    // Ll
	letter                   // Lm, Lo
	mark                     // M
	number                   // N
	space                    // white space but line breaks
	breaks                   // \r, \n
	other

	anyLetter = upper | lower | letter
	anySpace  = space | breaks
	// upperRun and lowerRun are the two halves of an o200k word.
	upperRun = upper | letter | mark
	lowerRun = lower | letter | mark
	// prefix may stand before a word as part of it.
	prefix = space | mark | other
	symbol = mark | other
)

// ascii is the class of each byte below 0x80, 0 above.
var ascii = func() (t [256]uint8) {
	for c := range rune(0x80) {
		t[c] = classify(c)
	}
	return t
}()

const (
	blockBits = 7
	blockSize = 1 << blockBits
)

// blocks and blockOf are a two-stage table of the classes of all runes.
var blocks, blockOf = classTable()

func classTable() ([][blockSize]uint8, [(unicode.MaxRune + 1) >> blockBits]uint16) {
	all := make([]uint8, unicode.MaxRune+1)
	for i := range all {
		all[i] = other
	}
	for _, set := range []struct {
		class uint8
		table *unicode.RangeTable
	}{
		{upper, unicode.Lu},
		{upper, unicode.Lt},
		{lower, unicode.Ll},
		{letter, unicode.Lm},
		{letter, unicode.Lo},
		{mark, unicode.M},
		{number, unicode.N},
		{space, unicode.White_Space},
	} {
		paint(all, set.table, set.class)
	}
	all['\r'], all['\n'] = breaks, breaks
	return fold(all)
}

func paint(all []uint8, t *unicode.RangeTable, class uint8) {
	for _, r := range t.R16 {
		for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
			all[c] = class
		}
	}
	for _, r := range t.R32 {
		for c := r.Lo; c <= r.Hi; c += r.Stride {
			all[c] = class
		}
	}
}

// fold keeps one of each distinct block.
func fold(all []uint8) (blocks [][blockSize]uint8, of [(unicode.MaxRune + 1) >> blockBits]uint16) {
	seen := map[[blockSize]uint8]uint16{}
	for i := range of {
		b := [blockSize]uint8(all[i<<blockBits:])
		at, ok := seen[b]
		if !ok {
			at = uint16(len(blocks))
			seen[b] = at
			blocks = append(blocks, b)
		}
		of[i] = at
	}
	return blocks, of
}

func classify(r rune) uint8 {
	return blocks[blockOf[r>>blockBits]][r&(blockSize-1)]
}

// at is the class and size of the character at i. The text is valid UTF-8.
func at(s string, i int) (class uint8, size int) {
	if c := ascii[s[i]]; c != 0 {
		return c, 1
	}
	return wide(s, i)
}

func wide(s string, i int) (class uint8, size int) {
	c := rune(s[i])
	switch {
	case c < 0xE0:
		return classify(c&0x1F<<6 | rune(s[i+1])&0x3F), 2
	case c < 0xF0:
		return classify(c&0x0F<<12 | rune(s[i+1])&0x3F<<6 | rune(s[i+2])&0x3F), 3
	}
	return classify(c&0x07<<18 | rune(s[i+1])&0x3F<<12 | rune(s[i+2])&0x3F<<6 | rune(s[i+3])&0x3F), 4
}
