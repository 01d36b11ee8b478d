package jsonedit

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds how deep arrays and objects nest, so that no input exhausts the
// stack.
const maxDepth = 10_000

// invalid is the end of what is not a value.
const invalid = -1

// Blank returns the position of the next byte that is not white space.
func Blank(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// value returns the end of the value that begins at i, within depth others.
func value(src []byte, i, depth int) int {
	if i >= len(src) {
		return invalid
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
	if depth == maxDepth {
		return invalid
	}
	i = Blank(src, i+1)
	if i < len(src) && src[i] == '}' {
		return i + 1
	}
	for i < len(src) && src[i] == '"' {
		if i = text(src, i); i == invalid {
			return invalid
		}
		if i = Blank(src, i); i == len(src) || src[i] != ':' {
			return invalid
		}
		if i = value(src, Blank(src, i+1), depth+1); i == invalid {
			return invalid
		}
		switch i = Blank(src, i); {
		case i == len(src):
			return invalid
		case src[i] == '}':
			return i + 1
		case src[i] != ',':
			return invalid
		}
		i = Blank(src, i+1)
	}
	return invalid
}

func array(src []byte, i, depth int) int {
	if depth == maxDepth {
		return invalid
	}
	i = Blank(src, i+1)
	if i < len(src) && src[i] == ']' {
		return i + 1
	}
	for {
		if i = value(src, i, depth+1); i == invalid {
			return invalid
		}
		switch i = Blank(src, i); {
		case i == len(src):
			return invalid
		case src[i] == ']':
			return i + 1
		case src[i] != ',':
			return invalid
		}
		i = Blank(src, i+1)
	}
}

func literal(src []byte, i int, word string) int {
	if len(src)-i < len(word) || string(src[i:i+len(word)]) != word {
		return invalid
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
		if i = digits(src, i); i == invalid {
			return invalid
		}
	}
	if i < len(src) && src[i] == '.' {
		if i = digits(src, i+1); i == invalid {
			return invalid
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
		return invalid
	}
	return i
}

// text returns the end of the string that begins at i.
func text(src []byte, i int) int {
	for i++; ; {
		if i = nextSpecial(src, i); i == len(src) {
			return invalid
		}
		switch src[i] {
		case '"':
			return i + 1
		case '\\':
			if i = escape(src, i+1); i == invalid {
				return invalid
			}
		default: // a control character
			return invalid
		}
	}
}

// The bytes of a word: the lowest bit of each, and the highest.
const low, high = 0x0101010101010101, 0x8080808080808080

// nextSpecial returns the position of the next byte that is special in a string: a
// quote, a backslash, a control character. It reads eight bytes at a time; the first
// byte it marks in a word is right, later ones may not be.
func nextSpecial(src []byte, i int) int {
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

// escape returns the end of the escape whose backslash stands before i.
func escape(src []byte, i int) int {
	if i < len(src) && escapes[src[i]] != 0 {
		return i + 1
	}
	if len(src)-i < 5 || src[i] != 'u' {
		return invalid
	}
	for _, c := range src[i+1 : i+5] {
		if lower := c | 0x20; (c < '0' || c > '9') && (lower < 'a' || lower > 'f') {
			return invalid
		}
	}
	return i + 5
}
