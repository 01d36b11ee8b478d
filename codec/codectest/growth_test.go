package codectest_test

import (
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// BenchmarkDecodeLength decodes requests of n messages, about 150 bytes each.
func BenchmarkDecodeLength(b *testing.B) {
	lengths := []int{100, 1_000, 10_000, 100_000}
	if testing.Short() {
		lengths = lengths[:2]
	}
	for _, c := range codecs {
		for _, n := range lengths {
			es := make([]exchange, n/4)
			for i := range es {
				id := fmt.Sprintf("call_%d", i)
				es[i] = exchange{
					ask: fmt.Sprintf("Question %d?", i), answer: "Because of that.",
					calls:   []message.Part{{Kind: message.Call, CallID: id, Name: "read", Args: `{"path":"/src/` + id + `"}`}},
					results: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{text("package main\n\nfunc main() {}\n")}}},
				}
			}
			body, err := c.Encode(&codec.Request{Model: "m"}, forms[c.Name()](es))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", c.Name(), n), func(b *testing.B) {
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
}
