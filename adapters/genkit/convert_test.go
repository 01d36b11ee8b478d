package genkit

import (
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A message that stands in a prompt is the same pointer; one with a part that is not
// known stands in every prompt; one that is shortened keeps its refs and metadata. Calls
// without refs are paired by their order.
//
// SPEC: B26
func TestOwnMessagesStand(t *testing.T) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	pages := errand.Errand{Pages: 60, Lines: 40}
	strange := ai.NewUserMessage(ai.NewTextPart("a map"), ai.NewCustomPart(map[string]any{"depth": 3.0}))
	req := &ai.ModelRequest{Messages: []*ai.Message{ai.NewUserTextMessage(pages.Task()), ai.NewModelTextMessage("Yes."), strange}}
	for n := range 40 {
		call := ai.NewToolRequestPart(&ai.ToolRequest{Name: errand.ReadPage, Input: map[string]any{"page": n}})
		call.Metadata = map[string]any{"signature": []byte("signed")}
		req.Messages = append(req.Messages, ai.NewModelMessage(call),
			ai.NewMessage(ai.RoleTool, map[string]any{"ours": true}, ai.NewToolResponsePart(&ai.ToolResponse{Name: errand.ReadPage, Output: pages.Page(n + 1)})))
	}
	step := adapt.New(e, adapt.Options{Thread: "t", Budget: 6000}).Conversation("").Step(t.Context(), request(req, ""))
	shown := adapt.Write(t.Context(), step, req.Messages, build)
	own, stands, stranges, calls, results := map[*ai.Message]bool{}, 0, 0, 0, 0
	for _, m := range req.Messages {
		own[m] = true
	}
	for _, m := range shown {
		if own[m] {
			stands++
		}
		if m == strange {
			stranges++
		}
		for _, p := range m.Content {
			switch {
			case p.IsToolRequest():
				calls++
				if p.ToolRequest.Ref != "" || p.Metadata["signature"] == nil {
					t.Errorf("a call became another: %+v", p)
				}
			case p.IsToolResponse():
				results++
				if p.ToolResponse.Ref != "" || m.Metadata["ours"] == nil {
					t.Errorf("a result became another: %+v of %+v", p.ToolResponse, m.Metadata)
				}
			}
		}
	}
	if len(shown) >= len(req.Messages) || stands < 4 || stranges != 1 || calls != results {
		t.Errorf("%d of %d messages are shown, %d of them as they came; %d calls, %d results; the part that is not known stands %d times",
			len(shown), len(req.Messages), stands, calls, results, stranges)
	}
}

// A message or a part that is missing is nothing to stumble over: it stands.
func TestMissingMessageStands(t *testing.T) {
	for _, own := range []*ai.Message{nil, {Role: ai.RoleUser, Content: []*ai.Part{nil}}, {Role: "oracle"}} {
		if m := neutral(own, new(adapt.IDs)); !m.Fixed() {
			t.Errorf("%+v", m)
		}
	}
}

// The cap of a reply is read of any configuration that has it by that name.
func TestMaxOutput(t *testing.T) {
	for want, config := range map[int]any{
		0: nil, 7: &ai.GenerationCommonConfig{MaxOutputTokens: 7}, 8: map[string]any{"maxOutputTokens": 8}, 9: struct {
			MaxOutputTokens int32 `json:"maxOutputTokens"`
		}{9},
	} {
		if got := maxOutput(config); got != want {
			t.Errorf("%+v: %d, want %d", config, got, want)
		}
	}
}
