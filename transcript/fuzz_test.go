package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/transcript"
)

// fuzz seeds with the fixtures and checks the laws of whatever reads.
func fuzz(f *testing.F, format string) {
	for _, x := range fixtures(f) {
		f.Add(x.input)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := transcript.Read(data, format)
		if err != nil {
			return
		}
		accounted(t, []byte(strings.TrimPrefix(string(data), "\xef\xbb\xbf")), tr)
		if again, err := transcript.Read(data, tr.Format); err != nil || describe(tr, nil) != describe(again, nil) {
			t.Errorf("read again it differs: %v", err)
		}
	})
}

func FuzzDetect(f *testing.F)     { fuzz(f, "") }
func FuzzClaudeCode(f *testing.F) { fuzz(f, transcript.ClaudeCode) }
func FuzzCodex(f *testing.F)      { fuzz(f, transcript.Codex) }
func FuzzPi(f *testing.F)         { fuzz(f, transcript.Pi) }
func FuzzOpenCode(f *testing.F)   { fuzz(f, transcript.OpenCode) }
func FuzzGeminiCLI(f *testing.F)  { fuzz(f, transcript.GeminiCLI) }
func FuzzOpenAI(f *testing.F)     { fuzz(f, transcript.OpenAI) }
func FuzzResponses(f *testing.F)  { fuzz(f, transcript.Responses) }
func FuzzAnthropic(f *testing.F)  { fuzz(f, transcript.Anthropic) }
func FuzzJSONL(f *testing.F)      { fuzz(f, transcript.JSONL) }

// A session whose pointers are drawn at random, with holes, cycles and lines
// said twice, is read without losing count, and a tree that is whole is read
// from its root to its last turn.
//
// SPEC: V1
func TestTreesAtRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		orderly := rapid.Bool().Draw(t, "orderly")
		parent := make([]int, n)
		var b strings.Builder
		for i := range n {
			id := i
			parent[i] = rapid.IntRange(-1, n+2).Draw(t, "parent")
			if orderly {
				parent[i] = rapid.IntRange(min(0, i-1), i-1).Draw(t, "above")
			} else {
				id = rapid.IntRange(0, n).Draw(t, "id")
			}
			fmt.Fprintf(&b, `{"type":%q,"uuid":"u%d","parentUuid":%s,"sessionId":"s","message":{"role":"user","content":"%d"}}`+"\n",
				rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "type"), id, pointer(parent[i]), i)
		}
		tr, err := transcript.Read([]byte(b.String()), "")
		if err != nil {
			t.Fatal(err)
		}
		if len(tr.Messages)+len(tr.Skipped) != n {
			t.Fatalf("%d messages and %d skipped of %d lines", len(tr.Messages), len(tr.Skipped), n)
		}
		if !orderly {
			return
		}
		at := len(tr.Messages) - 1
		for i := n - 1; i >= 0; i = parent[i] {
			if at < 0 || tr.Sources[at].Line != i+1 {
				t.Fatalf("line %d is not message %d", i+1, at)
			}
			at--
		}
		if at >= 0 || len(tr.Notes) > 0 {
			t.Fatalf("%d messages too many, notes %q", at+1, tr.Notes)
		}
	})
}

func pointer(i int) string {
	if i < 0 {
		return "null"
	}
	return fmt.Sprintf(`"u%d"`, i)
}

// Reading is linear: the benchmark's bytes per second do not fall with the
// file's length.
func BenchmarkRead(b *testing.B) {
	for _, turns := range []int{1000, 10000} {
		var s strings.Builder
		body := strings.Repeat("a line of a log that a tool gave back\\n", 20)
		for i := range turns {
			fmt.Fprintf(&s, `{"type":"user","uuid":"u%d","parentUuid":%s,"sessionId":"s","message":{"role":"user","content":"%s"}}`+"\n",
				i, pointer(i-1), body)
		}
		data := []byte(s.String())
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if tr, err := transcript.Read(data, ""); err != nil || len(tr.Messages) != turns {
					b.Fatal(err)
				}
			}
		})
	}
}
