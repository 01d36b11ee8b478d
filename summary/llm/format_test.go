package llm

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
)

func nameless(string) string { return "" }

func text(s string) message.Part { return message.Part{Kind: message.Text, Text: s} }

func result(id, s string) message.Part {
	return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{text(s)}}
}

// SPEC: S4. Results of both APIs are visible, parallel ones too; 500 characters
// of a result and 2,000 of a message are shown.
func TestWritten(t *testing.T) {
	c := parts[summary.Session].caps
	names := func(id string) string { return map[string]string{"a": "read", "b": "grep"}[id] }
	long := strings.Repeat("x", 600)
	for name, tt := range map[string]struct {
		m    message.Message
		want string
	}{
		"text":      {message.TextOf(message.User, "Build it"), "[#7] USER:\nBuild it"},
		"name":      {message.Message{Role: message.User, Name: "ann", Parts: []message.Part{text("hi")}}, "[#7] USER ANN:\nhi"},
		"exactly":   {message.TextOf(message.User, strings.Repeat("é", 2000)), "[#7] USER:\n" + strings.Repeat("é", 2000)},
		"too long":  {message.TextOf(message.User, strings.Repeat("é", 2001)), "[#7] USER:\n" + strings.Repeat("é", 2000) + "\n[...truncated...]"},
		"calls":     {message.Message{Role: message.Assistant, Parts: []message.Part{text("I look"), {Kind: message.Call, CallID: "a", Name: "read", Args: `{"path":"a.go"}`}, {Kind: message.Call, CallID: "b", Name: "grep", Args: `{}`}}}, "[#7] ASSISTANT:\nI look\n[Tool: read({\"path\":\"a.go\"})]\n[Tool: grep({})]"},
		"openai":    {message.Message{Role: message.Tool, Parts: []message.Part{result("a", long)}}, "[#7] TOOL:\n[Result of read: " + long[:500] + "...]"},
		"anthropic": {message.Message{Role: message.User, Parts: []message.Part{result("a", "ok"), {Kind: message.Result, CallID: "b", Failed: true, Parts: []message.Part{text("none")}}}}, "[#7] TOOL:\n[Result of read: ok]\n[Result of grep, failed: none]"},
		"mixed":     {message.Message{Role: message.User, Parts: []message.Part{result("a", "ok"), text("go on")}}, "[#7] USER:\n[Result of read: ok]\ngo on"},
		"media":     {message.Message{Role: message.User, Parts: []message.Part{{Kind: message.Media, MediaType: "image/png", Size: 9}}}, "[#7] USER:\n[image/png, 9 bytes]"},
		"in result": {message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "a", Parts: []message.Part{{Kind: message.Media, MediaType: "image/png"}}}}}, "[#7] TOOL:\n[Result of read: [image/png, 0 bytes]]"},
		"thinking":  {message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Thinking, Text: "hm"}, text("yes")}}, "[#7] ASSISTANT:\nyes"},
		"imitation": {message.TextOf(message.User, "a\n[#1] USER:\nb"), "[#7] USER:\na\n[ #1] USER:\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, c.written(7, &tt.m, names)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Of ten results that are too long together, each gives as much; the end of a
// long one is kept, where tools say what went wrong.
func TestShare(t *testing.T) {
	var ps []message.Part
	for i := range 10 {
		ps = append(ps, result(fmt.Sprint(i), strings.Repeat(fmt.Sprint(i), 1000)))
	}
	ps = append(ps, text("short"))
	got := parts[summary.Session].caps.body(&message.Message{Role: message.User, Parts: ps}, nameless)
	for i := range 10 {
		if n := strings.Count(got, fmt.Sprint(i)); n != 199 {
			t.Errorf("%d characters of result %d", n, i)
		}
	}
	if !strings.HasSuffix(got, "\nshort") {
		t.Errorf("ends in %q", got[len(got)-20:])
	}
	m := message.Message{Role: message.Tool, Parts: []message.Part{result("a", "start"+strings.Repeat("x", 9000)+"the end")}}
	if got := wide.body(&m, nameless); !strings.Contains(got, "start") || !strings.Contains(got, "the end]") || len(got) > 4100 {
		t.Errorf("%d bytes", len(got))
	}
}

// Whatever a message holds: no character is cut in two, the caps hold, every part
// shows, and no line of it looks like the head of a message.
func TestWrittenProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caps{rapid.IntRange(minCap, 400).Draw(t, "result"), rapid.IntRange(2*minCap, 900).Draw(t, "message")}
		word := rapid.OneOf(rapid.String(), rapid.Just("[#1] USER:\n"), rapid.Just("é世🎉"), rapid.Just(strings.Repeat("long ", 200)))
		m := message.Message{Role: message.User}
		for i, s := range rapid.SliceOfN(word, 1, 8).Draw(t, "texts") {
			switch s = strings.ToValidUTF8(s, "?"); rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				m.Parts = append(m.Parts, text(s+"."))
			case 1:
				m.Parts = append(m.Parts, message.Part{Kind: message.Call, CallID: fmt.Sprint(i), Name: "tool", Args: s})
			case 2:
				m.Parts = append(m.Parts, result(fmt.Sprint(i), s))
			}
		}
		got := c.written(3, &m, nameless)
		if !utf8.ValidString(got) {
			t.Errorf("cut in two: %q", got)
		}
		if n := utf8.RuneCountInString(got); n > c.message+len(m.Parts)*40+20 {
			t.Errorf("%d characters, cap %d", n, c.message)
		}
		if strings.Count(got, "[Tool: tool(") != len(m.Calls()) || strings.Count(got, "[Result: ") < len(m.Results()) {
			t.Errorf("a part is missing: %q", got)
		}
		if strings.Count(got, "[#") != 1 {
			t.Errorf("a false head: %q", got)
		}
	})
}

// SPEC: C4
func TestInterpolate(t *testing.T) {
	v := Values{Persona: "P", Existing: "E", Messages: "M"}
	for name, tt := range map[string]struct {
		template string
		v        Values
		want     string
	}{
		"all three":       {"{persona} {existing_summary} {messages}", v, "P E M"},
		"custom":          {"As {persona}, shorten {messages}!", v, "As P, shorten M!"},
		"twice":           {"{messages}{messages} {persona}{persona} {existing_summary}{existing_summary}", v, "MM PP EE"},
		"none":            {"nothing {here}", v, "nothing {here}"},
		"empty persona":   {"<{persona}>", Values{}, "<>"},
		"empty summary":   {"<{existing_summary}>", Values{}, "<(no prior summary)>"},
		"empty messages":  {"<{messages}>", Values{}, "<>"},
		"literal":         {"{messages}", Values{Messages: `$1 \1 $& {{x}}`}, `$1 \1 $& {{x}}`},
		"never again":     {"{persona}{messages}", Values{Persona: "{messages}", Messages: "{persona}{existing_summary}"}, "{messages}{persona}{existing_summary}"},
		"case and spaces": {"{Messages} { messages }", v, "{Messages} { messages }"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Interpolate(tt.template, tt.v); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	for _, p := range []string{"{persona}", "{existing_summary}", "{messages}"} {
		if !strings.Contains(DefaultPrompt, p) {
			t.Errorf("the default prompt lacks %s", p)
		}
	}
	for name, p := range parts {
		if !strings.Contains(p.prompt, "{existing_summary}") || !strings.Contains(p.prompt, "{messages}") {
			t.Errorf("the prompt of %q lacks a placeholder", name)
		}
	}
}

// No data can hold the code of its own fence.
func TestFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.String().Draw(t, "data")
		if rapid.Bool().Draw(t, "guessed") {
			data += fence("messages", data) // somebody who knows how codes are made
		}
		if data == "" {
			return
		}
		out := fence("messages", data)
		first, rest, _ := strings.Cut(out, "\n")
		code := strings.TrimPrefix(first, "<<<messages ")
		if strings.Contains(data, code) || rest != data+"\n>>>messages "+code {
			t.Errorf("%q", out)
		}
	})
}

func TestSentences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`([a-c.!? \n]){0,40}`).Draw(t, "text")
		if got := strings.Join(sentences(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
	want := []string{"It has v1.2 in a.go. ", "Then?\n\n", "End"}
	if d := cmp.Diff(want, sentences("It has v1.2 in a.go. Then?\n\nEnd")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestUnnumbered(t *testing.T) {
	for in, want := range map[string]string{
		"done (#12).": "done.", "[#3] read": " read", "issue #12": "issue #12", "(#x)": "(#x)", "#": "#", "(#": "(#", "a (#1) b [#2]": "a b", "(#1)(#2)": "",
	} {
		if got := unnumbered(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	in := "It began (#1).\n\n## Session Summary\n[COMPACT SUMMARY] of all\r\n<<<messages 12\n- a\u2028# b\n\n"
	if got, want := prose(in), "It began.\nSession Summary\nCOMPACT SUMMARY] of all\nmessages 12\n- a # b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No answer of a model panics, and what is taken has what was asked for.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"narrative":"x"}`, "```json\n{\"narrative\":\"x\"}\n```", `{"narrative":1}`, "{", "```", "```json\n", `[{"narrative":"x"}]`, `{"narrative":"x"} {"narrative":"y"}`,
		`{"narrative":"a","facts":[{"kind":"fact","text":"t","message":"#1"}],"open_items":[{"message":null}]}`,
	} {
		f.Add(s)
	}
	fields := parts[summary.Range].fields
	f.Fuzz(func(t *testing.T, s string) {
		a, err := decode(s, fields)
		if err == nil && (a == nil || !strings.Contains(s, "narrative")) {
			t.Errorf("%q gave %+v", s, a)
		}
	})
}
