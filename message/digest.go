package message

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest identifies the canonical content of a message: what the model read or
// said, without what clients change between turns (cache markers, thinking,
// JSON spacing and key order, string against single text block, empty text).
type Digest [sha256.Size]byte

// Digest computes the digest. It allocates for large messages and for parts that
// hold JSON.
func (m Message) Digest() Digest {
	var small [1024]byte
	b := small[:0]
	if n := m.bytes(); n > len(small) {
		b = make([]byte, 0, n)
	}
	b = append(b, 0x00)
	b = field(b, string(m.Role))
	b = field(b, m.Name)
	return sha256.Sum256(appendParts(b, m.Parts))
}

// bytes estimates the size of the digest's input.
func (m Message) bytes() int { return 64 + len(m.Name) + sizeOf(m.Parts) }

func sizeOf(ps []Part) int {
	n := 0
	for i := range ps {
		p := &ps[i]
		n += 64 + len(p.Text) + len(p.CallID) + len(p.Name) + len(p.Args) + len(p.URL) + len(p.Raw) + sizeOf(p.Parts)
	}
	return n
}

func appendParts(b []byte, ps []Part) []byte {
	for i := range ps {
		p := &ps[i]
		switch p.Kind {
		case Thinking:
		case Text:
			if p.Text != "" {
				b = field(b, "t")
				b = field(b, p.Text)
			}
		case Call:
			b = field(b, "c")
			b = field(b, p.CallID)
			b = field(b, p.Name)
			b = field(b, canonical(p.Args))
		case Result:
			b = field(b, "r")
			b = field(b, p.CallID)
			if p.Failed {
				b = field(b, "failed")
			}
			b = appendParts(b, p.Parts)
			b = field(b, "/r")
		default:
			kind := p.Kind
			if kind == Fixed { // what is known of a type later does not change what was said
				kind = Opaque
			}
			b = field(b, string(kind))
			b = field(b, p.URL)
			b = field(b, canonical(string(p.Raw)))
		}
	}
	return b
}

func field[T string | []byte](b []byte, s T) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...)
}

// canonical compacts JSON and sorts its keys, keeping every number as written
// (a double would merge integers beyond 2^53), and leaves out cache markers.
// It returns what is not JSON unchanged.
func canonical(s string) []byte {
	if s == "" {
		return nil
	}
	v := jsontext.Value(stripCacheControl(s))
	err := v.Format(
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true),
		jsontext.ReorderRawObjects(true),
		jsontext.PreserveRawStrings(false),
	)
	if err != nil {
		return []byte(s)
	}
	return v
}
