package bpe

import (
	"sync"
	"unicode/utf8"
)

// A text of two shares or more is counted in parts at once, at most so many.
const (
	share    = 64 << 10
	mostPart = 8
)

// parts cuts a valid text where its pieces end anyhow. A text without such
// places stays whole.
func parts(text string) []string {
	size := max(share, len(text)/mostPart+1)
	var out []string
	for len(text) > size+share/2 {
		end := nextBorder(text, size)
		out = append(out, text[:end])
		text = text[end:]
	}
	return append(out, text)
}

// together is the sum of the parts' counts.
func (e *encoding) together(parts []string) int {
	counts := make([]int, len(parts))
	var wg sync.WaitGroup
	for i := range parts[1:] {
		wg.Go(func() { counts[i] = e.count(parts[i]) })
	}
	last := len(parts) - 1
	counts[last] = e.count(parts[last])
	wg.Wait()
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// border says that no piece of a text crosses i, whatever else the text holds,
// and that what is on one side of i does not change the pieces on the other: a
// letter ends before i and neither a letter, a mark nor an apostrophe starts
// there, or a line break ends and neither white space, a mark nor a slash starts.
func border(s string, i int) bool {
	if i <= 0 || i >= len(s) || !utf8.RuneStart(s[i]) {
		return false
	}
	next, n := utf8.DecodeRuneInString(s[i:])
	prev, m := utf8.DecodeLastRuneInString(s[:i])
	if n == 1 && next == utf8.RuneError || m == 1 && prev == utf8.RuneError {
		return false
	}
	return parted(classify(prev), classify(next), s[i])
}

// parted is border by the classes before and after, and after's first byte.
func parted(before, after uint8, first byte) bool {
	switch {
	case before&anyLetter != 0:
		return after&(number|anySpace|other) != 0 && first != '\''
	case before == breaks:
		return after&(anyLetter|number|other) != 0 && first != '/'
	}
	return false
}

// nextBorder is the first border of a valid text behind i, or the text's end.
func nextBorder(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	before := other // is at no border
	for i < len(s) {
		after, n := at(s, i)
		if parted(before, after, s[i]) {
			return i
		}
		before = after
		i += n
	}
	return i
}

// Running counts a text that grows at its end, as a streamed reply does, and
// counts again only what the end may still change: most often a word. The zero
// value is not ready; NewRunning is. It is for one goroutine.
type Running struct {
	encoding *encoding
	tokens   int    // of what nothing can change any more
	rest     []byte // what comes after that
}

// NewRunning is a Running of an encoding, by the names that Counter takes.
func NewRunning(name string) (*Running, error) {
	e, err := named(name)
	if err != nil {
		return nil, err
	}
	return &Running{encoding: e}, nil
}

// Append adds to the text. What is added may end anywhere, even within a
// character.
func (r *Running) Append(text string) {
	from := max(0, len(r.rest)-2*utf8.UTFMax) // where a border may be new
	r.rest = append(r.rest, text...)
	added := string(r.rest[from:])
	for i := len(added) - 1; i > 0; i-- {
		if !border(added, i) {
			continue
		}
		end := from + i
		r.tokens += r.encoding.Count(string(r.rest[:end]))
		r.rest = append(r.rest[:0], r.rest[end:]...)
		return
	}
}

// Count is the tokens of the text so far.
func (r *Running) Count() int { return r.tokens + r.encoding.Count(string(r.rest)) }
