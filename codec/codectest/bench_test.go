package codectest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// large is a conversation of about 1,000 messages and 1.7 MB.
func large(b *testing.B, c codec.Codec) []byte {
	b.Helper()
	line := "func (r *Reader) Value() ([]byte, error) {\n\treturn r.src[\"start\":end], nil // größer\n}\n"
	es := make([]exchange, 250)
	for i := range es {
		id := fmt.Sprintf("call_%d", i)
		es[i] = exchange{
			ask: fmt.Sprintf("Question %d: %s", i, line), answer: strings.Repeat("Because of that. ", 20),
			calls:   []message.Part{{Kind: message.Call, CallID: id, Name: "read", Args: `{"path":"/src/` + id + `","text":"` + strings.Repeat("x = 1; ", 200) + `"}`}},
			results: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{text(strings.Repeat(line, 48))}}},
		}
	}
	body, err := c.Encode(&codec.Request{Model: "m"}, forms[c.Name()](es))
	if err != nil {
		b.Fatal(err)
	}
	return body
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range codecs {
		b.Run(c.Name(), func(b *testing.B) {
			body := large(b, c)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Decode(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSplice clears every third result, of about 83 in 1,000 messages.
func BenchmarkSplice(b *testing.B) {
	for _, c := range codecs {
		b.Run(c.Name(), func(b *testing.B) {
			body := large(b, c)
			req, err := c.Decode(body)
			if err != nil {
				b.Fatal(err)
			}
			ms := cleared(req.Messages)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Encode(req, ms); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func cleared(ms []message.Message) []message.Message {
	out := append([]message.Message(nil), ms...)
	n := 0
	for i := range out {
		if !out[i].Has(message.Result) {
			continue
		}
		if n++; n%3 != 0 {
			continue
		}
		p := out[i].Parts[0]
		p.Parts, p.Edited = []message.Part{text("[cleared]")}, true
		out[i].Parts, out[i].Edited = []message.Part{p}, true
	}
	return out
}
