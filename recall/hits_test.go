package recall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
)

// grep returns what precis_grep answers, without its frame.
func grep(t *testing.T, r *recall.Reader, args string) string {
	t.Helper()
	text, failed := recall.ToolHandler{Who: ann}.Answer(ctx, r, "precis_grep", json.RawMessage(args))
	if failed {
		t.Fatal(text)
	}
	_, text, _ = strings.Cut(text, "]\n")
	return text[:strings.LastIndex(text, "[end ")]
}

// called is a round of the agent: what it says, what it calls, and what comes back.
func called(says, id, command, result string) []message.Message {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return []message.Message{
		{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: says}, {Kind: message.Call, CallID: id, Name: "bash", Args: string(args)}}},
		{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: result}}}}},
	}
}

// What is shown of a result names the call that it answers and, where it failed, the line that says
// why; each hit stands before its neighbours. What only announces a call, a call that its result names,
// and a result without a text are no neighbours that tell anything.
//
// SPEC: L22, B8
func TestHitsTellWhatTheyAnswer(t *testing.T) {
	ms := []message.Message{message.TextOf(message.User, "go")}
	ms = append(ms, called("Now let me build the heron:", "c1", "make heron", "cc heron.c\nheron.c:7: error: no wing\nmake: *** [heron] Error 1\nleft the wren")...)
	ms = append(ms, called("The wing is missing. Let me add it:", "c2", "cp wing.bak wing.c", "<returncode>0</returncode>\n<output>\n</output>")...)
	ms = append(ms, called("Now the other one:", "c3", "ls", "wing.c")...)
	want := `#3/1 tool bash ` + "`make heron`" + `; failed: heron.c:7: error: no wing
     4: left the wren
#4/1 assistant, beside it
     1: The wing is missing. Let me add it:
`
	if d := cmp.Diff(want, grep(t, log(t, ms...), `{"query":"wren","context":0}`)); d != "" {
		t.Error(d)
	}
	want = `#3/1 tool bash ` + "`make heron`" + `
     1- cc heron.c
     2- heron.c:7: error: no wing
     3- make: *** [heron] Error 1
     4: left the wren
#4/1 assistant, beside it
     1: The wing is missing. Let me add it:
`
	if d := cmp.Diff(want, grep(t, log(t, ms...), `{"query":"wren"}`)); d != "" {
		t.Error(d)
	}
}

// A result that holds nothing but what its client puts around it stands beside no hit.
//
// SPEC: L22, B8
func TestEmptyResultsAreNotShown(t *testing.T) {
	ms := append([]message.Message{message.TextOf(message.User, "go")}, called("I copy.", "c1", "cp wing.bak wing.c", "<returncode>0</returncode>\n<output>\n</output>")...)
	want := "#2/2 assistant bash; the newest of wing.bak in the log; the newest of wing.c in the log\n" +
		"     1: {\"command\":\"cp wing.bak wing.c\"}\n" +
		"#1/1 user, beside it\n" +
		"     1: go\n"
	if d := cmp.Diff(want, grep(t, log(t, ms...), `{"query":"bak"}`)); d != "" {
		t.Error(d)
	}
}

// Of the lines that match an expression the newest message's come first, and each message tells what
// became of what it shows.
//
// SPEC: L22, B8
func TestExpressionsFindTheNewestFirst(t *testing.T) {
	ms := []message.Message{message.TextOf(message.User, "go")}
	ms = append(ms, called("I look.", "c1", "cat bird.py", "wing = 1\nwing += 1")...)
	ms = append(ms, called("I write.", "c2", "echo 'wing = 2' > bird.py", "")...)
	want := "#4/2 assistant bash; the newest of bird.py in the log\n" +
		"     1: command: echo 'wing = 2' > bird.py\n" +
		"#3/1 tool bash `cat bird.py`; bird.py was written later, in #4\n" +
		"     1: wing = 1\n" +
		"     2: wing += 1\n"
	if d := cmp.Diff(want, grep(t, log(t, ms...), `{"query":"^.*wing .*=","regexp":true}`)); d != "" {
		t.Error(d)
	}
}

// A message that says most of what a hit does is named with it only where it has what the hit shows.
//
// SPEC: L22, B8
func TestRepeatsHaveWhatIsShown(t *testing.T) {
	lines := "the heron stands in the water\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
	pad := message.TextOf(message.Assistant, "Well.")
	r := log(t, message.TextOf(message.User, lines), pad, pad, pad, pad, message.TextOf(message.User, lines+"the wren sings"), pad)
	got := grep(t, r, `{"query":"wren sings heron","limit":1}`)
	if !strings.HasPrefix(got, "#6/1 user\n") {
		t.Error(got)
	}
	if got = grep(t, r, `{"query":"heron water","limit":1}`); !strings.Contains(got, "; the same again in #") {
		t.Error(got)
	}
}

// Lines of a hit that are far from the best one come along where they have words of the query that it
// lacks, in order, each under its number.
//
// SPEC: L22, B8
func TestHitsComeWithLinesFartherOff(t *testing.T) {
	long := strings.Repeat("nothing of it here\n", 20)
	r := log(t, message.TextOf(message.User, "the plover\n"+long+"a heron and a wren\n"+long+"one wren\n"+long))
	want := "#1/1 user\n     1: the plover\n    22: a heron and a wren\n"
	if got := grep(t, r, `{"query":"plover heron wren"}`); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}
