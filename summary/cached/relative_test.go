package cached

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/thread"
)

// said are messages to summarize: some users', some rounds.
func said(n int) []message.Message {
	var ms []message.Message
	for i := range n {
		switch i % 4 {
		case 0:
			ms = append(ms, message.TextOf(message.User, fmt.Sprintf("Never use port %d00. Please fix src/part%d.go.", i+10, i)))
		case 1:
			ms = append(ms, calls("edit", fmt.Sprintf(`{"path":"src/part%d.go"}`, i)))
		case 2:
			ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: ms[i-1].Parts[0].CallID, Parts: []message.Part{{Kind: message.Text, Text: "ok"}}}}})
		default:
			ms = append(ms, message.TextOf(message.Assistant, fmt.Sprintf("I decided to keep build-%d00 because it is smaller.", i+10)))
		}
	}
	return ms
}

// placed is a thread with prefix messages of its own before ms, and the span of
// ms in it; with gap, another message stands in the middle, outside of the span.
func placed(t testing.TB, prefix int, gap bool, ms []message.Message) (*thread.Thread, plan.Span) {
	t.Helper()
	var all []message.Message
	for i := range prefix {
		all = append(all, message.TextOf(message.User, fmt.Sprintf("prefix %d of %d", i, prefix)))
	}
	all = append(all, ms[:len(ms)/2]...)
	if gap {
		all = append(all, message.TextOf(message.User, "pinned and kept"))
	}
	all = append(all, ms[len(ms)/2:]...)
	th, span := testspan.Of(t, all)
	middle := prefix + len(ms)/2
	if gap {
		span.IDs = append(span.IDs[:middle:middle], span.IDs[middle+1:]...)
	}
	span.IDs = span.IDs[prefix:]
	return th, span
}

// drawIn draws a summary whose every source is in the span.
func drawIn(t *rapid.T, th *thread.Thread, span plan.Span) *summary.Structured {
	from := func() summary.Source {
		id := rapid.SampledFrom(span.IDs).Draw(t, "source")
		i, _ := th.Find(id)
		return summary.Source{ID: id, N: i + 1}
	}
	s := &summary.Structured{Schema: summary.Schema, Round: 1, From: from(), To: from(), Count: 3}
	items := rapid.IntRange(0, 3).Draw(t, "items")
	for range items {
		s.Facts = append(s.Facts, summary.Fact{Kind: summary.Plain, Text: "x", From: from()})
		s.Task, s.LastDone = &summary.Note{Text: "x", From: from()}, &summary.Note{Text: "y", From: from()}
		s.Plan = append(s.Plan, summary.Step{Text: "x", From: from()})
		s.Open = append(s.Open, summary.OpenItem{Text: "x", From: from()})
		s.Errors = append(s.Errors, summary.Failure{Text: "x", From: from()}, summary.Failure{Text: "x", Fix: "y", Fixed: from(), From: from()})
		s.Errors = append(s.Errors, summary.Failure{Text: "x", Why: &summary.Note{Text: "y", From: from()}, From: from()})
		s.Effects = append(s.Effects, summary.Effect{Note: summary.Note{Text: "x", From: from()}})
		s.Files = append(s.Files, summary.File{Path: "x", From: from()}, summary.File{Path: "y", From: from(), Undone: &summary.Undoing{
			After: from(), In: from(), Call: from(), Why: &summary.Note{Text: "y", From: from()},
		}, Restores: []summary.Restore{{After: from(), In: from()}, {In: from()}}, Made: from()})
		d := summary.Decision{Text: "x", From: from()}
		d.Turn = rapid.IntRange(0, 20).Draw(t, "turn")
		s.Decisions = append(s.Decisions, d)
		s.Commands = append(s.Commands, summary.Command{Line: "x", From: from()}, summary.Command{Line: "y", Said: &summary.Note{Text: "y", From: from()}, From: from()})
		s.Requests = append(s.Requests, summary.Request{Text: "x", Ended: from(), Failed: from(), From: from()})
		s.Notes = append(s.Notes, summary.Note{Text: "x", From: from()})
		s.Outcomes = append(s.Outcomes, summary.ToolOutcome{Tool: "x", From: from()})
		s.Artifacts = append(s.Artifacts, summary.Artifact{ID: "x", From: from()})
		s.Ledger = append(s.Ledger, summary.Mention{Value: "x", From: from()})
	}
	if items > 0 {
		drawsAll(t, reflect.ValueOf(*s))
	}
	return s
}

// drawsAll fails where a list or a pointer of a summary that is stored is not drawn.
func drawsAll(t *rapid.T, v reflect.Value) {
	for i := range v.NumField() {
		kind := v.Field(i).Kind()
		if field := v.Type().Field(i); (kind == reflect.Slice || kind == reflect.Pointer) && field.Tag.Get("json") != "-" && v.Field(i).IsNil() {
			t.Fatalf("%s is not drawn", field.Name)
		}
	}
}

// sources are all the sources of a value, found by their type.
func sources(v reflect.Value, f func(summary.Source)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			sources(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			sources(v.Index(i), f)
		}
	case reflect.Struct:
		if s, ok := v.Interface().(summary.Source); ok {
			f(s)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				sources(v.Field(i), f)
			}
		}
	}
}

// SPEC: L18. toRelative leaves no id behind, in no field; toAbsolute gives it back as it
// was; neither changes its argument; a source outside of the span is refused.
func TestToRelative(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		th, span := placed(t, rapid.IntRange(0, 5).Draw(rt, "prefix"), rapid.Bool().Draw(rt, "gap"), said(12))
		s := drawIn(rt, th, span)
		before, _ := json.Marshal(s)
		d, err := toRelative(s, th, span)
		if err != nil {
			rt.Fatal(err)
		}
		sources(reflect.ValueOf(d), func(at summary.Source) {
			if at.ID != "" || at.N < 0 || at.N > len(span.IDs) {
				rt.Fatalf("source %+v is left", at)
			}
		})
		detached, _ := json.Marshal(d)
		back, err := toAbsolute(d, th, span)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			rt.Fatal(diff)
		}
		if after, _ := json.Marshal(s); string(after) != string(before) {
			rt.Fatal("toRelative changed its argument")
		}
		if after, _ := json.Marshal(d); string(after) != string(detached) {
			rt.Fatal("toAbsolute changed its argument")
		}
		short := span
		short.IDs = nil
		if _, err := toRelative(s, th, short); !errors.Is(err, errOutside) {
			rt.Fatalf("detached from an empty span: %v", err)
		}
		if _, err := toAbsolute(d, th, short); !errors.Is(err, errOutside) {
			rt.Fatalf("attached to an empty span: %v", err)
		}
		if _, err := toAbsolute(s, th, span); !errors.Is(err, errOutside) {
			rt.Fatalf("attached what is not detached: %v", err)
		}
	})
}

// SPEC: L18, L6. A summary made on one thread holds on another with an equal span
// elsewhere: it verifies there, is what would have been made there, and hashes
// alike as an earlier summary.
func TestToAbsoluteElsewhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ms := said(rapid.IntRange(2, 24).Draw(rt, "messages"))
		a, spanA := placed(t, rapid.IntRange(0, 6).Draw(rt, "prefix"), false, ms)
		b, spanB := placed(t, rapid.IntRange(0, 6).Draw(rt, "other prefix"), rapid.Bool().Draw(rt, "gap"), ms)
		s := extracted(rt, a, spanA)
		d, err := toRelative(s, a, spanA)
		if err != nil {
			rt.Fatal(err)
		}
		moved, err := toAbsolute(d, b, spanB)
		if err != nil {
			rt.Fatal(err)
		}
		if err := summary.Verify(moved, b, spanB, moved); err != nil {
			rt.Fatal(err)
		}
		if diff := apart(extracted(rt, b, spanB), moved); diff != "" {
			rt.Fatal(diff)
		}
		hashA, errA := contentHash(a, spanA, []*summary.Structured{s})
		hashB, errB := contentHash(b, spanB, []*summary.Structured{nil, moved})
		if errA != nil || errB != nil || hashA != hashB {
			rt.Fatalf("hashes %s (%v), %s (%v)", hashA, errA, hashB, errB)
		}
	})
}

// apart is how a summary differs from one made on its thread: but for the rank of
// identifiers, which counts the messages between them that are not in the span.
func apart(want, got *summary.Structured) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(summary.Structured{}, "Ledger"))
}

func extracted(t rapid.TB, th *thread.Thread, span plan.Span) *summary.Structured {
	t.Helper()
	s, err := extract.Summarizer{}.Summarize(context.Background(), summary.Input{Thread: th, Span: span})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func calls(name, args string) message.Message {
	return message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c" + args, Name: name, Args: args}}}
}
