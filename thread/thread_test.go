package thread_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// parse reads a script: one message a word. u user, s system, a assistant text,
// c1 a call, c1,2 two calls, p9 the call of a tool that the provider runs, p9c1 a call
// that this one made and e9 its result, r1 a result as a tool message, R1 a result in a
// user message, R1+ the same with words of the user's own.
func parse(script string) []message.Message {
	var ms []message.Message
	for i, w := range strings.Fields(script) {
		ms = append(ms, one(w, i))
	}
	return ms
}

func one(w string, i int) message.Message {
	text := message.Part{Kind: message.Text, Text: fmt.Sprint(w, i)}
	m := message.Message{Parts: []message.Part{text}}
	switch w[0] {
	case 'u':
		m.Role = message.User
	case 's':
		m.Role = message.System
	case 'a':
		m.Role = message.Assistant
		if id := w[1:]; id != "" {
			m.Parts[0].Raw = []byte(`{"of":"` + id + `"}`)
		}
	case 'c':
		m.Role, m.Parts = message.Assistant, ids(message.Call, w[1:])
	case 'p', 'e':
		id, call, made := strings.Cut(w[1:], "c")
		m.Role, m.Parts = message.Assistant, []message.Part{{Kind: message.Opaque, CallID: id, Raw: []byte(`{"id":"` + id + `"}`)}}
		if made {
			m.Parts = []message.Part{{Kind: message.Call, CallID: call, Raw: []byte(`{"caller":"` + id + `"}`)}}
		}
	case 'r':
		m.Role, m.Parts = message.Tool, ids(message.Result, w[1:])
	case 'R':
		m.Role, m.Parts = message.User, ids(message.Result, strings.TrimSuffix(w[1:], "+"))
		if strings.HasSuffix(w, "+") {
			m.Parts = append(m.Parts, text)
		}
	}
	return m
}

func ids(k message.Kind, list string) (ps []message.Part) {
	for id := range strings.SplitSeq(list, ",") {
		ps = append(ps, message.Part{Kind: k, CallID: id})
	}
	return ps
}

func build(t testing.TB, script string) *thread.Thread {
	t.Helper()
	th, err := thread.New(thread.Extend("", parse(script)))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// Units are written [ ], a round ( ), an open round ( >.
func TestUnitsAndTurns(t *testing.T) {
	for _, c := range []struct{ script, units, turns string }{
		{"", "", ""},
		{"s u a", "[0][1][2]", "0 1 1"},
		{"u c1 r1 c2 r2 a", "[0](1-2)(3-4)[5]", "1 1 1 2 2 3"},
		{"u c1,2 r2 r1 u", "[0](1-3)[4]", "1 1 1 1 2"},
		{"u a c1 c2 r1 r2 a", "[0](1-5)[6]", "1 1 1 1 1 1 2"},
		{"u a a a c1 r1 a a u", "[0][1][2](3-5)[6][7][8]", "1 1 1 1 1 1 2 2 3"},
		{"u c1 a a r1", "[0](1-4)", "1 1 1 1 1"},
		{"u c1 R1+ c2 R2", "[0](1-2)(3-4)", "1 1 2 3 3"},
		{"u c1", "[0](1>", "1 1"},
		{"u c1,2 r1", "[0](1-2>", "1 1 1"},
		{"u c1 u r1", "[0](1)[2][3]", "1 1 2 2"},
		{"r9 u a", "[0][1][2]", "0 1 1"},
		{"u c1 r1 r1 a", "[0](1-3)[4]", "1 1 1 1 2"},
		{"u p9 p9c1 r1 p9c2 r2 e9 u", "[0](1-6)[7]", "1 1 1 1 2 2 3 4"},
		{"u p9 p9c1 r1 p9c2 r2", "[0](1-5)", "1 1 1 1 2 2"},
		{"u p9 p9c1 r1 c2 r2 e9 u", "[0](1-3)(4-5)[6][7]", "1 1 1 1 2 2 3 4"},
		{"u p9 p9c1 r1 e9 p8 p8c2 r2 e8 a", "[0](1-4)(5-8)[9]", "1 1 1 1 2 2 2 2 3 3"},
		{"u p9 e9 c1 r1 a", "[0](1-4)[5]", "1 1 1 1 1 2"},
		{"u p9 a a9 a u", "[0][1-3][4][5]", "1 1 1 1 1 2"},
		{"u p9 a a9 c1 r1 e9 a", "[0](1-6)[7]", "1 1 1 1 1 1 2 2"},
	} {
		t.Run(c.script, func(t *testing.T) {
			th := build(t, c.script)
			if got := drawUnits(th); got != c.units {
				t.Errorf("units %s, want %s", got, c.units)
			}
			var turns []string
			for i := range th.Len() {
				turns = append(turns, fmt.Sprint(th.Turn(i)))
			}
			if got := strings.Join(turns, " "); got != c.turns {
				t.Errorf("turns %s, want %s", got, c.turns)
			}
		})
	}
}

func drawUnits(th *thread.Thread) string {
	var b strings.Builder
	for _, u := range th.Units() {
		span := fmt.Sprint(u.Start)
		if u.Len() > 1 {
			span = fmt.Sprintf("%d-%d", u.Start, u.End-1)
		}
		switch {
		case u.Open:
			b.WriteString("(" + span + ">")
		case u.Round:
			b.WriteString("(" + span + ")")
		default:
			b.WriteString("[" + span + "]")
		}
	}
	return b.String()
}

// Units cover every entry once, in order, and never part a call from a result
// that follows its round.
//
// SPEC: V2, V3
func TestUnitsCover(t *testing.T) {
	words := []string{"u", "a", "c1", "c2", "c1,2", "r1", "r2", "R1", "R2+", "s"}
	rapid.Check(t, func(rt *rapid.T) {
		script := strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(rt, "script"), " ")
		th, err := thread.New(thread.Extend("", parse(script)))
		if err != nil {
			rt.Fatal(err)
		}
		at := 0
		for _, u := range th.Units() {
			if u.Start != at || u.End <= u.Start {
				rt.Fatalf("unit %+v after %d", u, at)
			}
			at = u.End
		}
		if at != th.Len() {
			rt.Fatalf("units end at %d of %d", at, th.Len())
		}
	})
}

// A thread grown piece by piece is the thread built at once, and what it grew
// from stays as it was.
func TestAppendIsNew(t *testing.T) {
	words := []string{"u", "a", "c1", "c2", "c1,2", "r1", "r2", "R1", "R2+", "s"}
	rapid.Check(t, func(rt *rapid.T) {
		all := thread.Extend("", parse(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 60).Draw(rt, "script"), " ")))
		th, err := thread.New(nil)
		if err != nil {
			rt.Fatal(err)
		}
		for at := 0; at < len(all); {
			n := min(rapid.IntRange(1, 3).Draw(rt, "step"), len(all)-at)
			before, units := th.Len(), drawUnits(th)
			grown, err := th.Append(all[at : at+n])
			if err != nil {
				rt.Fatal(err)
			}
			if _, err := th.Append(all[at : at+1]); err != nil { // a sibling
				rt.Fatal(err)
			}
			if th.Len() != before || drawUnits(th) != units {
				rt.Fatal("growing changed the thread it grew from")
			}
			th, at = grown, at+n
			whole, err := thread.New(all[:at])
			if err != nil {
				rt.Fatal(err)
			}
			if drawUnits(th) != drawUnits(whole) {
				rt.Fatalf("units %s, want %s", drawUnits(th), drawUnits(whole))
			}
			for i := range whole.Len() {
				if pos, ok := th.Find(whole.At(i).ID); !ok || pos != i || th.Turn(i) != whole.Turn(i) {
					rt.Fatalf("entry %d: found at %d (%t), turn %d, want %d", i, pos, ok, th.Turn(i), whole.Turn(i))
				}
			}
		}
	})
}

// SPEC: V1
func TestChainIsBroken(t *testing.T) {
	es := thread.Extend("", parse("u a u"))
	if _, err := thread.New(slices.Delete(slices.Clone(es), 1, 2)); !errors.Is(err, thread.ErrBroken) {
		t.Errorf("a missing entry gave %v", err)
	}
	es[1].Message = message.TextOf(message.Assistant, "forged")
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	if err := th.Verify(); !errors.Is(err, thread.ErrBroken) {
		t.Errorf("a forged body gave %v", err)
	}
}

func TestMatchAndAlign(t *testing.T) {
	th := build(t, "s u c1 r1 a u")
	ms := parse("s u c1 r1 a u a")
	if n := th.Match(ms); n != 6 {
		t.Errorf("grown history matches %d", n)
	}
	edited := slices.Clone(ms)
	edited[1] = message.TextOf(message.User, "rewritten")
	if n := th.Match(edited); n != 1 {
		t.Errorf("edited history matches %d", n)
	}
	branch, err := thread.New(thread.Extend("", edited))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(th.Align(branch)), "[0 -1 2 3 4 5 -1]"; got != want {
		t.Errorf("aligned %s, want %s", got, want)
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ms := parse(strings.Repeat("u c1 r1 a ", n/4))
			th, err := thread.New(thread.Extend("", ms))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if th.Match(ms) != len(ms) {
					b.Fatal("no match")
				}
			}
		})
	}
}

// What an agent's program says in the user's name is no turn of the user's, beside
// results or alone; what a user says is, also about such a note.
//
// SPEC: T1
func TestNotesAreNobodysTurn(t *testing.T) {
	text := func(s string) message.Part { return message.Part{Kind: message.Text, Text: s} }
	result := message.Part{Kind: message.Result, CallID: "c"}
	note := text("\n<system-reminder>\nThe list is empty.\n</system-reminder>\n")
	for _, c := range []struct {
		parts  []message.Part
		speaks bool
	}{
		{[]message.Part{result, note}, false},
		{[]message.Part{note}, false},
		{[]message.Part{text("<environment_context><cwd>/srv</cwd></environment_context>")}, false},
		{[]message.Part{result, note, text("and the docs")}, true},
		{[]message.Part{text("<system-reminder>a</system-reminder> what is that?")}, true},
		{[]message.Part{text("<system-reminder>a</system-reminder><system-reminder>b</system-reminder> b")}, true},
		{[]message.Part{text("<task>add a test</task>")}, true},
		{[]message.Part{text("<system-reminder>")}, true},
		{[]message.Part{text("<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>")}, false},
		{[]message.Part{text("<bash-input>ls</bash-input>")}, false},
		{[]message.Part{text("<bash-stdout>a.go</bash-stdout><bash-stderr></bash-stderr>")}, false},
		{[]message.Part{text("<bash-stdout>a.go</bash-stdout>"), text("now fix a.go")}, true},
		{[]message.Part{text("<local-command-caveat>Caveat: …</local-command-caveat>")}, false},
		{[]message.Part{text("<local-command-stdout>Set model</local-command-stdout>")}, false},
		{[]message.Part{text("<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\nDuration: 0.1 seconds\nOutput:\na.go\n</result>\n</user_shell_command>")}, false},
		{[]message.Part{text("I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```")}, false},
		{[]message.Part{text("I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```\nWhy?")}, true},
		{[]message.Part{text("Ran `ls`\n```\na.go\n```")}, false},
		{[]message.Part{text("Ran `make`\n```\nx\n\ny\n```\n\nCommand exited with code 2\n\n[Output truncated. Full output: /tmp/o]")}, false},
		{[]message.Part{text("Ran `make`\n(no output)\n\n(command cancelled)")}, false},
		{[]message.Part{text("Ran `make`\n```\nx\n```\n\nPlease fix it.")}, true},
		{[]message.Part{text("Ran `make`, and it fails.")}, true},
		{[]message.Part{text("[user ran] ls\na.go")}, false},
		{[]message.Part{text("The user ran:\nls\n\na.go")}, false},
		{[]message.Part{text("The following tool was executed by the user")}, false},
		{[]message.Part{text("[Request interrupted by user]")}, false},
		{[]message.Part{text("[Request interrupted by user] fix it")}, true},
		{[]message.Part{text("The connection dropped mid-response. Resume directly — no recap. <previous_response_suffix>\nNow note 14.\n</previous_response_suffix>")}, false},
		{[]message.Part{text("The connection dropped mid-response. Why?")}, true},
		{[]message.Part{text("<environment_details>\n# New Output\n</environment_details>\nNever push.\n</environment_details>")}, false},
		{[]message.Part{text("<task>\nadd a test\n</task>"), text("<environment_details>\na.go\n</environment_details>")}, true},
		{[]message.Part{text("[read_file for 'a.go'] Result:\npackage a\n\n<environment_details>\na.go\n</environment_details>")}, false},
		{[]message.Part{text("[execute_command for 'cat <<E\nx\nE'] Result:"), text("Command executed."), {Kind: message.Media}}, false},
		{[]message.Part{text("now fix a.go"), text("[read_file for 'a.go'] Result:\npackage a")}, true},
	} {
		if got := thread.Speaks(message.Message{Role: message.User, Parts: c.parts}); got != c.speaks {
			t.Errorf("%v speaks: %t", c.parts, got)
		}
	}
}

// Positions says what Find says of each id, in any order.
func TestPositionsAgreeWithFind(t *testing.T) {
	th := build(t, "u a c1 r1 a u a c2 r2 a")
	rapid.Check(t, func(t *rapid.T) {
		var list []thread.ID
		for _, i := range rapid.SliceOf(rapid.IntRange(-1, th.Len())).Draw(t, "at") {
			if i < 0 || i == th.Len() {
				list = append(list, thread.ID(fmt.Sprint("none", i)))
			} else {
				list = append(list, th.At(i).ID)
			}
		}
		seen := 0
		for n, at := range th.Positions(list) {
			if want, ok := th.Find(list[n]); n != seen || ok && at != want || !ok && at != -1 {
				t.Fatalf("id %d of %v is at %d, not %d", n, list, at, want)
			}
			seen++
		}
		if seen != len(list) {
			t.Fatalf("%d of %d ids", seen, len(list))
		}
	})
}
