package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/internal/sse"
)

type event struct{ Name, Data string }

// parse gives a stream to a parser in pieces of the lengths given, then the
// rest.
func parse(stream []byte, bound int, lengths ...int) ([]event, error) {
	var got []event
	p := sse.NewParser(bound, func(e sse.Event) error {
		got = append(got, event{e.Name, string(e.Data)})
		return nil
	})
	for _, n := range lengths {
		n = min(max(n, 0), len(stream))
		if _, err := p.Write(stream[:n]); err != nil {
			return got, err
		}
		stream = stream[n:]
	}
	if _, err := p.Write(stream); err != nil {
		return got, err
	}
	return got, p.Close()
}

var streams = []struct {
	name, stream string
	want         []event
}{
	{"nothing", "", nil},
	{"named", "event: ping\ndata: {}\n\n", []event{{"ping", "{}"}}},
	{"unnamed", "data: a\n\ndata: [DONE]\n\n", []event{{"", "a"}, {"", "[DONE]"}}},
	{"name is of one event", "event: a\ndata: 1\n\ndata: 2\n\n", []event{{"a", "1"}, {"", "2"}}},
	{"name without data", "event: a\n\ndata: 2\n\n", []event{{"", "2"}}},
	{"no space, one space, two", "data:a\n\ndata: a\n\ndata:  a\n\n", []event{{"", "a"}, {"", "a"}, {"", " a"}}},
	{"lines of data", "data: a\ndata\ndata: b\n\n", []event{{"", "a\n\nb"}}},
	{"empty data", "data\n\n", []event{{"", ""}}},
	{"carriage returns", "event: a\rdata: 1\r\rdata: 2\r\n\r\ndata: 3\n\r\n", []event{{"a", "1"}, {"", "2"}, {"", "3"}}},
	{"comments and other fields", ": hi\nid: 5\nretry: 10\n:\ndata: a\nfuture: x\nDATA: no\n\n: bye\n\n", []event{{"", "a"}}},
	{"colons", "data: {\"a\": \"b:c\"}\n\n", []event{{"", `{"a": "b:c"}`}}},
	{"byte order mark", "\ufeffdata: a\n\ndata: \ufeffb\n\n\ufeffdata: c\n\n", []event{{"", "a"}, {"", "\ufeffb"}}},
	{"utf-8", "data: größer 😀\n\n", []event{{"", "größer 😀"}}},
	{"no utf-8", "data: \xff\xfe\n\n", []event{{"", "\xff\xfe"}}},
	{"last empty line missing", "data: a\n\ndata: b\n", []event{{"", "a"}, {"", "b"}}},
	{"cut in a line", "data: a\n\ndata: b", []event{{"", "a"}}},
}

// SPEC: B6
func TestParser(t *testing.T) {
	for _, s := range streams {
		t.Run(s.name, func(t *testing.T) {
			got, err := parse([]byte(s.stream), 0)
			if d := cmp.Diff(s.want, got); err != nil || d != "" {
				t.Errorf("%v %s", err, d)
			}
			for at := range s.stream {
				got, err := parse([]byte(s.stream), 0, at, 1)
				if d := cmp.Diff(s.want, got); err != nil || d != "" {
					t.Fatalf("in pieces at %d: %v %s", at, err, d)
				}
			}
		})
	}
}

// SPEC: B6
func TestReader(t *testing.T) {
	for _, s := range streams {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole":       func(r io.Reader) io.Reader { return r },
			"bytes":       iotest.OneByteReader,
			"end at once": iotest.DataErrReader,
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				got, err := read(sse.NewReader(wrap(strings.NewReader(s.stream)), 0))
				if d := cmp.Diff(s.want, got); err != nil || d != "" {
					t.Errorf("%v %s", err, d)
				}
			})
		}
	}
}

func read(r *sse.Reader) ([]event, error) {
	var got []event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, event{e.Name, string(e.Data)})
	}
}

// What arrived before the source failed is read, then its error.
func TestReaderSourceFails(t *testing.T) {
	broken := errors.New("connection reset")
	src := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken))
	got, err := read(sse.NewReader(src, 0))
	if d := cmp.Diff([]event{{"", "a"}}, got); !errors.Is(err, broken) || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// One event is bounded, in one piece, in many, and over many lines; a stream is
// not.
func TestBound(t *testing.T) {
	small := strings.Repeat("data: 1234567890\n\n: comment\n", 100)
	for name, s := range map[string]string{
		"line": "data: " + strings.Repeat("x", 200), "lines": strings.Repeat("data: x\n", 200), "comment": ":" + strings.Repeat("x", 200),
	} {
		for _, piece := range []int{0, 1, 50} {
			t.Run(fmt.Sprintf("%s/%d", name, piece), func(t *testing.T) {
				var pieces []int
				for range (len(small) + len(s)) / max(piece, 1) {
					pieces = append(pieces, piece)
				}
				got, err := parse([]byte(small+s), 100, pieces...)
				if !errors.Is(err, sse.ErrTooLarge) || len(got) != 100 {
					t.Errorf("%d events, %v", len(got), err)
				}
			})
		}
	}
	r := sse.NewReader(strings.NewReader("data: a\n\ndata: "+strings.Repeat("x", 200)+"\n\n"), 100)
	if got, err := read(r); len(got) != 1 || !errors.Is(err, sse.ErrTooLarge) {
		t.Errorf("%v, %v", got, err)
	}
}

// An error of the consumer ends the parsing, for ever.
func TestConsumerFails(t *testing.T) {
	enough, calls := errors.New("enough"), 0
	p := sse.NewParser(0, func(sse.Event) error { calls++; return enough })
	for range 2 {
		if _, err := p.Write([]byte("data: a\n\ndata: b\n\n")); !errors.Is(err, enough) {
			t.Errorf("Write: %v", err)
		}
	}
	if err := p.Close(); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("Close: %v after %d events", err, calls)
	}
}

// What is written as events is read as the same events.
//
// SPEC: B6
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		var want []event
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			e := event{rapid.StringMatching(`[a-z_.]{0,9}`).Draw(t, "name"), rapid.StringMatching(`[^\r]{0,30}`).Draw(t, "data")}
			if e.Name != "" {
				b.WriteString("event: " + e.Name + end)
			}
			for line := range strings.SplitSeq(e.Data, "\n") {
				b.WriteString("data: " + line + end)
			}
			b.WriteString(end)
			want = append(want, e)
		}
		got, err := parse(b.Bytes(), 0, rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "pieces")...)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Fatalf("%v %s", err, d)
		}
	})
}

// Parsing whole is parsing in any pieces, by Parser and by Reader.
//
// SPEC: B6
func FuzzSplit(f *testing.F) {
	for _, s := range streams {
		f.Add([]byte(s.stream), uint16(1), uint16(2))
	}
	f.Add([]byte("data: "+strings.Repeat("x", 100)+"\n\n"), uint16(7), uint16(70))
	f.Fuzz(func(t *testing.T, stream []byte, a, b uint16) {
		const bound = 64
		want, wantErr := parse(stream, bound)
		got, err := parse(stream, bound, int(a), int(b))
		if d := cmp.Diff(want, got); d != "" || errors.Is(err, sse.ErrTooLarge) != errors.Is(wantErr, sse.ErrTooLarge) {
			t.Fatalf("pieces %d, %d: %v, %v %s", a, b, wantErr, err, d)
		}
		got, err = read(sse.NewReader(iotest.HalfReader(bytes.NewReader(stream)), bound))
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (wantErr == nil) {
			t.Fatalf("read: %v, %v %s", wantErr, err, d)
		}
	})
}

func BenchmarkParser(b *testing.B) {
	stream := []byte(strings.Repeat("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"some words\"}}\n\n", 1000))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		p := sse.NewParser(0, func(sse.Event) error { return nil })
		if _, err := p.Write(stream); err != nil {
			b.Fatal(err)
		}
	}
}
