package codec_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// An envelope is the body but for its messages and what is secret in it.
//
// SPEC: V1, V11
func TestEnvelope(t *testing.T) {
	const history = `[{"role":"user","content":"hi"}]`
	for body, want := range map[string]string{
		`{"model":"m", "messages": ` + history + ` ,"system":"s"}`:                                                                                                                      `{"model":"m", "messages": [] ,"system":"s"}`,
		`{"mcp_servers":[{"url":"u","authorization_token":"sk-1"}],"messages":` + history + `}`:                                                                                         `{"mcp_servers":[{"url":"u","authorization_token":"(left out)"}],"messages":[]}`,
		`{"input":` + history + `,"tools":[{"type":"mcp","headers":{"X-Key":"sk-2"},"authorization":"sk-3"}]}`:                                                                          `{"input":[],"tools":[{"type":"mcp","headers":"(left out)","authorization":"(left out)"}]}`,
		`{"messages":` + history + `,"tools":[{"name":"fetch","input_schema":{"properties":{"headers":{"type":"object"}}}}, {"a":1}]}`:                                                  `{"messages":[],"tools":[{"name":"fetch","input_schema":{"properties":{"headers":{"type":"object"}}}}, {"a":1}]}`,
		`{"mcp_servers":[{"type":"url","url":"https://me:pass@mcp.example:8443/s/0a1b2c3d4e5f6789/mcp?api_key=sk-4#sk-5"},{"url":"https://b.example/mcp"}],"messages":` + history + `}`: `{"mcp_servers":[{"type":"url","url":"https://mcp.example:8443/s/(left out)/mcp"},{"url":"https://b.example/mcp"}],"messages":[]}`,
		`{"input":` + history + `,"tools":[{"type":"mcp","server_url":"https://sk-6@c.example?token=sk-7"}]}`:                                                                           `{"input":[],"tools":[{"type":"mcp","server_url":"https://c.example"}]}`,
	} {
		at := strings.Index(body, history)
		r := codec.Request{Body: []byte(body), From: at, Until: at + len(history)}
		if got := string(r.Envelope()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if string(r.Body) != body {
			t.Error("the body was changed")
		}
	}
	if e := (&codec.Request{}).Envelope(); e != nil {
		t.Errorf("a request of no body has the envelope %s", e)
	}
}

// The servers that Gemini's tools name have their secrets within, at any depth; what a
// function declares is no secret.
//
// SPEC: V1, V11
func TestEnvelopeOfGeminiTools(t *testing.T) {
	for tools, want := range map[string]string{
		`[ {"mcpServers":[{"name":"s","streamableHttpTransport":{"url":"https://d.example/mcp?key=sk-1","headers":{"X-Key":"sk-2"}}}]} ]`: `[ {"mcpServers":[{"name":"s","streamableHttpTransport":{"url":"https://d.example/mcp","headers":"(left out)"}}]} ]`,
		`[{"mcp_servers":[{"streamable_http_transport":{"headers":{"X-Key":"sk-3"}}}]}]`:                                                  `[{"mcp_servers":[{"streamable_http_transport":{"headers":"(left out)"}}]}]`,
		`[{"google_maps":{"auth_config":{"api_key":"sk-4"}}}]`:                                                                            `[{"google_maps":{"auth_config":"(left out)"}}]`,
		`[{"retrieval":{"externalApi":{"endpoint":"https://e.example?k=sk-5","apiAuth":{"apiKeyConfig":{"apiKeyString":"sk-6"}}}}}]`:      `[{"retrieval":{"externalApi":{"endpoint":"https://e.example","apiAuth":"(left out)"}}}]`,
		`[{"retrieval":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}]`:                                                   `[{"retrieval":[[[[[[[["(left out)"]]]]]]]]}]`,
		`[{"exaAiSearch":{"apiKey":"sk-7"}},{"functionDeclarations":[{"name":"f","parameters":{"properties":{"headers":{}}}}]}]`:          `[{"exaAiSearch":{"apiKey":"(left out)"}},{"functionDeclarations":[{"name":"f","parameters":{"properties":{"headers":{}}}}]}]`,
	} {
		body := `{"contents":[],"tools":` + tools + `}`
		r := codec.Request{Body: []byte(body), From: len(`{"contents":`), Until: len(`{"contents":[]`)}
		if got := string(r.Envelope()); got != `{"contents":[],"tools":`+want+`}` {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What a client wrote between its messages is in the spaced envelope, and the
// messages make the same bytes again.
//
// SPEC: V1, V11
func TestRefill(t *testing.T) {
	for history, hollow := range map[string]string{
		`[{"role":"user"},{"role":"tool"}]`:               `[]`,
		"[ {\"role\":\"user\"}, {\"a\":1},\n{\"b\":2}\t]": "[ null, null,\nnull\t]",
		`[]`:      `[]`,
		`"hello"`: `null`,
		"[ ]":     "[ ]",
	} {
		body := `{"x":1, "messages": ` + history + ` }`
		at := strings.Index(body, history)
		r := codec.Request{Body: []byte(body), From: at, Until: at + len(history)}
		around := r.SpacedEnvelope()
		if want := strings.Replace(body, history, hollow, 1); string(around) != want {
			t.Errorf("got  %s\nwant %s", around, want)
		}
		messages := jsonedit.Elements([]byte(history))
		if history[0] == '"' {
			messages = [][]byte{[]byte(history)}
		}
		if got := codec.Refill(around, messages); string(got) != body {
			t.Errorf("got  %s\nwant %s", got, body)
		}
	}
	for envelope, want := range map[string]string{
		`{"messages":[null, null]}`:            `{"messages":[1, 2, 3]}`, // the thread is longer than the request
		`{"input":[]}`:                         `{"input":[1,2,3]}`,
		`{"messages":[{"role":"user"}],"x":1}`: `{"messages":[{"role":"user"}],"x":1}`, // a whole body, as versions before kept it
		`{"input":"hello"}`:                    `{"input":"hello"}`,                    // as versions before kept it
		`{"input":null}`:                       `{"input":[1,2,3]}`,
		`no JSON`:                              `no JSON`,
	} {
		if got := codec.Refill([]byte(envelope), [][]byte{[]byte("1"), []byte("2"), []byte("3")}); string(got) != want {
			t.Errorf("Refill(%s) = %s, want %s", envelope, got, want)
		}
	}
	if e := (&codec.Request{}).SpacedEnvelope(); e != nil {
		t.Errorf("a request of no body has the envelope %s", e)
	}
}
