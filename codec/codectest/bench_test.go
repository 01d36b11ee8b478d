package codectest_test

import (
	"encoding/json"
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

// BenchmarkDecodeAfter decodes a request of which all but the last four messages
// were in the one before.
func BenchmarkDecodeAfter(b *testing.B) {
	for _, c := range codecs {
		b.Run(c.Name(), func(b *testing.B) {
			body := large(b, c)
			req, err := c.Decode(body)
			if err != nil {
				b.Fatal(err)
			}
			was := req.Lasting()[:len(req.Messages)-4]
			before := func(rest []byte) ([]message.Message, int) {
				n, end := codec.Begins(rest, was)
				return was[:n], end
			}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if req, err := c.DecodeAfter(body, before); err != nil || req.Known != len(was) {
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

// events is a stream of about 100 KB of text and a call, in pieces of a few
// words.
func events(dialect string) []obj {
	const words, n = "some words of the answer, ", 4000
	args := obj{"content_index": 0, "output_index": 0}
	var start, end []obj
	var piece obj
	switch dialect {
	case "anthropic":
		start = []obj{{"type": "message_start", "message": obj{"id": "m", "usage": obj{"input_tokens": 1}}}, {"type": "content_block_start", "index": 0, "content_block": obj{"type": "text", "text": ""}}}
		piece = obj{"type": "content_block_delta", "index": 0, "delta": obj{"type": "text_delta", "text": words}}
		end = []obj{{"type": "message_delta", "delta": obj{"stop_reason": "end_turn"}}, {"type": "message_stop"}}
	case "openai":
		piece = chunk(obj{"content": words}, nil)
		end = []obj{chunk(obj{}, "stop")}
	case "gemini":
		piece = obj{"candidates": []obj{{"content": obj{"role": "model", "parts": []obj{{"text": words}}}}}}
		end = []obj{{"candidates": []obj{{"finishReason": "STOP"}}}}
	case "responses":
		start = []obj{{"type": "response.output_item.added", "output_index": 0, "item": obj{"type": "message", "role": "assistant", "content": []obj{}}}}
		args["type"], args["delta"] = "response.output_text.delta", words
		piece = args
		end = []obj{{"type": "response.completed", "response": obj{"status": "completed", "output": []obj{}}}}
	}
	for range n {
		start = append(start, piece)
	}
	return append(start, end...)
}

func BenchmarkStream(b *testing.B) {
	for _, c := range codecs {
		b.Run(c.Name(), func(b *testing.B) {
			var data [][]byte
			size := 0
			for _, e := range events(c.Name()) {
				j, err := json.Marshal(e)
				if err != nil {
					b.Fatal(err)
				}
				data = append(data, j)
				size += len(j)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				a := repliers[c.Name()].Stream()
				for _, d := range data {
					if err := a.Event("", d); err != nil {
						b.Fatal(err)
					}
				}
				if r, _ := a.Reply(); len(r.Message.Parts) != 1 {
					b.Fatalf("read %+v", r)
				}
			}
		})
	}
}
