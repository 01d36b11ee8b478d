package recall_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

var (
	ctx = context.Background()
	key = store.Key{Tenant: "t", Thread: "talk"}
	now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// sample is a thread of six messages: a question, two tool rounds in
// Anthropic's manner, and an answer.
func sample() []message.Message {
	call := func(id, name, args string) message.Part {
		return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
	}
	result := func(id, text string) message.Part {
		return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}
	}
	return []message.Message{
		message.TextOf(message.User, "Why does the build fail?"),
		{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: "I look."}, call("c1", "Bash", `{"cmd":"make"}`)}},
		{Role: message.User, Parts: []message.Part{result("c1", "cc main.c\nmain.c:7: error: x\nmake: *** [all] Error 1\n")}},
		{Role: message.Assistant, Parts: []message.Part{call("c2", "Read", `{"path":"main.c"}`)}},
		{Role: message.User, Parts: []message.Part{result("c2", "int main() {\n  return x;\n}")}},
		message.TextOf(message.Assistant, "x is not declared."),
	}
}

// open logs the sample with a plan of two versions: version 1 cuts the first
// result; version 2 summarizes messages 2 to 3 and externalizes the second
// result.
func open(t *testing.T) (*recall.Reader, *memory.Store, *plan.Plan, *plan.Plan) {
	t.Helper()
	s := memory.New()
	es := thread.Extend("", sample())
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Source: "test", Now: now}); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	art := artifact.Of(es[4].ID, 1, []byte("int main() {\n  return x;\n}"))
	art.Tool, art.Created, art.TTL = "Read", now, time.Hour
	own := artifact.Of(es[4].ID, 0, []byte("diagram: alpha\ndiagram: beta\n"))
	own.Created = now
	commit := func(v int, arts []artifact.Artifact, records ...plan.Record) *plan.Plan {
		p, err := plan.Build(plan.Plan{Thread: key.Thread, Base: th.Tip(), Version: v, ThreadVersion: th.Len(), Records: records}, th)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(ctx, key, p, arts); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p1 := commit(1, nil, plan.Record{
		Action: plan.Replace, Kind: plan.Preview, Text: "cut", Reason: "large", Saves: 9,
		Span: plan.Span{IDs: []thread.ID{es[2].ID}, Part: 1},
	})
	p2 := commit(2, []artifact.Artifact{art, own},
		plan.Record{Action: plan.Summarize, Text: "it failed", Span: plan.Span{IDs: []thread.ID{es[1].ID, es[2].ID}, FirstTurn: 1, LastTurn: 1}},
		plan.Record{Action: plan.Externalize, Artifact: art.ID, Text: "source", Span: plan.Span{IDs: []thread.ID{es[4].ID}, Part: 1}})
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	return r, s, p1, p2
}

// SPEC: B8, V9. An artifact of a part that its message does not have, as one of an older form of
// the message may be, is searched like any other.
func TestArtifactOfNoPart(t *testing.T) {
	r, _, _, _ := open(t)
	for i := range r.Artifacts {
		r.Artifacts[i].Part = 99
	}
	got, err := r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile("diagram: beta"), Source: recall.FromArtifacts})
	if err != nil || len(got.Hits) != 1 {
		t.Errorf("%d hits, %v", len(got.Hits), err)
	}
}

// SPEC: B8, V1, V10
func TestRead(t *testing.T) {
	r, _, p1, p2 := open(t)
	e := func(n int) string { return string(r.Thread.At(n - 1).ID) }
	result := "cc main.c\nmain.c:7: error: x\nmake: *** [all] Error 1\n"
	for _, c := range []struct {
		ref, want string
		in        recall.Range
	}{
		{ref: "#1", want: "Why does the build fail?"},
		{ref: "1", want: "Why does the build fail?"},
		{ref: "#2", want: "[#2/1 text]\nI look.\n[#2/2 tool_call Bash]\n{\"cmd\":\"make\"}\n"},
		{ref: "#2/2", want: `{"cmd":"make"}`},
		{ref: "2/1", want: "I look."},
		{ref: "#3", want: result},
		{ref: e(3), want: result},
		{ref: e(3) + "/1", want: result},
		{ref: e(3)[:8], want: result},
		{ref: " #3 ", want: result},
		{ref: p1.Records[0].ID, want: result}, // of an older plan
		{ref: p2.Records[0].ID, want: "[#2 assistant]\n[#2/1 text]\nI look.\n[#2/2 tool_call Bash]\n{\"cmd\":\"make\"}\n[#3 tool]\n" + result},
		{ref: p2.Records[1].ID, want: "int main() {\n  return x;\n}"},
		{ref: p2.Records[1].ID[:7], want: "int main() {\n  return x;\n}"},
		{ref: p2.Records[1].Artifact, want: "int main() {\n  return x;\n}"},
		{ref: "#3", want: "main.c:7: error: x\n", in: recall.Range{From: 2, To: 2}},
		{ref: "#3", want: "make: *** [all] Error 1\n", in: recall.Range{From: 3}},
		{ref: "#3", want: "cc main.c\n", in: recall.Range{To: 1}},
		{ref: "#3", want: "cc main.c\n", in: recall.Range{Max: 12}},
		{ref: "#3", want: "cc m", in: recall.Range{Max: 4}},
		{ref: "#3", want: "ain", in: recall.Range{Max: 3, Skip: 4}},
		{ref: "#3", want: result, in: recall.Range{To: 99}},
	} {
		got, err := r.Read(ctx, c.ref, c.in)
		if err != nil || got.Text != c.want {
			t.Errorf("Read(%q, %+v) = %q, %v; want %q", c.ref, c.in, got.Text, err, c.want)
		}
	}
}

// SPEC: V10
func TestMisses(t *testing.T) {
	r, s, _, _ := open(t)
	for _, ref := range []string{
		"", "#", "#0", "#7", "-1", "#2/3", "#2/0", "#2/x", "#2/2/2", "r000000000000", "r", "a000000000000", "abc",
		"123456789", "ghijklmnop", "#99999999999999999999", "\x00", "précis",
	} {
		if p, err := r.Read(ctx, ref, recall.Range{}); !errors.Is(err, recall.ErrMiss) {
			t.Errorf("Read(%q) = %q, %v; want a miss", ref, p.Text, err)
		}
		if _, err := r.Describe(ctx, ref); !errors.Is(err, recall.ErrMiss) {
			t.Errorf("Describe(%q): %v; want a miss", ref, err)
		}
	}
	for _, in := range []recall.Range{{From: 4}, {From: 3, To: 2}, {Skip: 9999}, {Skip: -1}} {
		if _, err := r.Read(ctx, "#3", in); !errors.Is(err, recall.ErrMiss) {
			t.Errorf("Read(#3, %+v): %v; want a miss", in, err)
		}
	}
	if _, err := r.List("secrets", 0, 0); !errors.Is(err, recall.ErrMiss) {
		t.Errorf("List(secrets): %v", err)
	}
	// What another tenant holds is not there, whatever its name.
	if _, err := recall.Open(ctx, s, store.Key{Tenant: "u", Thread: "talk"}, now); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Open as another tenant: %v", err)
	}
	// An id of another thread means nothing here.
	other := store.Key{Tenant: "t", Thread: "other"}
	if _, err := s.Append(ctx, other, store.Batch{Entries: thread.Extend("", sample()[5:]), Now: now}); err != nil {
		t.Fatal(err)
	}
	o, err := recall.Open(ctx, s, other, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{string(r.Thread.At(2).ID), r.Plan.Records[0].ID, r.Artifacts[0].ID} {
		if _, err := o.Read(ctx, ref, recall.Range{}); !errors.Is(err, recall.ErrMiss) {
			t.Errorf("Read(%q) in another thread: %v; want a miss", ref, err)
		}
	}
}

// SPEC: L16
func TestExpired(t *testing.T) {
	r, s, _, p2 := open(t)
	late, err := recall.Open(ctx, s, key, now.Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	id := p2.Records[1].Artifact
	if _, err := late.Read(ctx, id, recall.Range{}); !errors.Is(err, recall.ErrExpired) {
		t.Errorf("Read of an expired artifact: %v", err)
	}
	if c, err := r.Describe(ctx, id); err != nil || !c.Expires.Equal(now.Add(time.Hour)) {
		t.Errorf("Describe = %+v, %v", c, err)
	}
}

func TestGrep(t *testing.T) {
	r, _, _, _ := open(t)
	for _, c := range []struct {
		q    recall.Query
		want []string
	}{
		{recall.Query{Pattern: regexp.MustCompile(`error|Error`)}, []string{
			"#3/1 tool Bash summarize 2 main.c:7: error: x", "#3/1 tool Bash summarize 3 make: *** [all] Error 1",
		}},
		{recall.Query{Pattern: regexp.MustCompile(`main`), Tool: "Read"}, []string{
			`#4/1 assistant Read whole 1 {"path":"main.c"}`, "#5/1 tool Read externalize 1 int main() {",
		}},
		{recall.Query{Pattern: regexp.MustCompile(`x`), Role: message.Assistant}, []string{"#6/1 assistant  whole 1 x is not declared."}},
		{recall.Query{Pattern: regexp.MustCompile(`main`), Ref: "#4"}, []string{`#4/1 assistant Read whole 1 {"path":"main.c"}`}},
		{recall.Query{Pattern: regexp.MustCompile(`make`), Ref: r.Plan.Records[0].ID}, []string{
			`#2/2 assistant Bash summarize 1 {"cmd":"make"}`, "#3/1 tool Bash summarize 3 make: *** [all] Error 1",
		}},
		{recall.Query{Pattern: regexp.MustCompile(`return`), Ref: r.Plan.Records[1].Artifact}, []string{
			r.Plan.Records[1].Artifact + "  Read  2   return x;",
		}},
		{recall.Query{Pattern: regexp.MustCompile(`^diagram: b`)}, []string{
			r.Artifacts[0].ID + " tool  externalize 2 diagram: beta", // not the text of its message
		}},
		{recall.Query{Pattern: regexp.MustCompile(`error`), Width: 8}, []string{"#3/1 tool Bash summarize 2 … error: …"}},
	} {
		got, err := r.Grep(ctx, c.q)
		if err != nil {
			t.Errorf("Grep(%+v): %v", c.q, err)
			continue
		}
		var lines []string
		for _, h := range got.Hits {
			lines = append(lines, fmt.Sprintf("%s %s %s %s %d %s", h.Ref, h.Role, h.Tool, h.State, h.Line, h.Text))
		}
		if d := cmp.Diff(c.want, lines); d != "" {
			t.Errorf("Grep(%v, %+v): %s", c.q.Pattern, c.q, d)
		}
	}
	if _, err := r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile(`nowhere`)}); !errors.Is(err, recall.ErrMiss) {
		t.Errorf("Grep of nothing: %v", err)
	}
	h, err := r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile(`.`), Max: 2, Context: 1})
	if err != nil || len(h.Hits) != 2 || h.Total < 9 {
		t.Errorf("Grep bounded: %d of %d, %v", len(h.Hits), h.Total, err)
	}
	h, err = r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile(`^main`), Context: 1})
	if err != nil || !cmp.Equal(h.Hits[0].Before, []string{"cc main.c"}) || !cmp.Equal(h.Hits[0].After, []string{"make: *** [all] Error 1"}) {
		t.Errorf("Grep with context: %+v, %v", h, err)
	}
}

func TestDescribe(t *testing.T) {
	r, _, p1, p2 := open(t)
	for ref, want := range map[string]recall.Description{
		"#3": {
			Ref: "#3", Kind: "message", ID: string(r.Thread.At(2).ID), Number: 3, Turn: 1, Role: message.Tool, Tool: "Bash",
			Bytes: 53, Lines: 3, First: "cc main.c", State: "summarize", Records: []string{p2.Records[0].ID},
		},
		"#5/1": {
			Ref: "#5/1", Kind: "part", ID: string(r.Thread.At(4).ID), Number: 5, Turn: 2, Role: message.Tool, Type: "tool_result",
			Tool: "Read", CallID: "c2", Bytes: 26, Lines: 3, First: "int main() {", State: "externalize", Records: []string{p2.Records[1].ID},
		},
		p1.Records[0].ID: {
			Ref: p1.Records[0].ID, Kind: "record", ID: p1.Records[0].ID, Number: 3, To: 3, Turn: 1, Action: "preview", Reason: "large",
			Saves: 9, Version: 1, Now: "cut", Bytes: 53, Lines: 3, First: "cc main.c",
		},
	} {
		got, err := r.Describe(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("Describe(%s): %s", ref, d)
		}
	}
	c, err := r.Describe(ctx, "#2")
	if err != nil || len(c.Parts) != 2 || c.Parts[1].Tool != "Bash" {
		t.Errorf("Describe(#2) = %+v, %v", c, err)
	}
}

func TestList(t *testing.T) {
	r, _, _, _ := open(t)
	for _, c := range []struct {
		kind                string
		from, limit         int
		number, total, next int
	}{
		{"messages", 0, 0, 6, 6, 0},
		{"messages", 1, 2, 2, 6, 3},
		{"messages", 9, 2, 0, 6, 0},
		{"messages", -3, -1, 6, 6, 0},
		{"records", 0, 1, 1, 2, 1},
		{"artifacts", 0, 0, 2, 2, 0},
	} {
		got, err := r.List(c.kind, c.from, c.limit)
		if err != nil || len(got.Cards) != c.number || got.Total != c.total || got.Next != c.next {
			t.Errorf("List(%s, %d, %d) = %d cards, %d, %d, %v", c.kind, c.from, c.limit, len(got.Cards), got.Total, got.Next, err)
		}
	}
}

func TestCovering(t *testing.T) {
	r, _, p1, p2 := open(t)
	for ref, want := range map[string]string{
		"#1": "", "#2": p2.Records[0].ID, "#2/1": p2.Records[0].ID, "#5": p2.Records[1].ID, "#5/1": p2.Records[1].ID,
		p2.Records[0].ID: p2.Records[0].ID, p1.Records[0].ID: "", r.Artifacts[1].ID: p2.Records[1].ID,
	} {
		p, err := r.Find(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, rec := range r.Covering(p) {
			got += rec.ID
		}
		if got != want {
			t.Errorf("Covering(%s) = %q, want %q", ref, got, want)
		}
	}
}

// Pages joined are the text, whatever the text and the bounds; no page is
// larger than asked for, and characters stay whole where they fit.
//
// SPEC: B8
func TestPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringOf(rapid.SampledFrom([]rune("ab\n\n é☃𝄞"))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		).Draw(t, "text")
		limit := rapid.IntRange(1, 40).Draw(t, "max")
		s := memory.New()
		if _, err := s.Append(ctx, key, store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, text)}), Now: now}); err != nil {
			t.Fatal(err)
		}
		r, err := recall.Open(ctx, s, key, now)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for in := (recall.Range{Max: limit}); ; {
			p, err := r.Read(ctx, "#1", in)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Text) > limit {
				t.Fatalf("page of %d bytes, at most %d", len(p.Text), limit)
			}
			b.WriteString(p.Text)
			if in.Skip = p.Next; p.Next == 0 {
				break
			}
		}
		if b.String() != text {
			t.Fatalf("pages make %q, want %q", b.String(), text)
		}
		var lines strings.Builder
		whole, _ := r.Read(ctx, "#1", recall.Range{Max: -1})
		for n := 1; n <= whole.Lines; n++ {
			p, err := r.Read(ctx, "#1", recall.Range{From: n, To: n, Max: -1})
			if err != nil {
				t.Fatal(err)
			}
			lines.WriteString(p.Text)
		}
		if lines.String() != text {
			t.Fatalf("lines make %q, want %q", lines.String(), text)
		}
	})
}

// FuzzFind: no reference makes Find panic, and what it finds is in the thread.
func FuzzFind(f *testing.F) {
	s := memory.New()
	if _, err := s.Append(ctx, key, store.Batch{Entries: thread.Extend("", sample()), Now: now}); err != nil {
		f.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"#1", "12", "#2/2", "r123456", "a123456", "#", "/", "#1/", "☃", string(r.Thread.At(0).ID)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		p, err := r.Find(ctx, ref)
		if err != nil {
			if !errors.Is(err, recall.ErrMiss) {
				t.Fatalf("Find(%q): %v", ref, err)
			}
			return
		}
		if p.Index < 0 || p.Index >= r.Thread.Len() || p.Part > len(r.Thread.At(p.Index).Message.Parts) {
			t.Fatalf("Find(%q) = %+v", ref, p)
		}
	})
}

func BenchmarkGrep(b *testing.B) {
	var ms []message.Message
	for i := range 1000 {
		ms = append(ms, message.TextOf(message.User, strings.Repeat(fmt.Sprintf("line %d of the log with some words\n", i), 30)))
	}
	s := memory.New()
	if _, err := s.Append(ctx, key, store.Batch{Entries: thread.Extend("", ms), Now: now}); err != nil {
		b.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		b.Fatal(err)
	}
	q := recall.Query{Pattern: regexp.MustCompile(`line 99\d of`)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Grep(ctx, q); err != nil {
			b.Fatal(err)
		}
	}
}
