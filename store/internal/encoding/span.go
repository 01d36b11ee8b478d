package encoding

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// region is a stretch of the raw bytes.
type region struct{ from, to int }

// afford subtracts a region from the search budget, so that a message of very many parts costs
// no more than a multiple of its size.
func (w *writer) afford(x region) bool {
	w.budget -= x.to - x.from
	return w.budget >= 0
}

// span finds a string in a region of the raw bytes: as it is, or within a JSON
// string. how is literal where it is not found.
func (w *writer) span(s string, in region) (off, n, how int) {
	if s[0] == '{' { // the arguments of a call may be an object
		if i := w.find([]byte(s), in); i >= 0 {
			return i, len(s), slice
		}
	}
	for _, x := range []region{{max(w.at, in.from), in.to}, in} {
		if x.from > x.to || !w.afford(x) {
			continue
		}
		if off, n, how := within(w.raw, x, s); how != literal {
			return off, n, how
		}
	}
	return 0, 0, literal
}

// tries bounds after how many quotation marks a string that begins alike is
// compared.
const tries = 64

// within looks behind every quotation mark of a region for s.
func within(raw []byte, x region, s string) (off, n, how int) {
	at := x.from
	for tried := 0; tried < tries; {
		i := bytes.IndexByte(raw[at:x.to], '"')
		if i < 0 {
			break
		}
		at += i + 1
		if !begins(raw[at:x.to], s) {
			continue
		}
		tried++
		if n, how := match(raw[at:x.to], s); how != literal {
			return at, n, how
		}
	}
	return 0, 0, literal
}

// begins reports whether s may stand at the start of b.
func begins(b []byte, s string) bool {
	for i := range min(len(b), len(s), 8) {
		if b[i] == '\\' {
			return true
		}
		if b[i] != s[i] {
			return false
		}
	}
	return len(b) >= len(s)
}

// match returns how many bytes of b decode to s, and in which form. It reads b as
// unquote does.
func match(b []byte, s string) (n, how int) {
	how = slice
	for len(s) > 0 {
		if n == len(b) {
			return 0, literal
		}
		if b[n] != '\\' {
			run := min(len(b)-n, len(s))
			if i := bytes.IndexByte(b[n:n+run], '\\'); i >= 0 {
				run = i
			}
			if string(b[n:n+run]) != s[:run] {
				return 0, literal
			}
			n, s = n+run, s[run:]
			continue
		}
		var buf [utf8.UTFMax]byte
		decoded, used := escape(buf[:0], b[n:])
		if !strings.HasPrefix(s, string(decoded)) || len(decoded) == 0 {
			return 0, literal
		}
		n, s, how = n+used, s[len(decoded):], quoted
	}
	return n, how
}

// unquote reads the inside of a JSON string.
func unquote(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			out.Write(b)
			return out.String()
		}
		out.Write(b[:i])
		b = b[i:]
		if len(b) > 1 && oneLetter[b[1]] != 0 {
			out.WriteByte(oneLetter[b[1]])
			b = b[2:]
			continue
		}
		var buf [utf8.UTFMax]byte
		decoded, used := escape(buf[:0], b)
		out.Write(decoded)
		b = b[used:]
	}
}

// oneLetter holds what escapes of one letter decode to, by the letter.
var oneLetter = [256]byte{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f'}

// escape appends what the escape sequence at the start of b decodes to, and
// returns its length, at least one. Bytes that are no escape stand for themselves.
func escape(to, b []byte) (decoded []byte, used int) {
	if len(b) < 2 {
		return append(to, b...), len(b)
	}
	if c := oneLetter[b[1]]; c != 0 {
		return append(to, c), 2
	}
	r, ok := unit(b)
	if !ok {
		return append(to, b[0]), 1
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unit(b[6:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return utf8.AppendRune(to, both), 12
			}
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(to, r), 6
}

// unit reads \uXXXX.
func unit(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
