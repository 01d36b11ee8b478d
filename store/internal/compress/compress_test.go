package compress

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Content is kept in the form that pays, and comes back from each; what is not what
// was written says so.
//
// SPEC: V1
func TestPack(t *testing.T) {
	z, err := New()
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
		form    int
	}{
		{nil, Plain},
		{[]byte(said[:minToCompress/2]), Plain},
		{[]byte(said + said), ZippedWithDictionary},
		{noise[:1000], Plain},
		{[]byte(strings.Repeat(said, 100)), Zipped},
		{noise, Plain},
	} {
		t.Run(fmt.Sprint(len(c.content)), func(t *testing.T) {
			p := z.Pack(c.content)
			if p.Form != c.form {
				t.Errorf("form is %d, want %d", p.Form, c.form)
			}
			have, err := z.Unpack([]byte("before"), p.Form, p.Size, p.Hash[:], p.Data)
			if err != nil || !bytes.Equal(have, append([]byte("before"), c.content...)) {
				t.Errorf("%d bytes came back as %d: %v", len(c.content), len(have)-6, err)
			}
			if have, err = z.Unpack(nil, p.Form, p.Size, p.Hash[:], p.Data); err != nil || have == nil || !bytes.Equal(have, c.content) {
				t.Errorf("%d bytes came back as %d: %v", len(c.content), len(have), err)
			}
			for _, size := range []int{-1, MaxContent + 1} {
				if _, err := z.Unpack(nil, p.Form, size, p.Hash[:], p.Data); !errors.Is(err, ErrCorrupt) {
					t.Errorf("content of %d bytes: error is %v", size, err)
				}
			}
			p.Hash[0]++
			if _, err := z.Unpack(nil, p.Form, p.Size, p.Hash[:], p.Data); !errors.Is(err, ErrCorrupt) {
				t.Errorf("error is %v", err)
			}
		})
	}
}
