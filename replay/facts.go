package replay

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// supportBytes states how far, in bytes, a content word may stand from a value to support it.
const supportBytes = 100

// facts holds what the judge needs to know of one message, computed once.
type facts struct {
	tokens int
	blocks int // parts
	role   message.Role
	text   string // all it says
	// arguments is the share of tokens that calls take.
	arguments int
	logged    int // position in the log of the first message like this, -1 if none
	values    []int32
	near      [][]int32 // content words within reach of values[i], ascending
}

// holds reports whether the message has the value, and the words near it.
func (f *facts) holds(v int32) ([]int32, bool) {
	i, ok := slices.BinarySearch(f.values, v)
	if !ok {
		return nil, false
	}
	return f.near[i], true
}

// mention is one occurrence of a value in a message.
type mention struct {
	value value
	near  []word // within reach
	line  []word // of its line; those near when the line has none within reach
}

// mentions returns the occurrences of values in a message. line is filled only
// when origin is set.
func mentions(m message.Message, origin bool) []mention {
	var out []mention
	for _, t := range texts(m) {
		vs := t.values()
		ws := words(t.s, vs)
		for _, v := range vs {
			x := mention{value: v, near: within(ws, v, v.Start-supportBytes, v.End+supportBytes)}
			if origin {
				x.line = onLine(t.s, ws, v, x.near)
			}
			out = append(out, x)
		}
	}
	return out
}

// within returns the words of [from, to) but those of the value itself.
func within(ws []word, v value, from, to int) []word {
	i, _ := slices.BinarySearchFunc(ws, from, func(w word, at int) int { return w.start - at })
	var out []word
	for ; i < len(ws) && ws[i].end <= to; i++ {
		if ws[i].end <= v.Start || ws[i].start >= v.End {
			out = append(out, ws[i])
		}
	}
	return out
}

// maxLine bounds how much of a line on each side of a value counts as its
// line, in bytes, so that one-line documents stay linear.
const maxLine = 1000

func onLine(s string, ws []word, v value, near []word) []word {
	from := max(strings.LastIndexByte(s[:v.Start], '\n')+1, v.Start-maxLine)
	to := len(s)
	if n := strings.IndexByte(s[v.End:], '\n'); n >= 0 {
		to = v.End + n
	}
	line := within(ws, v, from, min(to, v.End+maxLine))
	if len(line) == 0 {
		return near
	}
	return line
}

// key identifies what a message says within one process.
type key uint64

var seed = maphash.MakeSeed()

func keyOf(m message.Message) key {
	var h maphash.Hash
	h.SetSeed(seed)
	put := func(s string) {
		h.WriteString(s)
		h.WriteByte(0xff) // no UTF-8 text holds it
	}
	put(string(m.Role))
	var parts func(ps []message.Part)
	parts = func(ps []message.Part) {
		for i := range ps {
			p := &ps[i]
			put(string(p.Kind))
			put(p.Text)
			put(p.CallID)
			put(p.Name)
			put(p.Args)
			put(p.URL)
			parts(p.Parts)
		}
		h.WriteByte(0xfe)
	}
	parts(m.Parts)
	return key(h.Sum64())
}
