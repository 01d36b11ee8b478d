package message

import (
	"testing"

	"pgregory.net/rapid"
)

func call(args string) Message {
	return Message{Role: Assistant, Parts: []Part{{Kind: Call, CallID: "c1", Name: "f", Args: args}}}
}

func block(raw string) Message {
	return Message{Role: User, Parts: []Part{{Kind: Opaque, Raw: []byte(raw)}}}
}

// What clients change between turns does not change the digest; what they mean does.
//
// SPEC: V1, V11
func TestDigest(t *testing.T) {
	text := TextOf(User, "hi")
	for _, c := range []struct {
		name string
		a, b Message
		same bool
	}{
		{"spacing of arguments", call(`{"a":1,"b":[2]}`), call(`{ "b" : [2], "a": 1 }`), true},
		{"escapes in arguments", call(`{"a":"é/"}`), call(`{"a":"\u00e9\/"}`), true},
		{"big integers stay apart", call(`{"a":9007199254740992}`), call(`{"a":9007199254740993}`), false},
		{"number spelling is content", call(`{"a":1.0}`), call(`{"a":1}`), false},
		{"broken arguments stand for themselves", call(`{"a":`), call(`{"a": `), false},
		{"cache marker", block(`{"type":"x","v":1,"cache_control":{"type":"ephemeral"}}`), block(`{"v":1,"type":"x"}`), true},
		{"cache marker inside content is content", block(`{"type":"x","v":{"cache_control":1}}`), block(`{"type":"x","v":{}}`), false},
		{"thinking", Message{Role: Assistant, Parts: []Part{{Kind: Thinking, Text: "hm"}, {Kind: Text, Text: "hi"}}}, TextOf(Assistant, "hi"), true},
		{"empty text", Message{Role: User, Parts: []Part{{Kind: Text}, {Kind: Text, Text: "hi"}}}, text, true},
		{"raw bytes", Message{Role: User, Parts: text.Parts, Raw: []byte(`{}`), Dialect: "openai"}, text, true},
		{"role", TextOf(Assistant, "hi"), text, false},
		{"participant", Message{Role: User, Name: "ann", Parts: text.Parts}, text, false},
		{"text border", Message{Role: User, Parts: []Part{{Kind: Text, Text: "h"}, {Kind: Text, Text: "i"}}}, text, false},
		{"failed", result(true), result(false), false},
		{"declared envelope", declared(`{"durability":"ephemeral"}`), result(false), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.a.Digest() == c.b.Digest(); got != c.same {
				t.Errorf("same digest: %t, want %t", got, c.same)
			}
		})
	}
}

func result(failed bool) Message {
	return Message{Role: Tool, Parts: []Part{{Kind: Result, CallID: "c", Failed: failed, Parts: []Part{{Kind: Text, Text: "x"}}}}}
}

func declared(envelope string) Message {
	m := result(false)
	m.Parts[0].Declared = []byte(envelope)
	return m
}

// No text can pretend to be another structure: fields are length-prefixed.
//
// SPEC: V10
func TestDigestKeepsFieldsApart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.String().Draw(rt, "a"), rapid.StringN(1, 20, -1).Draw(rt, "b")
		one := Message{Role: User, Parts: []Part{{Kind: Text, Text: a + b}}}
		two := Message{Role: User, Parts: []Part{{Kind: Text, Text: a}, {Kind: Text, Text: b}}}
		if a != "" && one.Digest() == two.Digest() {
			rt.Fatalf("%q + %q", a, b)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"cache_control":{},"a":[1,2]}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{"a":1}{`, `[[[[`, `"x"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if once := string(canonical(s)); string(canonical(once)) != once {
			t.Errorf("canonical form of %q is not stable: %q, %q", s, once, canonical(once))
		}
	})
}

func BenchmarkDigest(b *testing.B) {
	m := call(`{"command":"go test ./... 2>&1 | tail -20","timeout":120}`)
	b.ReportAllocs()
	for b.Loop() {
		m.Digest()
	}
}
