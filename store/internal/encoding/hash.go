package encoding

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Coded is a plan as it is written.
type Coded struct {
	Header  []byte
	Records []CodedRecord
	Sum     [sha256.Size]byte // hash of the whole plan
}

// CodedRecord is a record as it is written.
type CodedRecord struct {
	Body []byte // what writeRecord wrote
	IDs  []thread.ID
	Hash [sha256.Size]byte // hash of body and ids
}

// Plan writes a plan. A record without a span is refused.
func Plan(p *plan.Plan) (Coded, error) {
	header, err := writeHeader(*p)
	if err != nil {
		return Coded{}, err
	}
	c := Coded{Header: header, Records: make([]CodedRecord, len(p.Records))}
	h := sha256.New()
	put(h, header)
	for i := range p.Records {
		ids := p.Records[i].Span.IDs
		if len(ids) == 0 {
			return Coded{}, fmt.Errorf("record %d: %w", i, plan.ErrEmptySpan)
		}
		b, err := writeRecord(p.Records[i])
		if err != nil {
			return Coded{}, fmt.Errorf("record %d: %w", i, err)
		}
		c.Records[i] = CodedRecord{Body: b, IDs: ids, Hash: Hash(b, ids)}
		h.Write(c.Records[i].Hash[:])
	}
	c.Sum = sum(h)
	return c, nil
}

// Hash names a record by what writeRecord wrote and the ids of its span.
func Hash(record []byte, ids []thread.ID) [sha256.Size]byte {
	h := sha256.New()
	put(h, record)
	some := make([]byte, 0, 4096) // one write for many ids
	for _, id := range ids {
		if len(some)+8+len(id) > cap(some) {
			h.Write(some)
			some = some[:0]
		}
		some = append(binary.BigEndian.AppendUint64(some, uint64(len(id))), id...)
	}
	h.Write(some)
	return sum(h)
}

func put(h hash.Hash, b []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(b)))
	h.Write(n[:])
	h.Write(b)
}

func sum(h hash.Hash) (out [sha256.Size]byte) {
	h.Sum(out[:0])
	return out
}
