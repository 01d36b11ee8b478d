package summary_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// teller is a summarizer that tells a story and nothing else.
type teller string

func (teller) Name() string { return "teller/1" }

func (s teller) Summarize(context.Context, summary.Input) (*summary.Structured, error) {
	return &summary.Structured{Narrative: string(s)}, nil
}

// A narrative alone is a summary. Counts of what a conversation is made of are no
// invention, as far as there may be so many; other numbers must occur.
//
// SPEC: V10
func TestNarrativeAlone(t *testing.T) {
	ms := []message.Message{message.TextOf(message.User, "Read the files under src/.")}
	for range 20 {
		ms = append(ms, message.TextOf(message.Assistant, "Reading."), message.TextOf(message.User, "Go on."))
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	var span plan.Span
	for i := range th.Len() {
		span.IDs = append(span.IDs, th.ID(i))
	}
	for text, want := range map[string]string{
		"The agent read 14 files under src/.":        "",
		"The agent ran 12 shell commands.":           "",
		"The agent read 99 files under src/.":        "99",
		"The suite has 14 tests.":                    "14",
		"It waits 30 seconds, after 12 messages.":    "30",
		"The agent read 14 files under lib/other.go": "lib/other.go",
	} {
		made, err := summary.Ask(t.Context(), teller(text), summary.Input{Thread: th, Span: span})
		if want == "" {
			if err != nil || made.Narrative != text || made.Count != th.Len() || made.Round != 1 || made.Schema != summary.Schema || made.From.N != 1 || made.To.ID != th.Tip() {
				t.Errorf("%s: %v, %+v", text, err, made)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want one about %s", text, err, want)
		}
	}
}

// SPEC: V10. Whatever a summary holds, it says something; where it comes from and what it covers says
// nothing.
func TestEmpty(t *testing.T) {
	covers := summary.Structured{Schema: summary.Schema, Round: 2, From: at(1), To: at(9), Count: 9, Apart: []int{3}}
	if !summary.Empty(&covers) {
		t.Error("what is covered says something")
	}
	about := map[string]bool{"Schema": true, "Round": true, "From": true, "To": true, "Count": true, "Apart": true}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[summary.Structured]()) {
		if about[field.Name] {
			continue
		}
		s := covers
		switch v := reflect.ValueOf(&s).Elem().FieldByIndex(field.Index); v.Kind() {
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.String:
			v.SetString("x")
		default:
			t.Fatalf("%s is of another kind", field.Name)
		}
		if summary.Empty(&s) {
			t.Errorf("a summary of %s says nothing", field.Name)
		}
	}
}
