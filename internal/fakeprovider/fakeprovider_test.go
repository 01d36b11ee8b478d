package fakeprovider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/internal/sse"
)

// Whole and streamed, an answer says the same in every API.
//
// SPEC: B6
func TestBothForms(t *testing.T) {
	call := fakeprovider.Call{ID: "call_1", Name: "read", Args: `{"path":"/srv/\"größe\" <b>😀.go","n":[1,2.50]}`}
	for name, a := range map[string]fakeprovider.Reply{
		"all":      {ID: "1", Model: "m", Thinking: "Hm, größer 😀 than it was before.", Signature: "c2ln", Text: "I <b>read</b> & \"quote\" größere Teile 😀 of it.", Calls: []fakeprovider.Call{call, {ID: "call_2", Name: "read", Args: `{}`}}, Input: 900, Cached: 300, Output: 40},
		"text":     {ID: "2", Model: "m", Text: "Done.", Input: 9, Output: 1},
		"calls":    {ID: "3", Model: "m", Calls: []fakeprovider.Call{call}, Input: 9, Output: 1},
		"thinking": {ID: "4", Model: "m", Thinking: "Hm.", Signature: "c2ln", Input: 9, Output: 1},
		"cut":      {ID: "5", Model: "m", Text: "To be or no", Cut: true, Input: 9, Output: 1},
	} {
		for api, c := range map[string]codec.Replier{"anthropic": anthropic.Codec{}, "openai": openai.Codec{}, "responses": responses.Codec{}, "gemini": gemini.Codec{}} {
			whole, err := c.Reply(200, []byte(a.Whole(api)))
			if err != nil {
				t.Fatalf("%s, %s: %v", name, api, err)
			}
			s := c.Stream()
			p := sse.NewParser(0, func(e sse.Event) error { return s.Event(e.Name, e.Data) })
			if _, err := p.Write([]byte(a.Stream(api))); err != nil {
				t.Fatalf("%s, %s: %v", name, api, err)
			}
			stream, err := s.Reply()
			if err != nil {
				t.Fatalf("%s, %s: %v", name, api, err)
			}
			if d := cmp.Diff(facts(whole), facts(stream)); d != "" {
				t.Errorf("%s, %s: %s", name, api, d)
			}
			if len(whole.Message.Calls()) != len(a.Calls) || whole.Usage.Input != a.Input || whole.Stop.Truncated() != a.Cut {
				t.Errorf("%s, %s: %+v", name, api, whole)
			}
		}
	}
}

// facts are what the two forms have in common: their JSON is written differently.
func facts(r *codec.Reply) []any {
	out := []any{r.Stop, r.Usage, len(r.Messages())}
	for _, p := range r.Message.Parts {
		out = append(out, p.Kind, p.Text, p.Signature, p.CallID, p.Name, p.Args)
	}
	return out
}
