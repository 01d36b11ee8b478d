package anthropic_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V10, V11
func TestContract(t *testing.T) { codectest.Run(t, anthropic.Codec{}, bodies, echoes) }

// SPEC: V11
func FuzzDecode(f *testing.F) { codectest.Fuzz(f, anthropic.Codec{}, bodies) }

func decode(t *testing.T, s string) *codec.Request {
	t.Helper()
	req, err := anthropic.Codec{}.Decode([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func text(role message.Role, s string) message.Message { return message.TextOf(role, s) }

func call(id, name, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
}

func result(id, s string) message.Part {
	return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: s}}}
}

func of(role message.Role, ps ...message.Part) message.Message {
	return message.Message{Role: role, Parts: ps}
}

// The shape rules, each with messages that break it and what must come out.
// SPEC: V3, V5
func TestShape(t *testing.T) {
	a, b := message.Assistant, message.User
	req := &codec.Request{Model: "claude-opus-5", MaxOutput: 9}
	for _, c := range []struct {
		name, rule, model string
		in                []message.Message
		want              string
	}{
		{
			name: "assistant first", rule: "WA1", in: []message.Message{text(a, "x"), text(b, "y")},
			want: user("(continued)") + "," + assistant("x") + "," + user("y"),
		},
		{name: "nothing at all", rule: "WA1", in: []message.Message{of(b)}, want: user("(continued)")},
		{
			name: "neighbours", rule: "WA2", in: []message.Message{text(b, "x"), text(b, "y")},
			want: `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`,
		},
		{
			name: "empty between", rule: "WA3", in: []message.Message{text(b, "x"), of(a, message.Part{Kind: message.Thinking, Text: "t"}), text(a, " \n"), text(b, "y")},
			want: `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`,
		},
		{
			name: "trailing assistant", rule: "WA4", in: []message.Message{text(b, "x"), text(a, "y")},
			want: user("x") + "," + assistant("y") + "," + user("Continue."),
		},
		{
			name: "prefill of an old model", rule: "WA4", model: "claude-sonnet-4-5-20250929", in: []message.Message{text(b, "x"), text(a, "y")},
			want: user("x") + "," + assistant("y"),
		},
		{
			name: "results spread", rule: "WA5", in: []message.Message{text(b, "x"), of(a, call("1", "f", `{"k":1}`)), of(a, call("2", "f", "not json")), of(message.Tool, result("1", "r")), text(b, "note"), of(message.Tool, result("2", ""))},
			want: user("x") + `,{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"k":1}},{"type":"tool_use","id":"2","name":"f","input":{"_raw":"not json"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},{"type":"tool_result","tool_use_id":"2","content":""},{"type":"text","text":"note"}]}`,
		},
		{
			name: "ids and names", rule: "WA5", in: []message.Message{text(b, "x"), of(a, call("functions.f:0", "ns.f", "")), of(message.Tool, result("functions.f:0", "r")), of(a, call("functions.f:0", "ns.f", "")), of(message.Tool, result("functions.f:0", "s"))},
			want: user("x") + `,{"role":"assistant","content":[{"type":"tool_use","id":"functions_f_0_ID1","name":"ns_f_NAME","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_f_0_ID1","content":"r"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"functions_f_0_2_ID2","name":"ns_f_NAME","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_f_0_2_ID2","content":"s"}]}`,
		},
		{
			name: "late system", rule: "WA8", in: []message.Message{text(message.System, "s"), text(b, "x"), text(message.System, "t")},
			want: `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"t"}]}`,
		},
		{name: "meta", rule: "WA1", in: []message.Message{{Role: a, Meta: true, Parts: text(a, "m").Parts}, text(b, "x")}, want: user("x")},
	} {
		t.Run(c.rule+" "+c.name, func(t *testing.T) {
			req := *req
			if c.model != "" {
				req.Model = c.model
			}
			out, err := anthropic.Codec{}.Encode(&req, c.in)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, out)
			want := strings.NewReplacer("_ID1", "_d6bdd4de", "_ID2", "_55c5a183", "_NAME", "_611c07cd").Replace(c.want)
			if !strings.HasSuffix(string(out), `"messages":[`+want+`]}`) {
				t.Errorf("got  %s\nwant …%s", out, want)
			}
		})
	}
}

func valid(t *testing.T, body []byte) {
	t.Helper()
	for _, f := range wirecheck.Anthropic(body, wirecheck.Options{}) {
		t.Errorf("%s\n%s", f, body)
	}
}

// Broken pairs are an error, not an invention. Rules WA5, WA7.
// SPEC: V3
func TestUnpaired(t *testing.T) {
	for name, in := range map[string][]message.Message{
		"no result":     {text(message.User, "x"), of(message.Assistant, call("1", "f", "{}")), text(message.User, "y")},
		"at the end":    {text(message.User, "x"), of(message.Assistant, call("1", "f", "{}"))},
		"orphan":        {text(message.User, "x"), of(message.Tool, result("1", "r"))},
		"twice":         {text(message.User, "x"), of(message.Assistant, call("1", "f", "{}")), of(message.User, result("1", "r"), result("1", "r"))},
		"call of user":  {of(message.User, call("1", "f", "{}")), of(message.User, result("1", "r"))},
		"text in round": {text(message.User, "x"), of(message.Assistant, call("1", "f", "{}")), text(message.Assistant, "y"), text(message.User, "z"), of(message.Assistant, result("1", "r"))},
	} {
		if out, err := (anthropic.Codec{}).Encode(&codec.Request{}, in); !errors.Is(err, codec.ErrUnpaired) {
			t.Errorf("%s: %s, %v; want ErrUnpaired", name, out, err)
		}
	}
}

// After an edit the surplus of cache markers goes, oldest first; without one
// the body stays as it is. Rule WA10.
// SPEC: V3, V11
func TestMarks(t *testing.T) {
	marked := func(s string) string {
		return `{"type":"text","text":"` + s + `","cache_control":{"type":"ephemeral"}}`
	}
	in := `{"model":"claude-opus-5","max_tokens":1,"system":[` + marked("s") + `],"messages":[{"role":"user","content":[` +
		marked("a") + `]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"cache_control":1}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` + marked("r") + `]},` + marked("b") + "," + marked("c") + "," + marked("d") + `]}]}`
	req := decode(t, in)
	ms := append(req.Messages[:3:3], text(message.Assistant, "y"), text(message.User, "z"))
	out, err := anthropic.Codec{}.Encode(req, ms)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, out)
	want := strings.Replace(in, marked("a"), `{"type":"text","text":"a"}`, 1)
	want = strings.Replace(want, marked("r"), `{"type":"text","text":"r"}`, 1)
	want = strings.TrimSuffix(want, "]}") + "," + assistant("y") + "," + user("z") + "]}"
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

// A marker counts however deep its block stands, as the API counts it, and is taken out
// there. What is not known keeps its own.
// SPEC: V3, V11 · WA10
func TestMarksWithin(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	deep := func(m string) string {
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"r"` + m + `}]}]},` +
			`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"d"` + m + `}]}}]}`
	}
	odd := `{"role":"critic","content":[{"type":"text","text":"o"` + mark + `}]}`
	use := `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}`
	tail := `{"role":"user","content":[{"type":"text","text":"a"` + mark + `},{"type":"text","text":"b"` + mark + `},{"type":"text","text":"c"` + mark + `}]}`
	in := body(user("q"), odd, use, deep(mark), assistant("x"), tail)
	req := decode(t, in)
	if n := (anthropic.Codec{}).Room(req, req.Messages[:4]); n != 1 {
		t.Errorf("room for %d markers beside three", n)
	}
	out, err := anthropic.Codec{}.Encode(req, append(req.Messages[:6:6], text(message.Assistant, "y"), text(message.User, "z")))
	if want := body(user("q"), odd, use, deep(""), assistant("x"), tail, assistant("y"), user("z")); err != nil || string(out) != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, out, want)
	}
}

// Parts may be dropped or change their kind; what stays is copied byte for
// byte, and merged neighbours keep the bytes of their blocks.
// SPEC: V3, V11
func TestRebuild(t *testing.T) {
	in := body(user(`q \u00e9`), round, assistant("done"), user("next"))
	req := decode(t, in)
	ms := append([]message.Message(nil), req.Messages...)
	ms[1].Parts, ms[1].Edited = ms[1].Parts[3:4], true // one call, no thinking
	orphan := message.Part{Kind: message.Text, Text: "was: two", Edited: true}
	ms[2].Parts, ms[2].Edited = []message.Part{orphan, ms[2].Parts[1]}, true
	out, err := anthropic.Codec{}.Encode(req, append(ms[:3], ms[4])) // "done" is dropped
	if err != nil {
		t.Fatal(err)
	}
	valid(t, []byte(strings.Replace(string(out), `,"n":1`, "", 1)))
	want := body(user(`q \u00e9`),
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"/a","n":9007199254740993,"n":1}}]}`,
		`{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"was: two"},{"type":"text","text":"next"}]}`)
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

// A system message of the client's stays while it stands where it may, and is
// said by the user where it may not. Rule WA8.
// SPEC: V3, V11
func TestSystemPlaces(t *testing.T) {
	system := `{"role":"system","content":"mode: terse","clear_at":"next_user_message"}`
	req := decode(t, `{"model":"claude-opus-5","max_tokens":1,"messages":[`+user("a")+","+system+","+assistant("b")+","+user("c")+"]}")
	ms := req.Messages
	for _, c := range []struct {
		name string
		in   []message.Message
		want string
	}{
		{
			"kept",
			[]message.Message{ms[0], ms[1], ms[2], ms[3], text(message.User, "d")},
			user("a") + "," + system + "," + assistant("b") + `,{"role":"user","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]}`,
		},
		{"last", ms[:2], user("a") + "," + system},
		{"first", ms[1:], user("mode: terse") + "," + assistant("b") + "," + user("c")},
		{
			"between users",
			[]message.Message{ms[0], ms[1], ms[3]},
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"mode: terse"},{"type":"text","text":"c"}]}`,
		},
	} {
		out, err := anthropic.Codec{}.Encode(req, c.in)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		valid(t, out)
		if want := `{"model":"claude-opus-5","max_tokens":1,"messages":[` + c.want + "]}"; string(out) != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, out, want)
		}
	}
}

// A system message that only sets something may stand anywhere: it parts no neighbours,
// opens no conversation and ends none. Rules WA1, WA2, WA4, WA8.
// SPEC: V3, V11
func TestSettingsBetween(t *testing.T) {
	set := `{"role":"system","content":[],"output_config":{"effort":"low"}}`
	req := decode(t, body(set, user("a"), set, assistant("b"), set, user("c"), set))
	ms := req.Messages
	joined := `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"c"}]}`
	for name, c := range map[string]struct {
		in   []message.Message
		want string
	}{
		"between users":   {[]message.Message{ms[0], ms[1], ms[2], ms[5], ms[6]}, set + "," + joined + "," + set + "," + set},
		"first":           {[]message.Message{ms[0], ms[3], ms[4], ms[5]}, user("(continued)") + "," + set + "," + assistant("b") + "," + set + "," + user("c")},
		"after the reply": {ms[:5], set + "," + user("a") + "," + set + "," + assistant("b") + "," + set + "," + user("Continue.")},
		"nothing else":    {ms[:1], user("(continued)") + "," + set},
	} {
		out, err := anthropic.Codec{}.Encode(req, c.in)
		if want := body(c.want); err != nil || string(out) != want {
			t.Errorf("%s: %v: got\n%s\nwant\n%s", name, err, out, want)
		}
		valid(t, out)
	}
}

// A message of a session file is no request's message, but its blocks are
// copied as they are, signed thinking included. Rule WT1.
// SPEC: V1, V11
func TestForeignEnvelope(t *testing.T) {
	blocks := `[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a","x":1}]`
	ps, err := anthropic.ParseBlocks(json.RawMessage(blocks))
	if err != nil {
		t.Fatal(err)
	}
	m := message.Message{Role: message.Assistant, Parts: ps, Raw: json.RawMessage(`{"uuid":"1"}`), Dialect: "claude-code"}
	out, err := anthropic.Codec{}.Encode(&codec.Request{Model: "claude-opus-5"}, []message.Message{text(message.User, "q"), m, text(message.User, "r")})
	if err != nil {
		t.Fatal(err)
	}
	valid(t, out)
	if !strings.Contains(string(out), `{"role":"assistant","content":`+blocks+`}`) {
		t.Errorf("blocks are not copied: %s", out)
	}
}

// Thinking that a log holds without its block is written as the block it was;
// a foreign one, or one without its signature, is not sent. Rule WT1.
// SPEC: V3
func TestThinking(t *testing.T) {
	think := func(text, signature, dialect string) message.Part {
		return message.Part{Kind: message.Thinking, Text: text, Signature: signature, Dialect: dialect}
	}
	edited := think("b", "s2", anthropic.Name)
	edited.Raw, edited.Edited = json.RawMessage(`{"type":"thinking","thinking":"a","signature":"s"}`), true
	ms := []message.Message{text(message.User, "q"), of(message.Assistant,
		think("a", "s", anthropic.Name), think("", "ZGF0YQ==", anthropic.Name), think("a", "", anthropic.Name), think("a", "s", "openai"), edited,
		message.Part{Kind: message.Text, Text: "x"}), text(message.User, "r")}
	out, err := anthropic.Codec{}.Encode(&codec.Request{Model: "claude-opus-5", MaxOutput: 1}, ms)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, out)
	want := `{"model":"claude-opus-5","max_tokens":1,"messages":[` + user("q") + `,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"redacted_thinking","data":"ZGF0YQ=="},{"type":"text","text":"x"}]},` + user("r") + "]}"
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestParse(t *testing.T) {
	m, err := anthropic.ParseMessage(json.RawMessage(` {"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input": {"a" :1}}]} `))
	if err != nil || m.Role != message.Assistant || m.Parts[0].Args != `{"a" :1}` || m.Raw[0] != '{' || m.Raw[len(m.Raw)-1] != '}' {
		t.Errorf("ParseMessage = %+v, %v", m, err)
	}
	if ps, err := anthropic.ParseBlocks(nil); ps != nil || err != nil {
		t.Errorf("ParseBlocks(nil) = %v, %v", ps, err)
	}
	for _, s := range []string{"", "{", "[1", `{"role":"user"} x`} {
		if _, err := anthropic.ParseMessage(json.RawMessage(s)); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("ParseMessage(%q) = %v, want ErrMalformed", s, err)
		}
		if _, err := anthropic.ParseBlocks(json.RawMessage(s)); s != "" && !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("ParseBlocks(%q) = %v, want ErrMalformed", s, err)
		}
	}
}

// Rule WA4 by model.
func TestPrefill(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-3-5-sonnet-20241022": true, "claude-opus-4-20250514": true, "claude-opus-4-1": true,
		"claude-sonnet-4-5-20250929": true, "anthropic/claude-sonnet-4.5": true, "us.anthropic.claude-haiku-4-5-20251001-v1:0": true,
		"claude-opus-4-6": false, "claude-sonnet-4.6": false, "claude-opus-5-5": false, "claude-fable-5-1": false,
		"claude-mythos-preview": false, "gpt-5": false, "": false,
	} {
		out, err := anthropic.Codec{}.Encode(&codec.Request{Model: model}, []message.Message{text(message.User, "x"), text(message.Assistant, "y")})
		if err != nil || strings.Contains(string(out), "Continue.") == want {
			t.Errorf("%q: prefill %v wanted, got %s, %v", model, want, out, err)
		}
	}
}
