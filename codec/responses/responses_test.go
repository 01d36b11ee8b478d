package responses_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V10, V11
func TestContract(t *testing.T) { codectest.Run(t, responses.Codec{}, bodies, echoes) }

// SPEC: V11
func FuzzDecode(f *testing.F) { codectest.Fuzz(f, responses.Codec{}, bodies) }

func decode(t *testing.T, s string) *codec.Request {
	t.Helper()
	req, err := responses.Codec{}.Decode([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func valid(t *testing.T, body []byte) {
	t.Helper()
	for _, f := range wirecheck.Responses(body, wirecheck.Options{}) {
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

func edited(m message.Message, ps ...message.Part) message.Message {
	m.Parts, m.Edited = ps, true
	return m
}

// One foreign message becomes as many items as it has things to say.
// SPEC: V3, V5
func TestBuild(t *testing.T) {
	said := message.Part{Kind: message.Text, Text: "s"}
	req := &codec.Request{Model: "gpt-5.5", System: []message.Part{said, said}, MaxOutput: 5, Stream: true}
	out, err := responses.Codec{}.Encode(req, []message.Message{
		text(message.System, "sys"), text(message.User, "x"),
		of(message.Assistant, message.Part{Kind: message.Thinking, Text: "t", Dialect: "anthropic"}, said, call("1", "a.b", ""), call("2", "f", "free")),
		of(message.User, result("1", said), result("2"), said, said),
		{Role: message.User, Meta: true, Parts: []message.Part{said}},
	})
	if err != nil {
		t.Fatal(err)
	}
	valid(t, out)
	want := `{"model":"gpt-5.5","instructions":"s\n\ns","input":[{"role":"system","content":"sys"},` + user("x") + "," + assistant("s") +
		`,{"type":"function_call","call_id":"1","name":"a_b_2e7336dc","arguments":"{}"},{"type":"function_call","call_id":"2","name":"f","arguments":"free"},` +
		`{"type":"function_call_output","call_id":"1","output":"s"},{"type":"function_call_output","call_id":"2","output":""},` +
		`{"role":"user","content":[{"type":"input_text","text":"s"},{"type":"input_text","text":"s"}]}],"max_output_tokens":5,"stream":true}`
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

// Reasoning goes with what follows it: what is left alone loses its tie. Rule
// WO3.
// SPEC: V3
func TestReasoning(t *testing.T) {
	req := decode(t, body(user("a"), round, user("b")))
	ms := req.Messages
	free := strings.Replace(callItem, `"id":"fc_1",`, "", 1)
	for _, c := range []struct {
		name string
		ms   []message.Message
		want string
	}{
		{"round dropped but its reasoning", []message.Message{ms[0], ms[1], ms[4]}, user("a") + "," + user("b")},
		{"reasoning dropped", []message.Message{ms[0], ms[2], ms[3], ms[4]}, user("a") + "," + free + "," + outItem + "," + user("b")},
		{"reasoning emptied", []message.Message{ms[0], edited(ms[1]), ms[2], ms[3]}, user("a") + "," + free + "," + outItem},
		{"kept", []message.Message{ms[1], ms[2], ms[3], ms[4]}, round + "," + user("b")},
	} {
		out, err := responses.Codec{}.Encode(req, c.ms)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		valid(t, out)
		if string(out) != body(c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, out, body(c.want))
		}
	}
}

// Rule WO2, and where the provider holds what is missing.
// SPEC: V3
func TestPairs(t *testing.T) {
	req := decode(t, body(user("a"), callItem, outItem))
	for name, ms := range map[string][]message.Message{
		"no output":     req.Messages[:2],
		"no call":       {req.Messages[0], req.Messages[2]},
		"output before": {req.Messages[2], req.Messages[1]},
		"output twice":  {req.Messages[1], req.Messages[2], req.Messages[2]},
		"call twice":    {req.Messages[1], req.Messages[1], req.Messages[2]},
	} {
		if out, err := (responses.Codec{}).Encode(req, ms); !errors.Is(err, codec.ErrUnpaired) {
			t.Errorf("%s: %s, %v; want ErrUnpaired", name, out, err)
		}
	}
	held := decode(t, `{"previous_response_id":"resp_1","input":[`+outItem+`,`+user("a")+`]}`)
	out, err := responses.Codec{}.Encode(held, held.Messages[:1])
	if want := `{"previous_response_id":"resp_1","input":[` + outItem + `]}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
}

// An edit that a kind of item has no form for is an error; the others take
// text in the form they have.
// SPEC: V3
func TestOutputs(t *testing.T) {
	pair := func(call, out string) string { return body(user("a"), call, out) }
	for _, c := range []struct{ call, out, want string }{
		{
			`{"type":"shell_call","call_id":"c","action":{"commands":["ls"]}}`,
			`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":1}}],"max_output_length":9}`,
			`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"cut","stderr":"","outcome":{"type":"exit","exit_code":1}}],"max_output_length":9}`,
		},
		{ // a failure stays one among others
			`{"type":"shell_call","call_id":"c","action":{"commands":["a","b","c"]}}`,
			`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":2}},{"stdout":"b","stderr":"","outcome":{"type":"timeout"}},{"stdout":"c","stderr":"","outcome":{"type":"exit", "exit_code":0}}]}`,
			`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"cut","stderr":"","outcome":{"type":"timeout"}}]}`,
		},
		{
			`{"type":"apply_patch_call","call_id":"c","operation":{"type":"delete_file","path":"/a"},"status":"completed"}`,
			`{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"a"}`,
			`{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"cut"}`,
		},
		{
			`{"type":"custom_tool_call","call_id":"c","name":"n","input":"x"}`,
			`{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"a"}]}`,
			`{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"cut"}]}`,
		},
		{`{"type":"computer_call","call_id":"c","action":{"type":"wait"}}`, `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","file_id":"f"}}`, ""},
	} {
		req := decode(t, pair(c.call, c.out))
		p := req.Messages[2].Parts[0]
		p.Parts, p.Edited = []message.Part{{Kind: message.Text, Text: "cut"}}, true
		ms := []message.Message{req.Messages[0], req.Messages[1], edited(req.Messages[2], p)}
		out, err := responses.Codec{}.Encode(req, ms)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s became %s", c.out, out)
			}
			continue
		}
		if err != nil || string(out) != pair(c.call, c.want) {
			t.Errorf("got  %s, %v\nwant %s", out, err, pair(c.call, c.want))
		}
	}
}

// A call that is answered by a repair gets an output of the kind it needs, with all that
// the API demands of it.
// SPEC: V3
func TestAnswer(t *testing.T) {
	for call, want := range map[string]string{
		`{"type":"custom_tool_call","call_id":"c","name":"n","input":"x"}`:                                                  `{"type":"custom_tool_call_output","call_id":"c","output":"lost"}`,
		`{"type":"local_shell_call","id":"l","call_id":"c","action":{"type":"exec","command":["ls"]},"status":"completed"}`: `{"type":"local_shell_call_output","id":"c","output":"lost"}`,
		`{"type":"apply_patch_call","call_id":"c","operation":{"type":"delete_file","path":"/a"},"status":"completed"}`:     `{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"lost"}`,
		`{"type":"shell_call","call_id":"c","action":{"commands":["ls"]}}`:                                                  `{"type":"shell_call_output","call_id":"c","output":[{"stdout":"lost","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`,
	} {
		req := decode(t, body(user("a"), call))
		ms := append(req.Messages[:2:2], of(message.Tool, result("c", message.Part{Kind: message.Text, Text: "lost"})))
		out, err := responses.Codec{}.Encode(req, ms)
		if err != nil || string(out) != body(user("a"), call, want) {
			t.Errorf("got  %s, %v\nwant …%s", out, err, want)
		}
		valid(t, out)
	}
}

// An output that gets another id is bound by the member that bound it before.
// SPEC: V3
func TestOutputRenamed(t *testing.T) {
	call := `{"type":"local_shell_call","id":"l","call_id":"c","action":{"type":"exec","command":["ls"]},"status":"completed"}`
	req := decode(t, body(user("a"), call, `{"type":"local_shell_call_output","id":"c","output":"o"}`))
	var ms []message.Message
	for _, m := range req.Messages {
		if p := m.Parts[0]; p.CallID != "" {
			p.CallID, p.Edited = "d", true
			m = edited(m, p)
		}
		ms = append(ms, m)
	}
	out, err := responses.Codec{}.Encode(req, ms)
	want := body(user("a"), strings.Replace(call, `"call_id":"c"`, `"call_id":"d"`, 1), `{"type":"local_shell_call_output","id":"d","output":"o"}`)
	if err != nil || string(out) != want {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
}

// A request without input has no messages, however it says so.
func TestNoInput(t *testing.T) {
	for _, body := range []string{`{}`, `{"input":[]}`, `{"input":null}`, `{"input":"x","input":[ ]}`} {
		if req := decode(t, body); req.Messages != nil {
			t.Errorf("%s has messages %v", body, req.Messages)
		}
	}
}

// A whole input that is a string becomes an item when others join it.
// SPEC: V11
func TestStringInput(t *testing.T) {
	req := decode(t, `{"input": "hi \u00e9","model":"m"}`)
	out, err := responses.Codec{}.Encode(req, append(req.Messages[:1:1], text(message.Assistant, "x")))
	if want := `{"input": [{"role":"user","content":"hi \u00e9"},{"role":"assistant","content":"x"}],"model":"m"}`; err != nil || string(out) != want {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
}

func TestParse(t *testing.T) {
	m, err := responses.ParseItem(json.RawMessage(" " + reasoning + " "))
	if p := m.Parts[0]; err != nil || p.Kind != message.Thinking || p.Text != "hm" || p.Signature != "ZW5j" || string(p.Raw) != reasoning {
		t.Errorf("ParseItem = %+v, %v", m, err)
	}
	m, err = responses.ParseItem(json.RawMessage(callItem))
	if p := m.Parts[0]; err != nil || m.Role != message.Assistant || p.CallID != "call_1" || p.Args != `{"path": "/a", "n": 9007199254740993}` {
		t.Errorf("ParseItem = %+v, %v", m, err)
	}
	for _, s := range []string{"", "{", `{"role":"user"} x`} {
		if _, err := responses.ParseItem(json.RawMessage(s)); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("ParseItem(%q) = %v, want ErrMalformed", s, err)
		}
	}
}
