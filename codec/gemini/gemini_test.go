package gemini_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V10, V11, B27
func TestContract(t *testing.T) { codectest.Run(t, gemini.Codec{}, bodies, echoes) }

// SPEC: V11
func FuzzDecode(f *testing.F) { codectest.Fuzz(f, gemini.Codec{}, bodies) }

func decode(t *testing.T, s string) *codec.Request {
	t.Helper()
	req, err := gemini.Codec{}.Decode([]byte(s))
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

const (
	calls  = `{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a":1}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"2","name":"g","args":{}}}]}`
	answer = `{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"one"}}},{"functionResponse":{"id":"2","name":"g","response":{"error":"two"}}}]}`
)

// The shape rules, each with messages that break it and what must come out.
//
// SPEC: V3, V5, B27 · WG6, WG7, WG8, WG10, WG11, WG13, WG14, WG15, WG16, WG20
func TestShape(t *testing.T) {
	a, b := message.Assistant, message.User
	failed := result("2", "two")
	failed.Failed = true
	for _, c := range []struct {
		name, rule string
		in         []message.Message
		want       string
	}{
		{"model first", "WG7", []message.Message{text(a, "x"), text(b, "y")}, user("(continued)") + "," + model("x") + "," + user("y")},
		{"nothing at all", "WG9", []message.Message{of(b)}, user("(continued)")},
		{"model last", "WG7", []message.Message{text(b, "y"), text(a, "x")}, user("y") + "," + model("x") + "," + user("Continue.")},
		{"empty text", "WG11", []message.Message{of(b, message.Part{Kind: message.Text}), text(b, "y")}, user("y")},
		{"neighbours, a system message between", "WG8", []message.Message{text(b, "x"), text(message.System, "y")}, `{"role":"user","parts":[{"text":"x"},{"text":"y"}]}`},
		{
			"answers in another order, after a text", "WG16",
			[]message.Message{text(b, "x"), of(a, call("1", "f", `{"a":1}`), call("2", "g", "")), text(b, "z"), of(message.Tool, failed), of(message.Tool, result("1", "one"))},
			user("x") + "," + calls + "," + strings.TrimSuffix(answer, "]}") + `,{"text":"z"}]}`,
		},
		{"thoughts of others", "WG21", []message.Message{text(b, "x"), of(a, message.Part{Kind: message.Thinking, Text: "hm", Signature: "s"}, message.Part{Kind: message.Text, Text: "y"}), text(b, "z")}, user("x") + "," + model("y") + "," + user("z")},
		{
			"no ids", "WG15",
			[]message.Message{text(b, "x"), of(a, call(message.DerivedID("f"), "f", "{}")), of(message.Tool, result(message.DerivedID("f"), "y"))},
			user("x") + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"y"}}}]}`,
		},
		{
			"names", "WG14",
			[]message.Message{text(b, "x"), of(a, call("1", "8 ball", "{}")), of(message.Tool, result("1", "y"))},
			user("x") + `,{"role":"model","parts":[{"functionCall":{"id":"1","name":"_8_ball_753ea4f9","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"_8_ball_753ea4f9","response":{"output":"y"}}}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := gemini.Codec{}.Encode(&codec.Request{Model: "gemini-3-pro"}, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"model":"models/gemini-3-pro","contents":[` + c.want + `]}`; string(out) != want {
				t.Errorf("%s:\n got %s\nwant %s", c.rule, out, want)
			}
			for _, f := range wirecheck.Gemini(out, wirecheck.Options{Model: "gemini-3-pro"}) {
				t.Error(f)
			}
		})
	}
}

// What cannot be paired is refused.
//
// SPEC: V3 · WG6
func TestUnpaired(t *testing.T) {
	for name, ms := range map[string][]message.Message{
		"no result":   {text(message.User, "x"), of(message.Assistant, call("1", "f", ""))},
		"no call":     {text(message.User, "x"), of(message.Tool, result("1", "y"))},
		"two results": {text(message.User, "x"), of(message.Assistant, call("1", "f", "")), of(message.Tool, result("1", "y"), result("1", "y"))},
		"later":       {text(message.User, "x"), of(message.Assistant, call("1", "f", "")), text(message.User, "z"), text(message.Assistant, "a"), of(message.Tool, result("1", "y"))},
		"of a user":   {of(message.User, call("1", "f", ""))},
	} {
		if _, err := (gemini.Codec{}).Encode(&codec.Request{}, ms); !errors.Is(err, codec.ErrUnpaired) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A call that the provider answers itself and its answer name each other, so that neither
// leaves the prompt alone; what has no id is bound to nothing.
//
// SPEC: V3, B27 · WG12
func TestProviderPairs(t *testing.T) {
	req := decode(t, body(user("hi"), `{"role":"model","parts":[{"toolCall":{"id":"t1","toolType":"GOOGLE_SEARCH"},"thoughtSignature":"c2ln"},{"tool_response":{"id":"t1"}},`+
		`{"executableCode":{"id":"x","code":"1"}},{"codeExecutionResult":{"id":"x","output":"1"}},{"executableCode":{"code":"1"}},{"text":"so"}]}`, user("go")))
	want := []string{"t1", "t1", "x", "x", "", ""}
	for i, p := range req.Messages[1].Parts {
		if p.CallID != want[i] {
			t.Errorf("part %d is bound by %q, want %q", i, p.CallID, want[i])
		}
	}
}

// Calls without ids are paired by name and order, and no id is written (WG15).
//
// SPEC: B27 · WG15
func TestPairs(t *testing.T) {
	req := decode(t, body(user("hi"), round, round))
	for _, at := range []int{1, 3} {
		m, r := req.Messages[at], req.Messages[at+1]
		if m.Parts[2].CallID == m.Parts[3].CallID || !message.IsDerivedID(m.Parts[2].CallID) {
			t.Errorf("ids %q and %q", m.Parts[2].CallID, m.Parts[3].CallID)
		}
		for i := range 2 {
			if r.Parts[i].CallID != m.Parts[i+2].CallID {
				t.Errorf("result %d of %d answers %q", i, at, r.Parts[i].CallID)
			}
		}
		if r.Parts[0].Failed || !r.Parts[1].Failed {
			t.Errorf("failed: %t, %t", r.Parts[0].Failed, r.Parts[1].Failed)
		}
	}
	rewound, err := gemini.ParseContent([]byte(`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`))
	if err != nil || rewound.Parts[0].CallID != "" {
		t.Errorf("alone: %+v, %v", rewound, err)
	}
}

// A signature leaves with its part, edited or not, and on no other.
//
// SPEC: V11 · WG17, WG21, WG22
func TestSignatures(t *testing.T) {
	wrote := body(user("hi"), round, `{"role":"model","parts":[{"text":"done"},{"text":"","thoughtSignature":"ZW5k"}]}`, user("more"))
	req := decode(t, wrote)
	ms := append([]message.Message{text(message.User, "summary")}, req.Messages[1:]...)
	p := &ms[1].Parts[2]
	p.Args, p.Edited, ms[1].Edited = `{"path":"[cleared]"}`, true, true
	out, err := gemini.Codec{}.Encode(req, ms)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"functionCall":{"name":"read","args":{"path":"[cleared]"}},"thoughtSignature":"c2lnMg=="}`, `{"text":"I look.","thoughtSignature":"c2ln"}`, `{"text":"","thoughtSignature":"ZW5k"}`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
	for _, f := range wirecheck.Kept(gemini.Name, []byte(wrote), out) {
		t.Error(f)
	}
	moved := strings.Replace(string(out), `"thoughtSignature":"c2ln"}`, `"thought":false}`, 1)
	moved = strings.Replace(moved, `{"functionCall":{"name":"read","args":{"path":"/b"}}}`, `{"functionCall":{"name":"read","args":{"path":"/b"}},"thoughtSignature":"c2ln"}`, 1)
	if fs := wirecheck.Kept(gemini.Name, []byte(wrote), []byte(moved)); len(fs) != 1 || fs[0].Rule != "WG17" {
		t.Errorf("moved: %v", fs)
	}
}

// More functions are declared among those of the body; where a request may have none,
// that is said.
//
// SPEC: B6, B27 · WG25
func TestDeclare(t *testing.T) {
	more := []codec.Tool{{Name: "precis_read", Description: "reads", Schema: []byte(`{"type":"object"}`)}}
	const added = `{"name":"precis_read","description":"reads","parametersJsonSchema":{"type":"object"}}`
	for tools, want := range map[string]string{
		``: `,"tools":[{"functionDeclarations":[` + added + `]}]`,
		`,"tools":[{"functionDeclarations":[{"name":"a"}]},{"urlContext":{}}]`:     `,"tools":[{"functionDeclarations":[{"name":"a"},` + added + `]},{"urlContext":{}}]`,
		`,"tools":[ {"function_declarations" : [ {"name":"a"}, {"name":"b"} ] } ]`: `,"tools":[ {"function_declarations" : [ {"name":"a"}, {"name":"b"}, ` + added + ` ] } ]`,
		`,"tools":[{"googleSearch":{}}]`:                                           "",
		`,"cachedContent":"cachedContents/1"`:                                      "",
	} {
		req := decode(t, `{"contents":[`+user("hi")+`]`+tools+`}`)
		more, ok := gemini.Codec{}.Declare(req, more)
		if ok != (want != "") {
			t.Errorf("%s: declared %t", tools, ok)
		}
		if !ok {
			continue
		}
		out, err := gemini.Codec{}.Encode(more, more.Messages)
		if err != nil || string(out) != `{"contents":[`+user("hi")+`]`+want+`}` {
			t.Errorf("%s: %s, %v", tools, out, err)
		}
	}
}

// What a body says around its contents.
//
// SPEC: B27
func TestEnvelope(t *testing.T) {
	req := decode(t, bodies[4].JSON)
	if len(req.System) != 1 || req.System[0].Text != "be good" || len(req.Tools) != 2 {
		t.Fatalf("%+v", req)
	}
	if got := string(req.Tools[0].Schema); got != `{"type":"object","properties":{"type":{"type":"string"}}}` {
		t.Errorf("schema %s", got)
	}
	if hosted := req.Tools[1]; hosted.Name != "googleSearch" || hosted.Schema != nil {
		t.Errorf("%+v", hosted)
	}
	for name, want := range map[string]string{
		`"cachedContent":"cachedContents/1"`: "cachedContent", `"cached_content":"x"`: "cachedContent",
		`"continuationToken":"t"`: "continuationToken", `"cachedContent":""`: "", `"labels":{"thread":"x"}`: "",
	} {
		if got := decode(t, `{"contents":[],`+name+`}`).State; got != want {
			t.Errorf("%s: state %q", name, got)
		}
	}
}

// The path names the model and the method.
func TestPath(t *testing.T) {
	for path, want := range map[string]struct {
		model             string
		stream, ok, count bool
	}{
		"/v1beta/models/gemini-3-pro:generateContent":                                             {"gemini-3-pro", false, true, false},
		"/v1/models/gemini-2.5-flash:streamGenerateContent":                                       {"gemini-2.5-flash", true, true, false},
		"/v1beta/tunedModels/mine-1:generateContent":                                              {"mine-1", false, true, false},
		"/v1/projects/p/locations/eu/publishers/google/models/gemini-3-pro:streamGenerateContent": {"gemini-3-pro", true, true, false},
		"/v1beta/models/gemini-3-pro:countTokens":                                                 {"gemini-3-pro", false, false, true},
		"/v1beta/models/gemini-3-pro:embedContent":                                                {"gemini-3-pro", false, false, false},
		"/v1beta/models/gemini-3-pro":                                                             {},
		"/v1beta/cachedContents":                                                                  {},
		"/v1/chat/completions":                                                                    {},
		"":                                                                                        {},
		":generateContent":                                                                        {},
	} {
		model, stream, ok := gemini.Codec{}.At(path)
		if count := (gemini.Codec{}).CountAt(path); model != want.model || stream != want.stream || ok != want.ok || count != want.count {
			t.Errorf("%s: %q, %t, %t, %t", path, model, stream, ok, count)
		}
	}
}
