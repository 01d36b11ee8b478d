package codec_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
)

// An envelope is the body but for its messages and what is secret in it.
//
// SPEC: V1, V11
func TestEnvelope(t *testing.T) {
	const history = `[{"role":"user","content":"hi"}]`
	for body, want := range map[string]string{
		`{"model":"m", "messages": ` + history + ` ,"system":"s"}`:                                                                     `{"model":"m", "messages": [] ,"system":"s"}`,
		`{"mcp_servers":[{"url":"u","authorization_token":"sk-1"}],"messages":` + history + `}`:                                        `{"mcp_servers":[{"url":"u","authorization_token":"(left out)"}],"messages":[]}`,
		`{"input":` + history + `,"tools":[{"type":"mcp","headers":{"X-Key":"sk-2"},"authorization":"sk-3"}]}`:                         `{"input":[],"tools":[{"type":"mcp","headers":"(left out)","authorization":"(left out)"}]}`,
		`{"messages":` + history + `,"tools":[{"name":"fetch","input_schema":{"properties":{"headers":{"type":"object"}}}}, {"a":1}]}`: `{"messages":[],"tools":[{"name":"fetch","input_schema":{"properties":{"headers":{"type":"object"}}}}, {"a":1}]}`,
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
