package testsessions_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

//go:generate go test -run TestExample -rewrite .

var rewrite = flag.Bool("rewrite", false, "write examples/session.jsonl")

const (
	example     = "../../examples/session.jsonl"
	exampleSeed = 2026
)

// The README's example is what the generator writes.
//
// SPEC: B1
func TestExample(t *testing.T) {
	r := testsessions.Session(exampleSeed, testsessions.Options{Messages: 240})
	data := testsessions.ClaudeCode(r.Messages)
	if *rewrite {
		if err := os.WriteFile(example, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, data) {
		t.Error("examples/session.jsonl is not what the generator writes: go generate ./internal/testsessions")
	}
	tr, err := transcript.Read(kept, "")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tr.Messages); n < 270 || n > 380 {
		t.Errorf("the example has %d messages", n)
	}
	if n := len(kept); n < 400<<10 || n > 700<<10 {
		t.Errorf("the example has %d bytes", n)
	}
}

// What is written as a session file reads as what was written.
func TestClaudeCode(t *testing.T) {
	for _, o := range []testsessions.Options{{Messages: 80}, {Messages: 120, Dialect: testsessions.OpenAI}} {
		r := testsessions.Session(7, o)
		tr, err := transcript.Read(testsessions.ClaudeCode(r.Messages), "")
		if err != nil {
			t.Fatal(err)
		}
		if tr.Format != transcript.ClaudeCode || len(tr.Notes) > 0 {
			t.Errorf("%s, notes %q", tr.Format, tr.Notes)
		}
		for _, s := range tr.Skipped {
			if s.Why != transcript.Bookkeeping {
				t.Errorf("line %d is skipped: %s", s.Line, s.Why)
			}
		}
		if d := cmp.Diff(said(r.Messages), said(tr.Messages)); d != "" {
			t.Error(d)
		}
	}
}

// said lists the parts of a conversation, the system prompt apart.
func said(ms []message.Message) []string {
	var out []string
	for _, m := range ms {
		for _, p := range m.Parts {
			if m.Role != message.System {
				out = append(out, string(p.Kind)+" "+p.CallID+" "+p.Body())
			}
		}
	}
	return out
}

func TestSessions(t *testing.T) {
	for seed := range uint64(5) {
		for _, o := range []testsessions.Options{{}, {Dialect: testsessions.OpenAI}, {Messages: 60}, {Messages: 300 + 100*int(seed*seed), Dialect: testsessions.OpenAI}} {
			r := testsessions.Session(seed, o)
			if want := max(o.Messages, 60); o.Messages > 0 && (len(r.Messages) < want*2/3 || len(r.Messages) > want*4/3) {
				t.Errorf("seed %d: %d messages, asked for %d", seed, len(r.Messages), o.Messages)
			}
			rounds(t, r)
			facts(t, r)
			if d := cmp.Diff(said(r.Messages), said(testsessions.Session(seed, o).Messages)); d != "" {
				t.Errorf("seed %d: not the same twice: %s", seed, d)
			}
		}
	}
}

// rounds checks that every call is answered by the next message or messages,
// and that nothing is left to fill in.
func rounds(t *testing.T, r testsessions.Recording) {
	t.Helper()
	var open []string
	for i, m := range r.Messages {
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Call:
				open = append(open, p.CallID)
			case message.Result:
				at := slices.Index(open, p.CallID)
				if at < 0 {
					t.Fatalf("message %d answers a call that was not made", i)
				}
				open = slices.Delete(open, at, at+1)
				if strings.Contains(p.Body(), "the text to replace occurs") != strings.Contains(p.Body(), "README.md: the text") {
					t.Errorf("message %d: %s", i, p.Body())
				}
			case message.Text:
				if len(open) > 0 && m.Role != message.Assistant {
					t.Fatalf("message %d speaks before %v is answered", i, open)
				}
			}
			if strings.Contains(p.Body(), "@ttl") || strings.Contains(p.Body(), "@order") || strings.Contains(p.Body(), "no such file") {
				t.Errorf("message %d: %.200s", i, p.Body())
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("never answered: %v", open)
	}
}

// facts checks that every fact is where it says.
func facts(t *testing.T, r testsessions.Recording) {
	t.Helper()
	superseded, needed := 0, 0
	for i, f := range r.Facts {
		for _, at := range append([]int{f.Message}, f.Needed...) {
			if !says(r.Messages[at], f.Value) {
				t.Errorf("fact %d (%s %q) is not in message %d", i, f.Kind, f.Value, at)
			}
		}
		needed += len(f.Needed)
		if f.SupersededBy >= 0 {
			superseded++
			if by := r.Facts[f.SupersededBy]; by.Message <= f.Message {
				t.Errorf("fact %d is superseded by an older one", i)
			}
		}
	}
	if needed < 5 || len(r.Messages) > 200 && superseded < 2 {
		t.Errorf("%d facts, needed %d times, %d superseded", len(r.Facts), needed, superseded)
	}
}

func says(m message.Message, value string) bool {
	for _, p := range m.Parts {
		if strings.Contains(p.Body(), value) || strings.Contains(strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\t`, "\t").Replace(p.Args), value) {
			return true
		}
	}
	return false
}

// A session is not one line said many times: after deflating names and numbers
// it still is long.
func TestVariety(t *testing.T) {
	r := testsessions.Session(3, testsessions.Options{Messages: 600})
	seen := map[string]int{}
	lines := 0
	for _, s := range said(r.Messages) {
		for _, l := range strings.Split(s, "\n") {
			seen[l]++
			lines++
		}
	}
	if len(seen) < lines/2 {
		t.Errorf("%d different lines of %d", len(seen), lines)
	}
}

func BenchmarkSession(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if r := testsessions.Session(1, testsessions.Options{}); len(r.Messages) == 0 {
			b.Fatal("empty")
		}
	}
}
