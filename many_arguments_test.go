package precis_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
)

// Arguments that are large by many short values are cut, too: the newest round stays with its
// result, whatever it wrote, and what is short in its arguments stands.
//
// SPEC: B3, V4, V2
func TestArgumentsOfManyShortValues(t *testing.T) {
	many := func(form string) string {
		all := make([]string, 3000)
		for i := range all {
			all[i] = strings.ReplaceAll(form, "%d", fmt.Sprint(i))
		}
		return strings.Join(all, ",")
	}
	for name, args := range map[string]string{
		"rows":        `{"table":"ports","rows":[` + many(`[%d,"v%d",%d.5]`) + `]}`,
		"edits":       `{"table":"ports","edits":[` + many(`{"old":"a%d","new":"b%d"}`) + `]}`,
		"two members": `{"table":"ports","rows":[` + many(`[%d,%d]`) + `],"more":{"rows":[` + many(`[%d,%d]`) + `]}}`,
		"members":     `{"table":"ports",` + many(`"v%d":%d`) + `}`,
		"a list":      `["ports",` + many(`[%d,%d]`) + `]`,
	} {
		for _, preset := range []string{"balanced", "ladder", "session", "timeline", "truncate", "clip"} {
			t.Run(name+"/"+preset, func(t *testing.T) {
				s := newSession(t, preset)
				ms := append(work(20, 20), says(words("inserting"), asks("c_last", args)), answers("c_last", words("inserted all of them")))
				turn, members := s.prepare(request("t", ms, 8000)), name != "members" && name != "a list"
				args, result := "", ""
				for _, m := range turn.Messages {
					for _, p := range m.Parts {
						switch {
						case p.CallID == "c_last" && p.Kind == message.Call:
							args = p.Args
						case p.CallID == "c_last":
							result = p.Body()
						}
					}
				}
				if result != "inserted all of them" || !json.Valid([]byte(args)) || !strings.Contains(args, " left out; ") {
					t.Errorf("the newest round is %.300q with %q", args, result)
				}
				if stands := strings.HasPrefix(args, `{"table":"ports",`); stands != members {
					t.Errorf("what is short stands: %t in %.300s", stands, args)
				}
				if turn.Compacted < 1000 {
					t.Errorf("%d tokens of 8000", turn.Compacted)
				}
			})
		}
	}
}

// What a tool takes as free text is cut as text: the model does not see it in a form that it
// never wrote.
//
// SPEC: B3, V3
func TestFreeTextIsCutAsText(t *testing.T) {
	patch := "*** Begin Patch\n*** Update File: src/app.go\n"
	for n := range 1500 {
		patch += fmt.Sprintf("+line %d says \"this\"\n", n)
	}
	patch += "*** End Patch"
	quoted, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		codec codec.Codec
		body  string
	}{
		{responses.Codec{}, `{"model":"gpt-5","input":[{"type":"message","role":"user","content":"patch it"},{"type":"custom_tool_call","call_id":"x","name":"apply_patch","input":` + string(quoted) + `},{"type":"custom_tool_call_output","call_id":"x","output":"Done"}]}`},
		{openai.Codec{}, `{"model":"gpt-5","messages":[{"role":"user","content":"patch it"},{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"custom","custom":{"name":"apply_patch","input":` + string(quoted) + `}}]},{"role":"tool","tool_call_id":"x","content":"Done"}]}`},
	} {
		req, err := c.codec.Decode([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		turn := newSession(t, "balanced").prepare(request("t", req.Messages, 2000))
		body, err := c.codec.Encode(req, turn.Messages)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(body); !strings.Contains(text, `"input":"*** Begin Patch\n*** Update File`) || !strings.Contains(text, " left out; ") || len(text) > 10_000 {
			t.Errorf("%.600s", text)
		}
	}
}
