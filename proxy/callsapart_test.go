package proxy_test

import (
	"fmt"
	"strings"
	"testing"
)

// OpenAI Responses takes the output of a call anywhere after it: what the user said
// between the two stays there, byte for byte, and a compaction parts no call from its
// output. Chat Completions does not, and there it is repaired.
//
// SPEC: V4, V11, WO2
func TestOutputsApart(t *testing.T) {
	between := func(calls int) (items []string) {
		items = []string{`{"type":"message","role":"user","content":[{"type":"input_text","text":"Sum the parts."}]}`}
		for n := range calls {
			out := quoted(strings.Repeat(fmt.Sprintf("row of part%d\n", n), 40))
			items = append(items,
				fmt.Sprintf(`{"type":"function_call","call_id":"call_%d", "name":"read_file","arguments":"{\"path\":\"part%d\"}"}`, n, n),
				fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Mind the blank lines of part%d."}]}`, n),
				fmt.Sprintf(`{"type":"function_call_output","call_id":"call_%d","output":%s}`, n, out))
		}
		return items
	}
	up := newProvider(t)
	o := options(up.url)
	o.Budget = 6_000
	f := serve(t, o)
	a := apiNamed(t, "responses")
	for n := 1; n < 60; n += 3 {
		body := a.body(between(n), false)
		if resp, answer := post(t, f.url+a.path, body); resp.StatusCode != 200 {
			t.Fatalf("%d calls: status %d: %s", n, resp.StatusCode, answer)
		}
		got := up.requests()
		sent := got[len(got)-1].body
		if n < 10 && sent != body {
			t.Fatalf("%d calls: %s", n, sent)
		}
		if n > 50 && len(sent) > len(body)/2 {
			t.Errorf("%d calls: %d of %d bytes", n, len(sent), len(body))
		}
		for i := range n { // what is in the prompt stands as it came
			call, output := fmt.Sprintf(`"call_id":"call_%d", "name"`, i), fmt.Sprintf(`{"type":"function_call_output","call_id":"call_%d","output":%s}`, i, quoted(strings.Repeat(fmt.Sprintf("row of part%d\n", i), 40)))
			if strings.Contains(sent, call) && strings.Contains(sent, output) && strings.Index(sent, call) > strings.Index(sent, output) {
				t.Errorf("%d calls: output %d stands before its call", n, i)
			}
		}
	}
	chat := apiNamed(t, "openai")
	body := chat.body([]string{chat.first, `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{}"}}]}`, `{"role":"user","content":"Mind the blank lines."}`, fmt.Sprintf(chat.result, "call_1", `"row"`)}, false)
	if resp, answer := post(t, f.url+chat.path, body); resp.StatusCode != 200 {
		t.Fatalf("chat: status %d: %s", resp.StatusCode, answer)
	}
	if got := up.requests(); got[len(got)-1].body == body {
		t.Error("chat: it is not repaired")
	}
}
