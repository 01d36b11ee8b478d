package replay

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
)

// SPEC: B10. Which files a call writes.
func TestFilesWritten(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		want       []string
	}{
		{"write_file", `{"path":"src/a.go","content":"x > y.txt"}`, []string{"src/a.go"}},
		{"str_replace_editor", `{"command":"str_replace","path":"/b.py","old_str":"x"}`, []string{"/b.py"}},
		{"str_replace_editor", `{"command":"view","path":"/b.py"}`, nil},
		{"read_file", `{"path":"src/a.go"}`, nil},
		{"bash", `{"command":"cat > src/new.py <<'EOF'\nprint(1 >> 2)\nEOF\nls 2>/dev/null > /dev/null"}`, []string{"src/new.py"}},
		{"bash", `{"command":"echo x | tee -a out/log.txt; sed -i 's/a/b/' pkg/c.go && go test"}`, []string{"out/log.txt", "pkg/c.go"}},
		{"shell", `{"input":"*** Begin Patch\n*** Update File: lib/d.rb\n+x"}`, []string{"lib/d.rb"}},
		{"bash", `not JSON`, nil},
	} {
		got := filesWritten(&message.Part{Kind: message.Call, Name: c.tool, Args: c.args})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s: %s", c.tool, c.args, diff)
		}
	}
}

func TestSentences(t *testing.T) {
	text := "Fix it. You must not touch db/x.sql at all! See v1.2 notes.\nNever push to main\nOk."
	want := []string{"You must not touch db/x.sql at all!", "Never push to main"}
	if diff := cmp.Diff(want, sentences(text, constraining)); diff != "" {
		t.Error(diff)
	}
	if got := sentences("", constraining); got != nil {
		t.Errorf("nothing has %q", got)
	}
}

// A prompt is asked for what the run holds so far, exactly.
func TestProbes(t *testing.T) {
	ms := script(t, "system: Work.\nuser: Fix it. You must not touch the schema.\n"+
		`call a write_file {"path":"src/a.go"}`+"\nresult a ok\n"+
		`call b bash {"command":"go test"}`+"\nresult b ok so far\\nError: undefined x\\nmore\n"+
		"assistant: The root cause is a typo. Done.\nuser: go on\nassistant: done\n")
	probe := func(p func(h []message.Message) Prompt) (got [probes]Tally) {
		x := NewIndex(Run{Messages: ms}, hundred)
		s, err := x.Replay(context.Background(), fixed("p", p), 700, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.Probes
	}
	all := probe(func(h []message.Message) Prompt { return Prompt{Messages: h} })
	if diff := cmp.Diff([probes]Tally{{1, 1}, {1, 1}, {1, 1}, {1, 1}}, all); diff != "" {
		t.Error(diff)
	}
	some := probe(func(h []message.Message) Prompt {
		return Prompt{Messages: []message.Message{message.TextOf(message.User, "src/a.go; you must not touch the schema; Error: undefined x")}}
	})
	if diff := cmp.Diff([probes]Tally{{1, 1}, {1, 1}, {1, 0}, {1, 0}}, some); diff != "" {
		t.Error(diff)
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("You must. Never!\nx")
	f.Add("a.b.c must?")
	f.Fuzz(func(t *testing.T, s string) {
		for _, x := range sentences(s, constraining) {
			if len(x) < shortest || len(x) > longest {
				t.Fatalf("%q", x)
			}
		}
		filesWritten(&message.Part{Kind: message.Call, Name: "bash", Args: s})
	})
}
