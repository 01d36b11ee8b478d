package bpe

import _ "embed"

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

// classes is a two-stage table of the classes of all characters in Unicode 16.0,
// which the reference uses and Go's tables lag: the number of each block of 128
// characters, then the blocks. testdata/classes.mjs writes it.
//
//go:embed classes.table
var classes string

const (
	blockBits = 7
	blockSize = 1 << blockBits
	blocks    = 0x110000 >> blockBits
)

func classify(r rune) uint8 {
	block := int(classes[r>>blockBits])
	return classes[blocks+block<<blockBits+int(r)&(blockSize-1)]
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
