package adk

import (
	"testing"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A content that stands in a prompt is the agent's own pointer, and a part that is not
// known stands in every prompt; the API takes no neighbours of one role, so it may stand
// in a content with others. What is not compacted at all is the request itself.
//
// SPEC: B26
func TestOwnContentsStand(t *testing.T) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	pages := errand.Errand{Pages: 60, Lines: 40}
	strange := &genai.Content{Role: genai.RoleUser, Parts: []*genai.Part{
		genai.NewPartFromText("a map"), {PartMetadata: map[string]any{"depth": 3.0}},
	}}
	req := &model.LLMRequest{Contents: []*genai.Content{genai.NewContentFromText(pages.Task(), genai.RoleUser), genai.NewContentFromText("Yes.", genai.RoleModel), strange}}
	show := func() []*genai.Content {
		c, asked := read(req, "scripted-1")
		if c.body == nil {
			t.Fatal("the contents were not read")
		}
		step := adapt.New(e, adapt.Options{Thread: "t", Budget: 6000}).Conversation("").Step(t.Context(), asked)
		return c.shown(step.Prompt).Contents
	}
	if short := show(); &short[0] != &req.Contents[0] {
		t.Error("a short conversation was made anew")
	}
	for n := range 40 {
		signed := genai.NewPartFromFunctionCall(errand.ReadPage, map[string]any{"page": n})
		signed.ThoughtSignature = []byte("signed")
		req.Contents = append(req.Contents,
			&genai.Content{Role: genai.RoleModel, Parts: []*genai.Part{signed}},
			&genai.Content{Role: genai.RoleUser, Parts: []*genai.Part{genai.NewPartFromFunctionResponse(errand.ReadPage, map[string]any{"result": pages.Page(n + 1)})}})
	}
	shown, own, stands, strangers := show(), map[*genai.Content]bool{}, 0, 0
	for _, c := range req.Contents {
		own[c] = true
	}
	for _, c := range shown {
		if own[c] {
			stands++
		}
		for _, p := range c.Parts {
			if p.PartMetadata["depth"] == 3.0 {
				strangers++
			}
		}
	}
	if len(shown) >= len(req.Contents) || stands < 2 || strangers != 1 {
		t.Errorf("%d of %d contents are shown, %d of them the agent's own; the part that is not known stands %d times", len(shown), len(req.Contents), stands, strangers)
	}
	if last := shown[len(shown)-1]; last != req.Contents[len(req.Contents)-1] {
		t.Errorf("the last content is another: %+v", last)
	}
	if call := shown[len(shown)-2]; string(call.Parts[0].ThoughtSignature) != "signed" {
		t.Errorf("a call without its signature: %+v", call)
	}
}
