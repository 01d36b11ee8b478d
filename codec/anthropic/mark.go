package anthropic

import (
	"bytes"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// fixedMarks counts the cache markers of a body outside its messages.
func fixedMarks(req *codec.Request) int {
	n := 0
	for _, p := range req.System {
		n += marks(p.Raw)
	}
	for _, t := range req.Tools {
		n += marks(t.Raw)
	}
	if automaticCache(req) {
		n++
	}
	return n
}

// automaticCache reports whether a request asks the provider to set cache markers.
func automaticCache(req *codec.Request) bool { return !jsonedit.IsNull(req.Member("cache_control")) }

// limitMarks leaves at most four cache markers in a request that has fixed of
// them outside its messages, the newest (WA10).
func limitMarks(ts []*turn, fixed int) {
	total := fixed
	for _, t := range ts {
		total += t.marks()
	}
	for _, t := range ts {
		if total <= maxMarks {
			return
		}
		if t.marks() == 0 {
			continue
		}
		t.expand()
		for i := range t.blocks {
			if n := marks(t.blocks[i].raw); n > 0 && total > maxMarks {
				t.blocks[i].raw = unmark(t.blocks[i].raw)
				total -= n
			}
		}
	}
}

func (t *turn) marks() int {
	if !t.open {
		n := 0
		for _, p := range t.msg.Parts {
			n += marks(p.Raw)
		}
		return n
	}
	n := 0
	for _, b := range t.blocks {
		n += marks(b.raw)
	}
	return n
}

var cacheControl = []byte(`"cache_control"`)

// marks counts the cache markers of a block, those of the blocks inside it
// included.
func marks(raw []byte) int {
	if !bytes.Contains(raw, cacheControl) {
		return 0
	}
	n := 0
	for _, m := range jsonedit.Members(raw) {
		switch {
		case m.Name == "cache_control" && !jsonedit.IsNull(m.Value):
			n++
		case m.Name == "content":
			for _, e := range jsonedit.Elements(m.Value) {
				if marked(e) {
					n++
				}
			}
		}
	}
	return n
}

func marked(raw []byte) bool {
	return bytes.Contains(raw, cacheControl) && !jsonedit.IsNull(jsonedit.Get(raw, "cache_control"))
}

// unmark takes the cache markers out of a block and the blocks inside it.
func unmark(raw []byte) []byte {
	out := jsonedit.Member{Name: "cache_control"}
	content := jsonedit.Get(raw, "content")
	elems := jsonedit.Elements(content)
	if len(elems) == 0 {
		return jsonedit.Set(raw, out)
	}
	for i, e := range elems {
		if marked(e) {
			elems[i] = jsonedit.Set(e, out)
		}
	}
	return jsonedit.Set(raw, out, jsonedit.Member{Name: "content", Value: jsonedit.Join(content, elems)})
}
