package precis_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

var rewrite = flag.Bool("rewrite", false, "write the prompts as the wanted ones")

// golden compares a text with testdata/presets/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "presets", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// table writes a prompt a message to a stretch: its place, role, and where in
// the history it comes from.
func table(turn *precis.Turn) string {
	var b strings.Builder
	for i, m := range turn.Messages {
		fmt.Fprintf(&b, "[%d] %s", i, m.Role)
		if o := turn.Origins[i]; o.Record == nil && o.First >= 0 {
			fmt.Fprintf(&b, " (was [%d])", o.First)
		}
		b.WriteByte('\n')
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Call:
				fmt.Fprintf(&b, "    call %s(%s)\n", p.Name, p.Args)
			case message.Result:
				fmt.Fprintf(&b, "    result: %s\n", p.Body())
			default:
				for line := range strings.Lines(p.Body()) {
					b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
				}
			}
		}
	}
	return b.String()
}

// forced compacts a history under a policy whatever its size.
func forced(t *testing.T, policy string, ms []message.Message) *precis.Turn {
	t.Helper()
	e := newEngine(t, memory.New(), policyOf(t, policy))
	turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms, Meter: token.Session(), Budget: 128_000, Mode: precis.Mode{Force: true}})
	if err != nil {
		t.Fatal(err)
	}
	if turn.Outcome != precis.Compacted {
		t.Fatalf("outcome %s", turn.Outcome)
	}
	return turn
}

func round(n int, tool, args, said, result string) []message.Message {
	id := fmt.Sprintf("call_%d", n)
	return []message.Message{
		says(words(said), message.Part{Kind: message.Call, CallID: id, Name: tool, Args: args}),
		answers(id, words(result)),
	}
}

// flashcards is the session of the worked example: 50 messages, of which the
// last ten stay.
func flashcards() []message.Message {
	ms := []message.Message{
		message.TextOf(message.System, "You are a coding agent."),
		message.TextOf(message.User, "Build a flashcard app"),
	}
	files := []string{"src/db.ts", "src/sm2.ts", "src/index.ts", "src/cards.ts", "src/users.ts"}
	for n := 0; len(ms) < 38; n++ {
		file := files[n%len(files)]
		said := "Now let's work on " + file
		if n == 0 {
			said = "I'll start by writing " + file
		}
		ms = append(ms, round(n, "write_file", fmt.Sprintf(`{"path":%q,"content":"export const part%d = %d;"}`, file, n, n), said, "wrote "+file)...)
	}
	add := func(said, tool, args, result string) { ms = append(ms, round(len(ms), tool, args, said, result)...) }
	add("Creating tests...", "write_file", `{"path":"test/sm2.test.ts","content":"test()"}`, "wrote test/sm2.test.ts")
	add("Adding SM-2...", "edit_file", `{"path":"src/sm2.ts","old":"a","new":"b"}`, "edited src/sm2.ts")
	add("Testing...", "bash", `{"command":"bun test"}`, "exit 1: type error in src/sm2.ts")
	add("Fixing type error...", "edit_file", `{"path":"src/sm2.ts","old":"b","new":"c"}`, "edited src/sm2.ts")
	ms = append(ms, message.TextOf(message.Assistant, "All tests pass"), message.TextOf(message.User, "Add AI integration"))
	add("I'll add OpenAI...", "bash", `{"command":"bun add openai"}`, "installed openai")
	return ms
}

// The 50-message example: the system message, the summary of [1] to [39] with the
// task in its own words, and [40] to [49] as they came.
//
// SPEC: S3, S4, S5
func TestSessionWorkedExample(t *testing.T) {
	ms := flashcards()
	if len(ms) != 50 {
		t.Fatalf("%d messages", len(ms))
	}
	turn := forced(t, "session", ms)
	golden(t, "session-50.txt", table(turn))
	if len(turn.Messages) != 12 || turn.Origins[2].First != 40 || turn.Origins[11].First != 49 {
		t.Errorf("%d messages, from [%d] to [%d]", len(turn.Messages), turn.Origins[2].First, turn.Origins[len(turn.Origins)-1].First)
	}
	r := strategy.Request{Thread: turn.Thread, Meter: token.Session(), Budget: 128_000}
	if s := strategy.Select(policyOf(t, "session"), r); s.Count() != 39 || s.Start() != turn.Thread.ID(1) || s.End() != turn.Thread.ID(39) {
		t.Errorf("Select takes %d messages", s.Count())
	}
}

// What a loop of the caller's own asks before a step: over the threshold, and something
// before the cut.
//
// SPEC: S3, S8
func TestShouldCompact(t *testing.T) {
	p := policyOf(t, "session")
	for name, tt := range map[string]struct {
		ms     []message.Message
		budget int
		want   bool
	}{
		"over":            {flashcards(), 1000, true},
		"within":          {flashcards(), 128_000, false},
		"all is recent":   {flashcards()[:11], 40, false},
		"empty":           {nil, 40, false},
		"one huge result": {append([]message.Message{message.TextOf(message.User, "Go.")}, round(1, "bash", `{}`, "Running", strings.Repeat("x ", 9000))...), 1000, false},
	} {
		th, err := thread.New(thread.Extend("", tt.ms))
		if err != nil {
			t.Fatal(err)
		}
		if got := strategy.ShouldCompact(p, strategy.Request{Thread: th, Meter: token.Session(), Budget: tt.budget}); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The split-point drawing: 14 messages, the last five of them (40 %) stay, the
// rest is a summary and its acknowledgement.
//
// SPEC: G3, G4
func TestTruncateWorkedExample(t *testing.T) {
	read := func(n int, said, result string) []message.Message {
		return round(n, "Read", `{"path":"main.go"}`, said, result)
	}
	ms := []message.Message{message.TextOf(message.User, "Help me refactor")}
	ms = append(ms, read(1, "I'll look at the code", "file contents...")...)
	ms = append(ms, message.TextOf(message.User, "Now fix the bug"))
	ms = append(ms, read(4, "Let me check", "...")...)
	ms = append(ms, message.TextOf(message.User, "Also add tests"))
	ms = append(ms, read(7, "Sure", "...")...)
	ms = append(ms, message.TextOf(message.User, "Run the tests"))
	ms = append(ms, round(10, "Bash", `{"command":"go test"}`, "", "PASS")...)
	ms = append(ms, message.TextOf(message.User, "Now deploy"), message.TextOf(message.Assistant, "I'll push to git"))
	if len(ms) != 14 {
		t.Fatalf("%d messages", len(ms))
	}
	turn := forced(t, "truncate", ms)
	golden(t, "truncate-14.txt", table(turn))
	if got := turn.Messages[0].Parts[0].Text; !strings.HasPrefix(got, "[COMPACT SUMMARY]\n") {
		t.Errorf("summary begins %q", got)
	}
	if turn.Messages[1].Parts[0].Text != "Understood." || turn.Origins[2].First != 9 {
		t.Errorf("after the summary: %q, then [%d]", turn.Messages[1].Parts[0].Text, turn.Origins[2].First)
	}
}

// The archive's layout: header, earliest batches, the line that counts what is
// omitted and names the search tool, the latest batches.
//
// SPEC: C1, C2, C3
func TestClipWorkedExample(t *testing.T) {
	turn := forced(t, "clip", work(62, 1)) // 125 messages: 6 batches of 20, 5 stay
	golden(t, "clip-125.txt", table(turn))
}

// A client that keeps no history goes on from the log: it sends what is new and
// gets a prompt that begins with the latest summary, after a restart too; the
// log keeps the rest.
//
// SPEC: T11, V1, V5
func TestContinueFromTheLatestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	ms := work(60, 10)
	whole := newEngine(t, memory.New(), policyOf(t, "timeline"))
	for n := 1; n <= len(ms); n += 10 {
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		from := max(n-10, 0)
		in := request("t", ms[from:n], 2_000)
		in.Continue = true
		got, err := newEngine(t, s, policyOf(t, "timeline")).Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := whole.Prepare(t.Context(), request("t", ms[:n], 2_000))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table(want), table(got)); diff != "" {
			t.Fatalf("%d messages: the prompt of the whole history is another (-want +got):\n%s", n, diff)
		}
		if got.Thread.Len() != n {
			t.Fatalf("the log has %d messages of %d", got.Thread.Len(), n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n > 90 && (got.Origins[0].Record == nil || len(got.Messages) > 60) {
			t.Errorf("%d messages: the prompt has %d and does not begin with the summary", n, len(got.Messages))
		}
	}
}

func printed(ms []message.Message) string { return fmt.Sprint(ms) }
