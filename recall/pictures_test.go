package recall_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// A result with a picture reads as its text, line by line, and a line for the picture, to
// people and models, in the log and as an artifact; its bytes are in the raw message.
//
// SPEC: B8, V1
func TestPicturesInResultsAreNamed(t *testing.T) {
	raw := `{"type":"tool_result","content":[{"type":"text","text":"one\ntwo"},{"type":"image","data":"iVBORw0KGgo"}]}`
	const want = "one\ntwo\n[image/png]"
	p := message.Part{Kind: message.Result, CallID: "c", Raw: []byte(raw), Parts: []message.Part{
		{Kind: message.Text, Text: "one\ntwo"}, {Kind: message.Media, MediaType: "image/png", Raw: []byte(`{"type":"image","data":"iVBORw0KGgo"}`)},
	}}
	if got := recall.Text(p); got != want {
		t.Errorf("%q", got)
	}
	if got := recall.Text(message.Part{Kind: message.Result, Parts: []message.Part{{Kind: message.Media}}}); got != "[picture or file]" {
		t.Errorf("%q", got)
	}
	s := memory.New()
	es := thread.Extend("", []message.Message{
		message.TextOf(message.User, "look"),
		{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c", Name: "shot", Args: "{}"}}},
		{Role: message.Tool, Raw: []byte(raw), Parts: []message.Part{p}},
	})
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	th, _ := thread.New(es)
	a := artifact.Of(es[2].ID, 1, []byte(raw))
	a.Created = now
	_, r := planned(t, s, th, []artifact.Artifact{a}, plan.Record{
		Action: plan.Externalize, Artifact: a.ID, Text: "a shot", Span: plan.Span{IDs: []thread.ID{es[2].ID}, Part: 1},
	})
	for _, ref := range []string{"#3", "#3/1", a.ID} {
		if got, err := r.Read(ctx, ref, recall.Range{From: 2, To: 3}); err != nil || got.Text != "two\n[image/png]" || got.Lines != 3 {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
		if got, failed := (recall.ToolHandler{Who: artifact.Requester{Tenant: key.Tenant}}).Answer(ctx, r, "precis_read", json.RawMessage(`{"id":"`+ref+`"}`)); failed || !strings.Contains(got, want+"\n") {
			t.Errorf("%s: %s", ref, got)
		}
	}
	if got, err := r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile("two|iVBOR")}); err != nil || len(got.Hits) != 1 || got.Hits[0].Line != 2 {
		t.Errorf("%+v, %v", got.Hits, err)
	}
}
