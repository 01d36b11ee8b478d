package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/token/bpe"
)

// The server is as strict as the task needs it to be.
//
// SPEC: V3, V4
func TestServerRefuses(t *testing.T) {
	tokens, err := bpe.Counter("o200k")
	if err != nil {
		t.Fatal(err)
	}
	s := server{window: 200, tokens: tokens}
	const start = `{"model":"gpt-4o","messages":[{"role":"user","content":"order 1: fetch the manifest"}`
	for name, c := range map[string]struct{ body, want string }{
		"fits":              {start + `]}`, "tool_calls"},
		"not JSON":          {start, "Invalid request"},
		"call unanswered":   {start + `,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`, "WO1"},
		"arguments cut":     {start + `,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{"}}]},{"role":"tool","tool_call_id":"c","content":""}]}`, "args"},
		"prompt too long":   {start + `,{"role":"user","content":"` + strings.Repeat("word ", 200) + `"}]}`, "context_length_exceeded"},
		"no room to answer": {start + `],"max_completion_tokens":190}`, "context_length_exceeded"},
		"capped":            {start + `],"max_completion_tokens":5}`, "length"},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer := s.complete([]byte(c.body))
			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if refused := strings.Contains(string(text), `"error"`); refused != (status != http.StatusOK) || !strings.Contains(string(text), c.want) {
				t.Errorf("status %d, %s: want %s", status, text, c.want)
			}
		})
	}
}

// An answer is cut where the room ends: first calls, then text, each from its
// end, and what is left is never more than there is room for.
//
// SPEC: G2
func TestCut(t *testing.T) {
	tokens, err := bpe.Counter("o200k")
	if err != nil {
		t.Fatal(err)
	}
	s := server{tokens: tokens}
	whole := chatMessage{Role: "assistant", Content: "I look up the permit of heron-02.", ToolCalls: []chatCall{
		{ID: "call_1", Type: "function", Function: grep("one")}, {ID: "call_2", Type: "function", Function: grep("two")},
	}}
	size := s.message(whole)
	for room := 2; room <= size; room++ {
		m := whole
		m.ToolCalls = append([]chatCall(nil), whole.ToolCalls...)
		if cut := s.cut(&m, room); cut != (room < size) {
			t.Errorf("room %d of %d: cut %t", room, size, cut)
		}
		if s.message(m) > room || !strings.HasPrefix(string(whole.Content), string(m.Content)) {
			t.Errorf("room %d: %d tokens: %+v", room, s.message(m), m)
		}
		if len(m.ToolCalls) > 0 && m.Content != whole.Content {
			t.Errorf("room %d: calls, but not all of the text: %+v", room, m)
		}
	}
	if fmt.Sprint(whole.ToolCalls[1].Function) != fmt.Sprint(grep("two")) {
		t.Error("cut changed what it was not given")
	}
}

// The model knows what its prompt says, and no more.
func TestModel(t *testing.T) {
	const order = "order 5: commission tern-05 at gate g-17 with the permit of heron-02"
	brief := "label suffix: aa\nclosed gate: g-17\ndetour gate: g-30"
	known := brief + "\nberth of tern-05: b-1, 9 m deep\npermit of heron-02: p-1"
	tool := chatRequest{}
	if err := json.Unmarshal([]byte(`{"tools":[{"function":{"name":"precis_grep"}}]}`), &tool); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		says  []string
		tools bool
		want  string // in its first call, or in what it says
	}{
		"known":             {[]string{known, order}, false, `{"berth":"b-1","gate":"g-30","label":"tern-05-aa","permit":"p-1","station":"tern-05"}`},
		"last word counts":  {[]string{known, "permit of heron-02: p-2", order}, false, `"permit":"p-2"`},
		"correction counts": {[]string{known, "Correction: permit of heron-02: p-2", "permit of heron-02: p-1", order}, false, `"permit":"p-2"`},
		"nothing known":     {[]string{order}, false, "I cannot find the closed gate."},
		"looked up":         {[]string{brief, order}, true, `berth of tern-05: `},
		"wary":              {[]string{known, "[2 messages omitted]", order}, true, `^Correction: `},
		"refused":           {[]string{known, order, "order 5 was refused: the permit is not \"p-1\""}, false, "was refused"},
		"no order":          {[]string{known}, false, "I cannot find my order."},
	} {
		t.Run(name, func(t *testing.T) {
			req := chatRequest{}
			if c.tools {
				req.Tools = tool.Tools
			}
			for _, text := range c.says {
				req.Messages = append(req.Messages, chatMessage{Role: "user", Content: chatText(text)})
			}
			got, calls := respond(req)
			if len(calls) > 0 {
				got = calls[0].Arguments
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// No body breaks the server, and the same body gets the same answer.
func FuzzServer(f *testing.F) {
	tokens, err := bpe.Counter("o200k")
	if err != nil {
		f.Fatal(err)
	}
	s := server{window: 300, tokens: tokens}
	for _, content := range []string{`"order 1: fetch the manifest"`, `null`, `[{"type":"text","text":"order 3: report"}]`, `""`} {
		f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":` + content + `}],"tools":[{"type":"function","function":{"name":"precis_grep"}}]}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		status, answer := s.complete(body)
		again, same := s.complete(body)
		if status != again || fmt.Sprint(answer) != fmt.Sprint(same) {
			t.Errorf("%d %v, then %d %v", status, answer, again, same)
		}
	})
}
