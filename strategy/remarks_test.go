package strategy

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// A remark is what the agent says of a result before it says what comes next.
//
// SPEC: L10, B18
func TestRemark(t *testing.T) {
	const found = "The topological sort breaks cycles arbitrarily."
	for text, want := range map[string]string{
		found: found,
		found + " Let me check the order of the test:": found + " ",
		found + " Now I'm going to run it again.":      found + " ",
		found + " Let’s run it again.":                 found + " ",
		"## Findings about the order of it\n| file | line | what is wrong with it |\n{\"a\": [1, 2, 3], \"b\": \"as it was before\"}\n" + found: found,
		"There is one thing about the order that I found:\n" + found:                                                                            found,
		"```\n" + found + "\n```": "",
		"This confirms it: I need to hold the lock, as two write the map.": "This confirms it: I need to hold the lock, as two write the map.",
		found + " So then let's run it again.":                             found + " ",
		"Good! " + found + "\nLet me run it again.":                        "Good! " + found,
		"Good!\n\n" + found: found,
		"Let me check whether the cycle is broken arbitrarily.": "",
		"Good! Let me look at the code:\n" + found:              "",
		"Fertig.": "",
		"Die Sortierung bricht Zyklen willkürlich auf. Ich werde sie noch einmal laufen lassen.": "Die Sortierung bricht Zyklen willkürlich auf. ",
		"La ordenación rompe los ciclos de forma arbitraria. Voy a ejecutarla otra vez.":         "La ordenación rompe los ciclos de forma arbitraria. ",
		"现在让我运行完整的测试套件来检查所有内容。":                                                                  "",
		"拓扑排序会任意打破循环，所以顺序是错的。让我再运行一次。":                                                           "拓扑排序会任意打破循环，所以顺序是错的。",
	} {
		said := remarkIn(text)
		lines, at := said.cut(splitLines(text)), said.at
		got := ""
		if at >= 0 {
			got = lines[at].text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if joined := joinedLines(lines); joined != text {
			t.Errorf("%q became %q", text, joined)
		}
	}
}

// joinedLines puts lines together as they stood.
func joinedLines(lines []line) string {
	var b strings.Builder
	for i := range lines {
		if i > 0 && lines[i].at != lines[i-1].at {
			b.WriteByte('\n')
		}
		b.WriteString(lines[i].text)
	}
	return b.String()
}

// Only what the agent says before or beside a call is a remark: not an answer, and nothing that
// others say.
//
// SPEC: L10
func TestWhoseRemarks(t *testing.T) {
	text := func(role message.Role) message.Message {
		return message.Message{Role: role, Parts: []message.Part{{Kind: message.Text, Text: "The cycle is broken arbitrarily."}}}
	}
	call := message.Part{Kind: message.Call, CallID: "c", Name: "bash", Args: `{"command":"ls"}`}
	beside := text(message.Assistant)
	beside.Parts = append(beside.Parts, call)
	th, err := thread.New(thread.Extend("", []message.Message{
		text(message.User), text(message.Assistant), text(message.Assistant), text(message.Assistant),
		{Role: message.Assistant, Parts: []message.Part{call}},
		{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "c", Text: "a.go"}}},
		beside, text(message.Assistant), text(message.User),
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := []bodyKind{prose, prose, remarked, remarked, matter, output, remarked, prose, prose}
	for i, kind := range want {
		if got := bodyOf(th, i, &th.At(i).Message.Parts[0]); got != kind {
			t.Errorf("message %d: %v, want %v", i+1, got, kind)
		}
	}
}

// A remark stays where lines with names do that are worth less; the rest of its text goes.
//
// SPEC: L10, B18
func TestRemarksStay(t *testing.T) {
	k := newLineChooser(nil, nil, Limits{LinesClosely: true, OwnTokens: 1, MinWorth: 30}, wordsOf)
	k.pieces.add(0, "The sort breaks cycles as it likes, so the test is red. Let me read it again:\nnothing else of note stands here", remarked)
	k.pieces.add(1, "another text that nobody needs to read again\nwith a second line that tells as little", prose)
	if got, want := k.choose(60), "#1 The sort breaks cycles as it likes, so the test is red. "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// How a run ended counts where the agent says nothing of it when it goes on; of what only shows
// something it does not.
//
// SPEC: L10, B18
func TestHowRunsEnded(t *testing.T) {
	const end = "queue 7 is still full"
	for name, c := range map[string]struct{ line, said, want string }{
		"nothing said":    {"python try.py", "", end},
		"a plan":          {"python try.py", "Let me look at the lock:", end},
		"a word":          {"python try.py", "Good!", end},
		"a remark":        {"python try.py", "Nobody drains the queue, so it stays full. Let me look at the lock:", ""},
		"shows something": {"cat try.py", "", ""},
	} {
		next := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "2", Name: "bash", Args: `{"command":"ls"}`}}}
		if c.said != "" {
			next.Parts = append([]message.Part{{Kind: message.Text, Text: c.said}}, next.Parts...)
		}
		th, err := thread.New(thread.Extend("", []message.Message{
			message.TextOf(message.User, "go"),
			{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "1", Name: "bash", Args: `{"command":"` + c.line + `"}`}}},
			{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "1", Parts: []message.Part{{Kind: message.Text, Text: "starting\n" + end + "\n</output>"}}}}},
			next,
			{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "2", Parts: []message.Part{{Kind: message.Text, Text: "x"}}}}},
		}))
		if err != nil {
			t.Fatal(err)
		}
		if got := new(remarkFinder).ended(th, 2, &th.At(2).Message.Parts[0]); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// SPEC: L10, B18
func TestHowRunsEndedStays(t *testing.T) {
	k := newLineChooser(nil, nil, Limits{LinesClosely: true, OwnTokens: 1, MinWorth: 30}, wordsOf)
	k.pieces.add(0, "one line\nqueue 7 is still full\nanother line that tells as little", output)
	if got := k.choose(60); got != "" {
		t.Fatalf("%q stands already", got)
	}
	k.pieces.raise(0, "queue 7 is still full")
	if got, want := k.choose(60), "queue 7 is still full"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
