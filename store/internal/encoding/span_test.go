package encoding

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// ascii writes a JSON string as some languages do: every character that is not
// ASCII as escapes.
func ascii(s string) []byte {
	var b bytes.Buffer
	e, _ := json.Marshal(s)
	for _, r := range string(e) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		if r > 0xffff {
			r -= 0x10000
			b.WriteString(hex(0xd800 + r>>10))
			r = 0xdc00 + r&0x3ff
		}
		b.WriteString(hex(r))
	}
	return b.Bytes()
}

func hex(r rune) string {
	const digits = "0123456789abcdef"
	return `\u` + string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

// said makes a message of one part out of the JSON of its text.
func said(text string, quoted []byte) message.Message {
	raw := append(append([]byte(`{"role":"user","content":`), quoted...), '}')
	return message.Message{Role: message.User, Raw: raw, Parts: []message.Part{{Kind: message.Text, Text: text}}}
}

// SPEC: V1: text that stands in the raw bytes, however it is quoted there, takes
// no place of its own, and comes back as it was.
func TestTextIsStoredOnce(t *testing.T) {
	slashes := func(s string) []byte {
		b, _ := json.Marshal(s)
		return bytes.ReplaceAll(b, []byte("/"), []byte(`\/`))
	}
	plain := func(s string) []byte {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s)
		return bytes.TrimSpace(b.Bytes())
	}
	text := strings.Repeat("a \"quoted\" \\ line <&>\n\tof/many é 語 😀 \u2028 \x00\n", 20)
	for name, quote := range map[string]func(string) []byte{"ascii": ascii, "slashes": slashes, "plain": plain} {
		m := said(text, quote(text))
		b, err := Message(m)
		if err != nil {
			t.Fatal(err)
		}
		if spare := len(b) - len(m.Raw); spare > 32 {
			t.Errorf("%s: %d bytes beside the raw ones", name, spare)
		}
		have, err := ParseMessage(b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, m, have)
	}
}

// SPEC: V1: a message of very many parts is written in about the time that its
// size asks for: what is searched is counted.
func TestSearchIsBounded(t *testing.T) {
	m := message.Message{Role: message.User, Raw: bytes.Repeat([]byte(`"not here" `), 10_000)}
	for range 10_000 {
		m.Parts = append(m.Parts, message.Part{Kind: message.Text, Text: "something that is nowhere"})
	}
	w := writer{budget: 1<<16 + 32*len(m.Raw)}
	in := w.bytes(m.Raw, region{})
	searched := 0
	for _, p := range m.Parts {
		before := w.budget
		if w.budget < 0 {
			break
		}
		if _, _, how := w.span(p.Text, in); how != literal {
			t.Fatal("found")
		}
		searched += before - w.budget
	}
	if most := 34*len(m.Raw) + 1<<16; searched > most {
		t.Fatalf("searched %d bytes, %d at most", searched, most)
	}
	b, err := Message(m)
	if err != nil {
		t.Fatal(err)
	}
	have, err := ParseMessage(b)
	if err != nil {
		t.Fatal(err)
	}
	same(t, m, have)
}

// SPEC: V1: parts that nest deeper than a reader follows are refused.
func TestDepth(t *testing.T) {
	nest := func(n int) message.Message {
		p := message.Part{Kind: message.Text, Text: "inside"}
		for range n {
			p = message.Part{Kind: message.Result, Parts: []message.Part{p}}
		}
		return message.Message{Parts: []message.Part{p}}
	}
	b, err := Message(nest(deepest))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseMessage(b); err != nil {
		t.Fatal(err)
	}
	if _, err := Message(nest(deepest + 1)); err == nil {
		t.Fatal("wrote what cannot be read")
	}
}

// SPEC: V1: whatever stands beside a text, it comes back.
func FuzzText(f *testing.F) {
	f.Add("some text that is long", []byte(`"some text that is long"`))
	f.Add("a\nb\u2028c😀 and what follows it", []byte(`"a\nb\u2028c\ud83d\ude00 and what follows it"`))
	f.Add(`\ud83d\ud and more than twelve`, []byte(`"\\ud83d\ud and more than twelve"`))
	f.Add("\xff\xfe not UTF-8 at all", []byte("\"\xff\xfe not UTF-8 at all\""))
	f.Add(`{"an":"object of arguments"}`, []byte(`{"input":{"an":"object of arguments"}}`))
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		m := message.Message{Raw: raw, Parts: []message.Part{{Text: text, Args: text}, {Text: string(raw)}}}
		b, err := Message(m)
		if err != nil {
			t.Fatal(err)
		}
		have, err := ParseMessage(b)
		if err != nil {
			t.Fatal(err)
		}
		if have.Parts[0].Text != text || have.Parts[0].Args != text || have.Parts[1].Text != string(raw) || !bytes.Equal(have.Raw, raw) {
			t.Fatalf("%q beside %q comes back as %q", text, raw, have.Parts[0].Text)
		}
	})
}
