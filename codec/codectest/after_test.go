package codectest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
)

// elements are of the messages of any dialect, and of none.
var elements = []string{
	`{"role":"user","content":"hi"}`, `{"role":"user","content":[{"type":"text","text":"é\n"},{"type":"text","text":"é\n"}]}`, `{ "role" : "user", "content":null}`, `{}`, `{"role":"assistant","content":""}`,
	`{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"c","name":"f","input":{"a":[1,{"b":"]"}]}}]}`,
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"url","url":"u"}}]}]}`,
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r","cache_control":{"type":"ephemeral"}}]}`,
	`{"role":"assistant","content":null,"refusal":"no","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"tool","tool_call_id":"c","content":"r"}`,
	`{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"e"}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`,
	`{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"r"}]}`, `{"type":"compaction_trigger"}`,
	`{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":{}}},{"functionCall":{"id":"i","name":"g"}}]}`, `{"role":"model","parts":[{"functionCall":{"name":"f"}},{"text":"é","thoughtSignature":"s"}]}`,
	`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}}]}`, `{"parts":[{"functionResponse":{"id":"i","name":"g","response":{}}},{"functionResponse":{"id":"own","name":"f","response":{"error":"e"}}}]}`,
	`1`, `12`, `"s"`, `null`, `[]`, `true`,
}

// requests draws bodies of a conversation as it goes on, is edited, cut, spaced
// otherwise and broken.
func requests(t *rapid.T, name string) []string {
	var out []string
	var es []string
	for range rapid.IntRange(2, 6).Draw(t, "requests") {
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			es = es[:len(es)*rapid.IntRange(0, 4).Draw(t, "cut")/4]
		case 1:
			if len(es) > 0 {
				es = append([]string(nil), es...)
				es[rapid.IntRange(0, len(es)-1).Draw(t, "at")] = rapid.SampledFrom(elements).Draw(t, "edited")
			}
		}
		es = append(es[:len(es):len(es)], rapid.SliceOfN(rapid.SampledFrom(elements), 0, 4).Draw(t, "more")...)
		sep := rapid.SampledFrom([]string{",", ",", " ,\n", " ", ",,"}).Draw(t, "between")
		array := fmt.Sprintf("%q:[%s%s]", name, rapid.SampledFrom([]string{"", "", "\t", ","}).Draw(t, "opening"), strings.Join(es, sep))
		members := rapid.Permutation([]string{array, `"model":"m"`, `"system":"s"`, `"tools":[{"name":"f"}]`}).Draw(t, "members")
		if rapid.IntRange(0, 9).Draw(t, "twice") == 0 {
			members = append(members, array)
		}
		body := "{" + strings.Join(members, ",") + "}"
		if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			body = rapid.SampledFrom(mutants(body, rapid.IntRange(0, len(body)-1).Draw(t, "place"))).Draw(t, "mutant")
		}
		out = append(out, body)
	}
	return out
}

// A conversation is decoded the same with and without what was decoded before,
// request after request.
//
// SPEC: V5, V11
func TestDecodeAfter(t *testing.T) {
	for _, c := range []codec.Incremental{anthropic.Codec{}, openai.Codec{}, responses.Codec{}, gemini.Codec{}} {
		t.Run(c.Name(), func(t *testing.T) {
			name := List(c.Name())
			known := 0
			rapid.Check(t, func(t *rapid.T) {
				var was []message.Message
				for _, body := range requests(t, name) {
					req, n := after(t, c, was, body)
					if req != nil {
						was, known = req.Lasting(), known+n
					}
				}
			})
			if known == 0 {
				t.Error("nothing was ever known")
			}
		})
	}
}
