package codectest_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// A request built by hand says all that it was given, in its provider's words,
// and nothing else.
//
// SPEC: S4, C5 · WU2
func TestBuilt(t *testing.T) {
	cold := 0.3
	plain := codec.Request{Model: "gpt-5"}
	full := codec.Request{
		Model: "gpt-5", MaxOutput: 1000, Stream: true, Temperature: &cold,
		Format: &codec.Format{Name: "a summary", Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)},
	}
	for _, tt := range []struct {
		dialect string
		req     codec.Request
		want    string
	}{
		{"anthropic", plain, `{"model":"gpt-5","max_tokens":4096,"messages":[{"role":"user","content":"hi"}]}`},
		{"openai", plain, `{"model":"gpt-5","messages":[{"role":"user","content":"hi"}]}`},
		{"gemini", plain, `{"model":"models/gpt-5","contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
		{"responses", plain, `{"model":"gpt-5","input":[{"role":"user","content":"hi"}]}`},
		{"anthropic", full, `{"model":"gpt-5","max_tokens":1000,"messages":[{"role":"user","content":"hi"}],"temperature":0.3,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{},"additionalProperties":false}}},"stream":true}`},
		{"openai", full, `{"model":"gpt-5","messages":[{"role":"user","content":"hi"}],"temperature":0.3,"response_format":{"type":"json_schema","json_schema":{"name":"a_summary_0974df6e","strict":true,"schema":{"type":"object","properties":{},"additionalProperties":false}}},"max_completion_tokens":1000,"stream":true,"stream_options":{"include_usage":true}}`},
		{"gemini", full, `{"model":"models/gpt-5","contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"temperature":0.3,"maxOutputTokens":1000,"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{},"additionalProperties":false}}}`},
		{"responses", full, `{"model":"gpt-5","input":[{"role":"user","content":"hi"}],"max_output_tokens":1000,"stream":true,"temperature":0.3,"text":{"format":{"type":"json_schema","name":"a_summary_0974df6e","strict":true,"schema":{"type":"object","properties":{},"additionalProperties":false}}}}`},
	} {
		got, err := named(t, tt.dialect).Encode(&tt.req, []message.Message{message.TextOf(message.User, "hi")})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, string(got)); d != "" {
			t.Errorf("%s: %s", tt.dialect, d)
		}
		for _, f := range wirecheck.Check(tt.dialect, got, wirecheck.Options{}) {
			t.Errorf("%s: %s", tt.dialect, f)
		}
	}
}

// What a body states stays in the body: the fields for requests built by hand
// do not reach it.
//
// SPEC: V11
func TestBuiltNotSpliced(t *testing.T) {
	hot := 1.0
	for dialect, body := range map[string]string{
		"anthropic": `{"temperature":0.5,"messages":[{"role":"user","content":"hi"}]}`,
		"openai":    `{"temperature":0.5,"messages":[{"role":"user","content":"hi"}]}`,
		"responses": `{"temperature":0.5,"input":[{"role":"user","content":"hi"}]}`,
		"gemini":    `{"generationConfig":{"temperature":0.5},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
	} {
		c := named(t, dialect)
		req, err := c.Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Temperature, req.Format = &hot, &codec.Format{Name: "x"}
		m := req.Messages[0]
		m.Edited = true
		if got, err := c.Encode(req, []message.Message{m}); err != nil || string(got) != body {
			t.Errorf("%s: %s, %v", dialect, got, err)
		}
	}
}

// A message or part whose raw bytes are there but empty, as a store may give them back, is
// built like one that has none.
//
// SPEC: V3
func TestBuiltOfEmptyRaw(t *testing.T) {
	for _, c := range codecs {
		ms := forms[c.Name()]([]exchange{{
			ask: "hi", answer: "ho",
			calls:   []message.Part{{Kind: message.Call, CallID: "c", Name: "f", Args: `{"a":1}`}},
			results: []message.Part{{Kind: message.Result, CallID: "c", Parts: []message.Part{text("x")}}},
		}})
		want, err := c.Encode(&codec.Request{Model: "m"}, ms)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ms {
			ms[i].Raw, ms[i].Dialect = json.RawMessage{}, c.Name()
			for n := range ms[i].Parts {
				ms[i].Parts[n].Raw, ms[i].Parts[n].Dialect = json.RawMessage{}, c.Name()
			}
		}
		got, err := c.Encode(&codec.Request{Model: "m"}, ms)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.Name(), err, got, want)
		}
	}
}
