package openai_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V10, V11
func TestContract(t *testing.T) { codectest.Run(t, openai.Codec{}, bodies, echoes) }

// SPEC: V11
func FuzzDecode(f *testing.F) { codectest.Fuzz(f, openai.Codec{}, bodies) }

func decode(t *testing.T, s string) *codec.Request {
	t.Helper()
	req, err := openai.Codec{}.Decode([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func valid(t *testing.T, body []byte) {
	t.Helper()
	for _, f := range wirecheck.OpenAI(body, wirecheck.Options{}) {
		t.Errorf("%s\n%s", f, body)
	}
}

func text(role message.Role, s string) message.Message { return message.TextOf(role, s) }

func call(id, name, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
}

func result(id string, ps ...message.Part) message.Part {
	return message.Part{Kind: message.Result, CallID: id, Parts: ps}
}

func of(role message.Role, ps ...message.Part) message.Message {
	return message.Message{Role: role, Parts: ps}
}

// Messages of no dialect, and what must come out. Rule WO1.
// SPEC: V3, V5
func TestShape(t *testing.T) {
	a, b := message.Assistant, message.User
	r := message.Part{Kind: message.Text, Text: "r"}
	for _, c := range []struct {
		name string
		in   []message.Message
		want string
	}{
		{
			name: "results of a user, text after", in: []message.Message{text(b, "x"), of(a, call("1", "f", "")), of(b, text(b, "note").Parts[0], result("1", r, r))},
			want: user("x") + `,{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"r"},{"type":"text","text":"r"}]},` + user("note"),
		},
		{
			name: "calls in several messages", in: []message.Message{text(b, "x"), text(a, "y"), of(a, call("1", "f", "{}")), of(a, call("2", "a.b", "free")), text(b, "note"), of(message.Tool, result("1", r)), of(message.Tool, result("2"))},
			want: user("x") + "," + assistant("y") + `,{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"a_b_NAME","arguments":"free"}}]},` +
				`{"role":"tool","tool_call_id":"1","content":"r"},{"role":"tool","tool_call_id":"2","content":""},` + user("note"),
		},
		{
			name: "nothing left of a message", in: []message.Message{text(b, ""), of(a, message.Part{Kind: message.Thinking, Text: "t"}), text(b, "x"), {Role: b, Meta: true, Parts: text(b, "m").Parts}},
			want: user("x"),
		},
		{
			name: "ids used again", in: []message.Message{of(a, call("1", "f", "{}")), of(message.Tool, result("1", r)), of(a, call("1", "f", "{}")), of(message.Tool, result("1", r))},
			want: `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"r"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"1_2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1_2","content":"r"}`,
		},
		{
			name: "long ids", in: []message.Message{of(a, call(strings.Repeat("i", 50), "f", "{}")), of(message.Tool, result(strings.Repeat("i", 50), r))},
			want: `{"role":"assistant","content":null,"tool_calls":[{"id":"` + strings.Repeat("i", 31) + `_ID","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + strings.Repeat("i", 31) + `_ID","content":"r"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := openai.Codec{}.Encode(&codec.Request{Model: "gpt-5"}, c.in)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, out)
			want := strings.NewReplacer("_NAME", "_2e7336dc", "_ID", "_cff7aff1").Replace(c.want)
			if string(out) != `{"model":"gpt-5","messages":[`+want+`]}` {
				t.Errorf("got  %s\nwant …%s", out, want)
			}
		})
	}
}

// SPEC: V3
func TestUnpaired(t *testing.T) {
	for name, in := range map[string][]message.Message{
		"no result": {of(message.Assistant, call("1", "f", "{}")), text(message.User, "y")},
		"at end":    {of(message.Assistant, call("1", "f", "{}"))},
		"orphan":    {text(message.User, "x"), of(message.Tool, result("1"))},
		"twice":     {of(message.Assistant, call("1", "f", "{}")), of(message.Tool, result("1")), of(message.Tool, result("1"))},
	} {
		if out, err := (openai.Codec{}).Encode(&codec.Request{}, in); !errors.Is(err, codec.ErrUnpaired) {
			t.Errorf("%s: %s, %v; want ErrUnpaired", name, out, err)
		}
	}
	if out, err := (openai.Codec{}).Encode(&codec.Request{}, nil); err == nil {
		t.Errorf("no messages: %s", out)
	}
}

// Every way a renderer takes something out of a message of the client's, and
// what is left of its object.
// SPEC: V3, V11
func TestRebuild(t *testing.T) {
	edited := func(m message.Message, ps ...message.Part) message.Message {
		m.Parts, m.Edited = ps, true
		return m
	}
	req := decode(t, body(user("hi"), round, assistant("done")))
	thought, said, one, two := req.Messages[1].Parts[0], req.Messages[1].Parts[1], req.Messages[1].Parts[2], req.Messages[1].Parts[3]
	calls := `[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\": \"/a\", \"n\": 9007199254740993}"}}]`
	renamed := two
	renamed.CallID, renamed.Edited = "call_9", true
	answer := req.Messages[2].Parts[0]
	answer.CallID, answer.Edited = "call_9", true
	for _, c := range []struct {
		name string
		ms   []message.Message
		want string
	}{
		{
			"a call and its result dropped",
			[]message.Message{edited(req.Messages[1], thought, said, one), req.Messages[3]},
			`{"role":"assistant","content":"I look.","refusal":null,"reasoning_content":"hm","tool_calls":` + calls + `},{"content":"one","tool_call_id":"call_1","name":"read","role":"tool","x":null}`,
		},
		{
			"reasoning and text dropped",
			[]message.Message{edited(req.Messages[1], one), req.Messages[3]},
			`{"role":"assistant","content":null,"refusal":null,"tool_calls":` + calls + `},{"content":"one","tool_call_id":"call_1","name":"read","role":"tool","x":null}`,
		},
		{
			"all calls dropped",
			[]message.Message{edited(req.Messages[1], said)},
			`{"role":"assistant","content":"I look.","refusal":null}`,
		},
		{"all dropped", []message.Message{req.Messages[0], edited(req.Messages[1])}, user("hi")},
		{
			"a call renamed",
			[]message.Message{edited(req.Messages[1], renamed), edited(req.Messages[2], answer)},
			`{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_9","type":"custom","custom":{"name":"patch","input":"*** free text"},"index":1}]},{"role":"tool","tool_call_id":"call_9","content":[{"type":"text","text":"two"}]}`,
		},
		{"an orphan turned to text", []message.Message{edited(req.Messages[2], message.Part{Kind: message.Text, Text: "was two", Edited: true})}, user("was two")},
		{
			"a result emptied",
			[]message.Message{edited(req.Messages[1], one), edited(req.Messages[3], message.Part{Kind: message.Result, CallID: "call_1", Edited: true})},
			`{"role":"assistant","content":null,"refusal":null,"tool_calls":` + calls + `},{"content":"","tool_call_id":"call_1","name":"read","role":"tool","x":null}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := openai.Codec{}.Encode(req, c.ms)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, out)
			if string(out) != body(c.want) {
				t.Errorf("got  %s\nwant %s", out, body(c.want))
			}
		})
	}
}

// What is left of an assistant's special members after an edit.
// SPEC: V11
func TestMembers(t *testing.T) {
	req := decode(t, body(`{"role":"assistant","content":"a","refusal":"no","audio":{"id":"x"},"function_call":{"name":"f"},"reasoning":"r"}`))
	m := req.Messages[0]
	m.Edited = true
	m.Parts = append(m.Parts[2:3:3], message.Part{Kind: message.Text, Text: "b", Edited: true})
	out, err := openai.Codec{}.Encode(req, []message.Message{m})
	if want := body(`{"role":"assistant","content":"b","refusal":"no"}`); err != nil || string(out) != want {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
}

func TestParse(t *testing.T) {
	m, err := openai.ParseMessage(json.RawMessage(" " + strings.SplitN(round, "]},", 2)[0] + "]} "))
	if err != nil || len(m.Parts) != 4 || m.Parts[0].Kind != message.Thinking || m.Parts[3].Args != "*** free text" || m.Raw[0] != '{' {
		t.Errorf("ParseMessage = %+v, %v", m, err)
	}
	for _, s := range []string{"", "{", `{"role":"user"} x`} {
		if _, err := openai.ParseMessage(json.RawMessage(s)); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("ParseMessage(%q) = %v, want ErrMalformed", s, err)
		}
	}
}

// What the model said between its calls and their results comes after the results.
//
// SPEC: V3
func TestTextBetweenCallAndResult(t *testing.T) {
	req := decode(t, `{"model":"m","messages":[{"role":"user","content":"go"},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},
{"role":"assistant","content":"one moment"},{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"assistant","content":"still"},{"role":"tool","tool_call_id":"c2","content":"two"},
{"role":"user","content":"and now"}]}`)
	ms := append(req.Messages[:len(req.Messages):len(req.Messages)], text(message.User, "more"))
	out, err := openai.Codec{}.Encode(req, ms)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, out)
	var order []string
	for _, m := range decode(t, string(out)).Messages {
		order = append(order, string(m.Role))
	}
	if got := strings.Join(order, " "); got != "user assistant tool tool assistant assistant user user" {
		t.Errorf("%s: %s", got, out)
	}
}
