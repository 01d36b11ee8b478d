package anthropic

import (
	"bytes"
	"encoding/json"

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
// them outside its messages, the newest (WA10). Those beside what is not known stay.
func limitMarks(ts []*turn, fixed int) {
	total := fixed
	for _, t := range ts {
		total += t.marks()
	}
	for _, t := range ts {
		if total <= maxMarks {
			return
		}
		if t.marks() == 0 || t.fixed() {
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

// markDepth is how deep the API looks for markers: a result's content may be a document,
// its source a list of blocks.
const markDepth = 4

// marks counts the cache markers of a block, those of the blocks inside it
// included.
func marks(raw []byte) int { return len(markers(raw, markDepth)) }

// markers are the cache markers of a block and of the blocks inside it.
func markers(raw []byte, depth int) (all []json.RawMessage) {
	if depth == 0 || !bytes.Contains(raw, cacheControl) {
		return nil
	}
	for _, m := range jsonedit.Members(raw) {
		switch {
		case m.Name == "cache_control" && !jsonedit.IsNull(m.Value):
			all = append(all, m.Value)
		case m.Name == "source":
			all = append(all, markers(m.Value, depth-1)...)
		case m.Name == "content":
			for _, e := range jsonedit.Elements(m.Value) {
				all = append(all, markers(e, depth-1)...)
			}
		}
	}
	return all
}

// unmark takes the cache markers out of a block and the blocks inside it.
func unmark(raw []byte) []byte { return unmarkWithin(raw, markDepth) }

func unmarkWithin(raw []byte, depth int) []byte {
	if len(markers(raw, depth)) == 0 {
		return raw
	}
	es := []jsonedit.Member{{Name: "cache_control"}}
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case "source":
			es = append(es, jsonedit.Member{Name: m.Name, Value: unmarkWithin(m.Value, depth-1)})
		case "content":
			elems := jsonedit.Elements(m.Value)
			if len(elems) == 0 {
				continue
			}
			for i := range elems {
				elems[i] = unmarkWithin(elems[i], depth-1)
			}
			es = append(es, jsonedit.Member{Name: m.Name, Value: jsonedit.Fill(m.Value, elems)})
		}
	}
	return jsonedit.Set(raw, es...)
}
