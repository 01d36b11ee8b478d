package unpack_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/unpack"
)

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes everything
	_ = z.Close()
	return b.String()
}

// What is packed is unpacked, also in two parts; all else comes as it is, and what is
// broken is an error.
func TestReader(t *testing.T) {
	for in, want := range map[string]string{"": "", "{": "{", "plain text": "plain text", packed("one"): "one", packed("one") + packed("two"): "onetwo"} {
		r, err := unpack.Reader(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%q, want %q: %v", got, want, err)
		}
	}
	for _, in := range []string{"\x1f\x8b", "\x1f\x8bjunk that is long enough", packed(strings.Repeat("cut ", 99))[:20]} {
		r, err := unpack.Reader(strings.NewReader(in))
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if err == nil {
			t.Errorf("%q is read", in)
		}
	}
}
