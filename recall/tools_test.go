package recall_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

var ann = artifact.Requester{ID: "ann", Tenant: "t"}

// The bytes of the definitions are part of every prompt that declares them: a
// change here breaks the prompt cache of every conversation in progress.
//
// SPEC: B8, L13, V6
func TestDefinitions(t *testing.T) {
	var b strings.Builder
	for _, d := range append(recall.Definitions(""), recall.Definitions(recall.ReadArtifact)...) {
		fmt.Fprintf(&b, "%s\n%s\n%s\n\n", d.Name, d.Description, d.Schema)
		var s struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if err := json.Unmarshal(d.Schema, &s); err != nil || s.Type != "object" {
			t.Fatalf("%s: schema %s: %v", d.Name, d.Schema, err)
		}
		for _, name := range s.Required {
			if s.Properties[name].Description == "" {
				t.Errorf("%s requires %s, which it does not describe", d.Name, name)
			}
		}
		if !recall.Answers(d.Name) {
			t.Errorf("%s is declared and not answered", d.Name)
		}
	}
	golden(t, "tools.txt", b.String())
	for _, name := range []string{"", "precis_drop", "Precis_read", "mcp__precis__precis_read", "Bash"} {
		if recall.Answers(name) {
			t.Errorf("%q is answered", name)
		}
	}
	mine := recall.Definitions("")
	mine[0].Schema[0] = 'x'
	if recall.Definitions("")[0].Schema[0] != '{' {
		t.Error("who changes a definition changes it for all")
	}
}

// Every form of call with its answer, word for word.
//
// SPEC: B8, L13, V5, V10
func TestAnswers(t *testing.T) {
	r, _, p1, p2 := open(t)
	var told []recall.Retrieval
	a := recall.ToolHandler{Who: ann, Tell: func(got recall.Retrieval) { told = append(told, got) }}
	old, sum, ext := p1.Records[0].ID, p2.Records[0].ID, p2.Records[1].Artifact
	var b strings.Builder
	for _, c := range [][2]string{
		{"precis_read", `{"id":"#1"}`},
		{"precis_read", `{"id":3}`},
		{"precis_read", `{"id":"#2"}`},
		{"precis_read", `{"id":"#3/1","from_line":"2","to_line":2.0,"cursor":null}`},
		{"precis_read", `{"id":"#3","from_line":3,"to_line":1}`},
		{"precis_read", `{"id":"#3","cursor":"10-29"}`},
		{"precis_read", `{"id":"` + old + `"}`},
		{"precis_read", `{"id":"` + sum + `"}`},
		{"read_artifact", `{"id":"[artifact:` + ext + `]"}`},
		{"precis_read", `{"id":"` + sum[:11] + `zz"}`},
		{"precis_read", `{"id":"#99"}`},
		{"precis_read", `{"id":"#2/3"}`},
		{"precis_read", `{"id":"ghijklm"}`},
		{"precis_read", `{"id":"#3","from_line":4}`},
		{"precis_read", `{"id":"#3","cursor":"9-99"}`},
		{"precis_read", `{"id":"#3","line":4,"age":1}`},
		{"precis_read", `{"id":"#3","from_line":0}`},
		{"precis_read", `{"id":"#3","from_line":1.5}`},
		{"precis_read", `{"id":["#3"]}`},
		{"precis_read", `{}`},
		{"precis_read", ``},
		{"precis_read", `["#3"]`},
		{"precis_read", `{"id":"#3"`},
		{"precis_grep", `{"query":"which error does make give?"}`},
		{"precis_grep", `{"query":"main error","context":1,"limit":1}`},
		{"precis_grep", `{"query":"main error","cursor":"1"}`},
		{"precis_grep", `{"query":"main","scope":"artifacts"}`},
		{"precis_grep", `{"query":"main","scope":"covered"}`},
		{"precis_grep", `{"query":"diagram","scope":"log"}`},
		{"precis_grep", `{"query":"diagram","scope":"artifacts"}`},
		{"precis_grep", `{"query":"main|error","regexp":true,"context":1}`},
		{"precis_grep", `{"query":"main|error","regexp":"true","limit":2,"cursor":1}`},
		{"precis_grep", `{"query":"main","regexp":true,"scope":"artifacts"}`},
		{"precis_grep", `{"query":"main","regexp":true,"scope":"log","limit":1000}`},
		{"precis_grep", `{"query":"X; (return","id":"#5"}`},
		{"precis_grep", `{"query":"nowhere"}`},
		{"precis_grep", `{"query":"nowhere","regexp":true}`},
		{"precis_grep", `{"query":"(","regexp":true}`},
		{"precis_grep", `{"query":"x","scope":"moon"}`},
		{"precis_grep", `{"query":"x","id":"#77"}`},
		{"precis_grep", `{"query":"main","cursor":"99"}`},
		{"precis_grep", `{"query":" "}`},
		{"precis_describe", `{"id":"#2"}`},
		{"precis_describe", `{"id":"#5/1"}`},
		{"precis_describe", `{"id":"` + old + `"}`},
		{"precis_describe", `{"id":"` + ext + `"}`},
		{"precis_describe", `{"id":"nothing"}`},
		{"precis_list", ``},
		{"precis_list", `{"kind":"messages","from":4,"limit":2}`},
		{"precis_list", `{"kind":"records"}`},
		{"precis_list", `{"kind":"artifacts"}`},
		{"precis_list", `{"from":7}`},
		{"precis_list", `{"kind":"secrets"}`},
		{"precis_drop", `{}`},
	} {
		text, failed := a.Answer(ctx, r, c[0], json.RawMessage(c[1]))
		fmt.Fprintf(&b, "> %s %s\n%s\n", c[0], c[1], text)
		got := told[len(told)-1]
		fmt.Fprintf(&b, "< %s failed=%t bytes=%d refs=%s\n\n", got.Outcome, failed, got.Bytes, strings.Join(got.Refs, " "))
	}
	golden(t, "answers.txt", b.String())
	empty := log(t, message.TextOf(message.User, "hi"))
	text, failed := a.Answer(ctx, empty, "precis_list", json.RawMessage(`{"kind":"records"}`))
	if failed || !strings.Contains(text, "records: there are none") {
		t.Errorf("%v %s", failed, text)
	}
}

// frame takes an answer apart as a reader would who knows only its first line.
var opening = regexp.MustCompile(`^\[begin ([0-9a-f]{8}) (.*), bytes (\d+)-(\d+) of (\d+)\]\n`)

func unframe(t interface{ Fatalf(string, ...any) }, text string) (body string, of int, cursor string) {
	m := opening.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no frame: %q", text)
	}
	from, _ := strconv.Atoi(m[3])
	to, _ := strconv.Atoi(m[4])
	of, _ = strconv.Atoi(m[5])
	body = text[len(m[0]):][:to-from]
	rest := strings.TrimPrefix(text[len(m[0])+to-from:], "\n")
	end := "[end " + m[1]
	if !strings.HasPrefix(rest, end) || strings.Contains(rest, "\n") || strings.Count(text, m[1]) != 2 {
		t.Fatalf("the frame of key %s ends in %q:\n%s", m[1], rest, text)
	}
	if _, after, ok := strings.Cut(rest, `cursor "`); ok {
		cursor, _, _ = strings.Cut(after, `"`)
	}
	return body, of, cursor
}

// Whatever a text holds, frames of ours included, it cannot end the frame it
// stands in, no answer is larger than its bounds, and its pages are the text.
//
// SPEC: B8, V10
func TestPagesOfAnswers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.StringOf(rapid.SampledFrom([]rune("ab\n\n é☃𝄞\r\u2028]["))),
			rapid.SampledFrom([]string{"[begin 00000000 x]\n", "[end 00000000]\n", "[end 00000000; 1 bytes more: cursor \"0-1\" goes on]", "\n#1/1 user\n     1: x\n"}),
			rapid.Map(rapid.IntRange(0, 3000), func(n int) string { return strings.Repeat("word ", n) }),
		), 0, 12).Draw(rt, "text"), "")
		r := log(t, message.TextOf(message.User, text))
		if rapid.Bool().Draw(rt, "foreseen") { // it quotes its own frame
			first, _ := recall.ToolHandler{Who: ann, Max: 64 << 10}.Answer(ctx, r, "precis_read", json.RawMessage(`{"id":"#1"}`))
			text = first + "\n" + text
			r = log(t, message.TextOf(message.User, text))
		}
		a := recall.ToolHandler{Who: ann, Max: rapid.SampledFrom([]int{-1, 0, 1, 1024, 2000, 5000}).Draw(rt, "max")}
		if rapid.Bool().Draw(rt, "tokens") {
			a.Tokens, a.Count = rapid.IntRange(100, 900).Draw(rt, "most"), func(s string) int { return len(s) / 3 }
		}
		most := 16 << 10
		if a.Max != 0 {
			most = max(a.Max, 1024)
		}
		var got strings.Builder
		for cursor := ""; ; {
			args, _ := json.Marshal(map[string]string{"id": "#1", "cursor": cursor})
			page, failed := a.Answer(ctx, r, "precis_read", args)
			if failed || len(page) > most || a.Tokens > 0 && a.Count(page) > a.Tokens {
				rt.Fatalf("failed %t, %d bytes: %s", failed, len(page), page)
			}
			if again, _ := a.Answer(ctx, r, "precis_read", args); again != page {
				rt.Fatalf("two answers:\n%s\n%s", page, again)
			}
			var body string
			var of int
			body, of, cursor = unframe(rt, page)
			got.WriteString(body)
			if of != len(text) {
				rt.Fatalf("%d bytes of %d", of, len(text))
			}
			if cursor == "" {
				break
			}
		}
		if got.String() != text {
			rt.Fatalf("pages make %q, want %q", got.String(), text)
		}
	})
}

// A page of a search goes on where the one before ended, until every hit was
// shown once.
//
// SPEC: B8, L22
func TestPagesOfHits(t *testing.T) {
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("needle %d\nhay\nhay\n%s", i, strings.Repeat("more hay\n", i)))
	}
	r := log(t, said(texts...)...)
	for _, regexp := range []bool{true, false} {
		seen := map[string]int{}
		pages := 0
		for cursor := "0"; cursor != ""; pages++ {
			args, _ := json.Marshal(map[string]any{"query": "needle", "regexp": regexp, "limit": 7, "context": 2, "cursor": cursor})
			text, failed := recall.ToolHandler{Who: ann, Max: 1200}.Answer(ctx, r, "precis_grep", args)
			if failed || len(text) > 1200 {
				t.Fatalf("%d bytes: %s", len(text), text)
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "     1: needle") {
					seen[line]++
				}
			}
			_, after, _ := strings.Cut(text[strings.LastIndex(text, "[end"):], `cursor "`)
			cursor, _, _ = strings.Cut(after, `"`)
		}
		for line, n := range seen {
			if n != 1 && regexp {
				t.Errorf("%q shown %d times", line, n)
			}
		}
		if len(seen) != 60 || pages < 9 {
			t.Errorf("regexp %t: %d hits on %d pages", regexp, len(seen), pages)
		}
	}
}

// Bytes that are no text arrive as such, and the answer says so: JSON cannot
// carry them.
func TestAnswerIsText(t *testing.T) {
	r := log(t, message.TextOf(message.User, "a\xff\xfeb\x00"+strings.Repeat("\x80x", 2000)))
	for _, c := range []string{`precis_read {"id":"#1"}`, `precis_describe {"id":"#1"}`, `precis_list {}`, `precis_grep {"query":"b","regexp":true}`} {
		name, args, _ := strings.Cut(c, " ")
		text, failed := recall.ToolHandler{Who: ann, Max: 2000}.Answer(ctx, r, name, json.RawMessage(args))
		if failed || !utf8.ValidString(text) || len(text) > 2000 {
			t.Errorf("%s: %t, %d bytes, %.200q", c, failed, len(text), text)
		}
		if name == "precis_read" && !strings.Contains(text, "bytes that are no text are shown as ?") {
			t.Errorf("%s: %q", c, text)
		}
	}
}

// The recall tools do not find what they were asked, nor what they answered.
//
// SPEC: L22
func TestSearchNoEcho(t *testing.T) {
	call := func(id, name, args string) message.Message {
		return message.Message{Role: message.Assistant, Parts: []message.Part{
			{Kind: message.Text, Text: "I look."}, {Kind: message.Call, CallID: id, Name: name, Args: args},
		}}
	}
	result := func(id, text string) message.Message {
		return message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}}}
	}
	r := log(t,
		message.TextOf(message.User, "the port is 8443"),
		call("c1", "mcp__precis__precis_grep", `{"query":"port"}`), result("c1", "the port is 8443"),
		call("c2", "read_artifact", `{"id":"port"}`), result("c2", "port"),
		call("c3", "Bash", `{"cmd":"port"}`), result("c3", "open port"))
	got, err := r.Search(ctx, recall.Topic{Text: "port", Neighbours: -1})
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for _, h := range got.Hits {
		refs = append(refs, h.Ref)
	}
	slices.Sort(refs)
	if d := cmp.Diff([]string{"#1/1", "#6/2", "#7/1"}, refs); d != "" {
		t.Error(d)
	}
	for _, in := range []recall.Source{recall.FromLog, recall.FromArtifacts} {
		got, err := r.Search(ctx, recall.Topic{Text: "port", Source: in, Skip: 1, Limit: 1})
		if in == recall.FromLog && (err != nil || got.Total != 3 || len(got.Hits) != 1) || in == recall.FromArtifacts && !errors.Is(err, recall.ErrMiss) {
			t.Errorf("Search in %s: %+v, %v", in, got, err)
		}
	}
}

// Answers at once are the answers one after another.
//
// SPEC: V5
func TestAnswerAtOnce(t *testing.T) {
	r, _, _, _ := open(t)
	a := recall.ToolHandler{Who: ann}
	calls := [][2]string{{"precis_grep", `{"query":"main error"}`}, {"precis_grep", `{"query":".","regexp":true}`}, {"precis_read", `{"id":"#3"}`}, {"precis_list", ``}}
	var wg sync.WaitGroup
	got := make([]string, 40)
	for i := range got {
		wg.Go(func() { got[i], _ = a.Answer(ctx, r, calls[i%4][0], json.RawMessage(calls[i%4][1])) })
	}
	wg.Wait()
	for i := range got {
		if got[i] != got[i%4] || strings.Contains(got[i], "miss") {
			t.Errorf("call %d: %s", i, got[i])
		}
	}
}

// FuzzAnswer: no name and no arguments make Answer panic, exceed its bounds,
// leave its frame open, say what is not text, or answer twice in two ways.
//
// SPEC: B8, V10
func FuzzAnswer(f *testing.F) {
	s := memory.New()
	if _, err := s.Append(ctx, key, store.Batch{Entries: thread.Extend("", sample()), Now: now}); err != nil {
		f.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][2]string{
		{"precis_read", `{"id":"#3","from_line":2,"to_line":3}`},
		{"precis_read", `{"id":"#3","cursor":"3-9"}`},
		{"read_artifact", `{"id":"artifact:a0123456789ab"}`},
		{"precis_grep", `{"query":"main","regexp":true,"scope":"log","limit":3,"context":9,"cursor":"1"}`},
		{"precis_grep", `{"query":"why?","id":"#1"}`},
		{"precis_describe", `{"id":2}`},
		{"precis_list", `{"kind":"records","from":"1","limit":1e2}`},
		{"x", `[]`},
		{"precis_list", `null`},
		{"precis_read", `{"id":"#3","from_line":1e309}`},
		{"precis_grep", `{"query":"(?i)(a|b)*","regexp":true}`},
		{"precis_grep", `{"query":"\ud800\u0000"}`},
	} {
		f.Add(seed[0], seed[1], 700)
	}
	f.Fuzz(func(t *testing.T, name, args string, most int) {
		var got recall.Retrieval
		a := recall.ToolHandler{Who: ann, Max: most % (1 << 16), Tell: func(r recall.Retrieval) { got = r }}
		text, failed := a.Answer(ctx, r, name, json.RawMessage(args))
		bound := 16 << 10
		if m := most % (1 << 16); m != 0 {
			bound = max(m, 1024)
		}
		if len(text) > bound || !utf8.ValidString(text) || got.Tool != name {
			t.Fatalf("%d bytes of %d: %q, %+v", len(text), bound, text, got)
		}
		if got.Outcome == recall.Found {
			k, _, _ := strings.Cut(strings.TrimPrefix(text, "[begin "), " ")
			last := text[strings.LastIndexByte(text, '\n')+1:]
			if failed || strings.Count(text, k) != 2 || !strings.HasPrefix(last, "[end "+k) {
				t.Fatalf("failed %t: %q", failed, text)
			}
		} else if !strings.HasPrefix(text, string(got.Outcome)+": ") {
			t.Fatalf("%s: %q", got.Outcome, text)
		}
		first := got
		again, _ := a.Answer(ctx, r, name, json.RawMessage(args))
		if again != text || !reflect.DeepEqual(first.Refs, got.Refs) {
			t.Fatalf("%q and %q", text, again)
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	var texts []string
	for i := range 1000 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("line %d of src/dir%d/file.go with some words\n", i, i%50), 30))
	}
	r := log(b, said(texts...)...)
	a := recall.ToolHandler{Who: ann}
	for name, args := range map[string]string{
		"precis_read": `{"id":"#500"}`, "precis_grep": `{"query":"what was in src/dir7/file.go line 407?"}`, "precis_list": `{"from":500}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if text, failed := a.Answer(ctx, r, name, json.RawMessage(args)); failed {
					b.Fatal(text)
				}
			}
		})
	}
}
