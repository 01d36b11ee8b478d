package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/compress"
)

// Content is kept in the form that pays, and comes back from each; what is not what
// was written, and what was erased, says so.
//
// SPEC: V1
func TestPack(t *testing.T) {
	z, err := newCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(rand.IntN(256))
	}
	const said = `{"role":"user","content":[{"type":"text","text":"all of it"}]}`
	for _, c := range []struct {
		content []byte
		codec   int
	}{
		{nil, compress.Plain},
		{[]byte(said[:32]), compress.Plain},
		{[]byte(said + said), compress.ZippedWithDictionary},
		{noise[:1000], compress.Plain},
		{[]byte(strings.Repeat(said, 100)), compress.Zipped},
		{noise, compress.Plain},
	} {
		t.Run(fmt.Sprint(len(c.content)), func(t *testing.T) {
			b := z.pack(c.content)
			if b.codec != c.codec {
				t.Errorf("codec is %d, want %d", b.codec, c.codec)
			}
			p := packed{hash: b.hash[:], size: b.size, codec: b.codec, data: b.data}
			have, err := z.unpackTo([]byte("before"), &p)
			if err != nil || !bytes.Equal(have, append([]byte("before"), c.content...)) {
				t.Errorf("%d bytes came back as %d: %v", len(c.content), len(have)-6, err)
			}
			if have, err = z.unpack(&p); err != nil || have == nil || !bytes.Equal(have, c.content) {
				t.Errorf("%d bytes came back as %d: %v", len(c.content), len(have), err)
			}
			for _, size := range []int{-1, compress.MaxContent + 1} {
				odd := p
				odd.size = size
				if _, err := z.unpackTo(nil, &odd); !errors.Is(err, ErrCorrupt) {
					t.Errorf("content of %d bytes: error is %v", size, err)
				}
			}
			p.hash = bytes.Repeat([]byte{1}, len(p.hash))
			if _, err := z.unpack(&p); !errors.Is(err, ErrCorrupt) {
				t.Errorf("error is %v", err)
			}
			p.erased = sql.NullString{String: "then", Valid: true}
			if _, err := z.unpack(&p); !errors.Is(err, store.ErrErased) {
				t.Errorf("error is %v", err)
			}
		})
	}
}
