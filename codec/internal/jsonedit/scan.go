package jsonedit

import (
	"encoding/binary"
	"math/bits"
)

// deepest is how many arrays and objects may stand in one another: an input
// cannot make the stack grow without end.
const deepest = 10_000

// bad is where a value ends that is none.
const bad = -1

// Blank is the position of the next byte that is not white space.
func Blank(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// value is where the value ends that begins at i, within depth others.
func value(src []byte, i, depth int) int {
	if i >= len(src) {
		return bad
	}
	switch src[i] {
	case '"':
		return text(src, i)
	case '{':
		return object(src, i, depth)
	case '[':
		return array(src, i, depth)
	case 't':
		return literal(src, i, "true")
	case 'f':
		return literal(src, i, "false")
	case 'n':
		return literal(src, i, "null")
	}
	return number(src, i)
}

func object(src []byte, i, depth int) int {
	if depth == deepest {
		return bad
	}
	i = Blank(src, i+1)
	if i < len(src) && src[i] == '}' {
		return i + 1
	}
	for i < len(src) && src[i] == '"' {
		if i = text(src, i); i == bad {
			return bad
		}
		if i = Blank(src, i); i == len(src) || src[i] != ':' {
			return bad
		}
		if i = value(src, Blank(src, i+1), depth+1); i == bad {
			return bad
		}
		switch i = Blank(src, i); {
		case i == len(src):
			return bad
		case src[i] == '}':
			return i + 1
		case src[i] != ',':
			return bad
		}
		i = Blank(src, i+1)
	}
	return bad
}

func array(src []byte, i, depth int) int {
	if depth == deepest {
		return bad
	}
	i = Blank(src, i+1)
	if i < len(src) && src[i] == ']' {
		return i + 1
	}
	for {
		if i = value(src, i, depth+1); i == bad {
			return bad
		}
		switch i = Blank(src, i); {
		case i == len(src):
			return bad
		case src[i] == ']':
			return i + 1
		case src[i] != ',':
			return bad
		}
		i = Blank(src, i+1)
	}
}

func literal(src []byte, i int, word string) int {
	if len(src)-i < len(word) || string(src[i:i+len(word)]) != word {
		return bad
	}
	return i + len(word)
}

func number(src []byte, i int) int {
	if src[i] == '-' {
		i++
	}
	switch {
	case i < len(src) && src[i] == '0':
		i++
	default:
		if i = digits(src, i); i == bad {
			return bad
		}
	}
	if i < len(src) && src[i] == '.' {
		if i = digits(src, i+1); i == bad {
			return bad
		}
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		if i++; i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		return digits(src, i)
	}
	return i
}

func digits(src []byte, i int) int {
	from := i
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	if i == from {
		return bad
	}
	return i
}

// text is where the string ends that begins at i.
func text(src []byte, i int) int {
	for i++; ; {
		if i = plain(src, i); i == len(src) {
			return bad
		}
		switch src[i] {
		case '"':
			return i + 1
		case '\\':
			if i = escape(src, i+1); i == bad {
				return bad
			}
		default: // a control character
			return bad
		}
	}
}

// The bytes of a word: the lowest bit of each, and the highest.
const low, high = 0x0101010101010101, 0x8080808080808080

// plain is the position of the next byte that means something in a string: a
// quote, a backslash, a control character. It looks at eight at a time; of the
// bytes it marks in a word the first is right, whatever follows it.
func plain(src []byte, i int) int {
	for ; i+8 <= len(src); i += 8 {
		w := binary.LittleEndian.Uint64(src[i:])
		quote, back := w^low*'"', w^low*'\\'
		found := ((w-low*0x20)&^w | (quote-low)&^quote | (back-low)&^back) & high
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(src) && src[i] >= 0x20 && src[i] != '"' && src[i] != '\\' {
		i++
	}
	return i
}

// escape is where the escape ends whose backslash stands before i.
func escape(src []byte, i int) int {
	if i < len(src) && escapes[src[i]] != 0 {
		return i + 1
	}
	if len(src)-i < 5 || src[i] != 'u' {
		return bad
	}
	for _, c := range src[i+1 : i+5] {
		if lower := c | 0x20; (c < '0' || c > '9') && (lower < 'a' || lower > 'f') {
			return bad
		}
	}
	return i + 5
}
