package message

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest identifies the canonical content of a message: what the model read or
// said, without what clients change between turns (cache markers, thinking,
// JSON spacing and key order, string against single text block, empty text).
type Digest [sha256.Size]byte

// Digest computes the digest. It allocates for parts that hold JSON only.
func (m Message) Digest() Digest {
	h := sha256.New()
	h.Write([]byte{0x00})
	field(h, string(m.Role))
	field(h, m.Name)
	parts(h, m.Parts)
	var d Digest
	h.Sum(d[:0])
	return d
}

func parts(h hash.Hash, ps []Part) {
	for i := range ps {
		p := &ps[i]
		switch p.Kind {
		case Thinking:
		case Text:
			if p.Text != "" {
				field(h, "t")
				field(h, p.Text)
			}
		case Call:
			field(h, "c")
			field(h, p.CallID)
			field(h, p.Name)
			field(h, canonical(p.Args))
		case Result:
			field(h, "r")
			field(h, p.CallID)
			if p.Failed {
				field(h, "failed")
			}
			parts(h, p.Parts)
			field(h, "/r")
		default:
			field(h, string(p.Kind))
			field(h, p.URL)
			field(h, canonical(string(p.Raw)))
		}
	}
}

func field(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

// canonical compacts JSON and sorts its keys, keeping every number as written
// (a double would merge integers beyond 2^53), and leaves out cache markers.
// What is not JSON stands for itself.
func canonical(s string) string {
	if s == "" {
		return s
	}
	v := jsontext.Value(stripCacheControl(s))
	err := v.Format(
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true),
		jsontext.ReorderRawObjects(true),
		jsontext.PreserveRawStrings(false),
	)
	if err != nil {
		return s
	}
	return string(v)
}
