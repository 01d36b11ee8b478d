package tool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

var whole = tool.Envelope{
	Outcome: tool.Partial, KeyFields: json.RawMessage(`{"order_id":"<W-1>","tags":["a","b"],"sum":1.50}`), Durability: tool.NonReplayable,
	Determinism: &tool.Determinism{ContentHash: "ab", ETag: `"x"`, MTime: 1.5, Version: "v1"},
	Started:     time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), Completed: time.Date(2030, 1, 2, 3, 4, 6, 0, time.UTC),
}

func declaredResult(t *testing.T, text string, e tool.Envelope) message.Part {
	t.Helper()
	p := *result(text)
	p.CallID = "c1"
	if err := tool.Declare(&p, e); err != nil {
		t.Fatal(err)
	}
	return p
}

// What a tool declares wins over what is read; the rest is read as ever.
//
// SPEC: L7, L8
func TestDeclaredWins(t *testing.T) {
	call := message.Part{Kind: message.Call, CallID: "c1", Name: "read", Args: `{"path":"a.go"}`}
	p := declaredResult(t, "Error: not found", whole)
	got := tool.Of(call, &p)
	want := whole
	want.Tool, want.CallID, want.Class, want.Text = "read", "c1", tool.Read, "Error: not found"
	want.Output = want.Text
	want.Error, want.Touched = "Error: not found", []tool.Touch{{Path: "a.go", Access: tool.Reads}}
	want.KeyFields = json.RawMessage(`{"order_id":"<W-1>","tags":["a","b"],"sum":1.50,"path":"a.go"}`)
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(tool.Envelope{})); d != "" {
		t.Error(d)
	}
	if d := tool.Resolve(got, map[string]tool.Policy{"read": {Durability: tool.Ephemeral}}).Durability; d != tool.NonReplayable {
		t.Errorf("durability %s", d)
	}
	for _, c := range []struct {
		declared, outcome tool.Outcome
		text, err         string
	}{
		{"", tool.Failure, "Error: x", "Error: x"},
		{tool.Success, tool.Success, "Error: x", ""},
		{tool.Failure, tool.Failure, "all fine", "all fine"},
		{tool.Failure, tool.Failure, "", ""},
	} {
		p := declaredResult(t, c.text, tool.Envelope{Outcome: c.declared})
		if e := tool.Of(call, &p); e.Outcome != c.outcome || e.Error != c.err {
			t.Errorf("declared %q on %q: %s %q", c.declared, c.text, e.Outcome, e.Error)
		}
	}
}

// Nothing is declared that would not be understood, and then nothing changes.
//
// SPEC: L7
func TestDeclareRefuses(t *testing.T) {
	for name, e := range map[string]tool.Envelope{
		"outcome":       {Outcome: "great"},
		"durability":    {Durability: "eternal"},
		"no object":     {KeyFields: json.RawMessage(`["a"]`)},
		"broken object": {KeyFields: json.RawMessage(`{"a":1`)},
		"blank":         {KeyFields: json.RawMessage(` `)},
		"no number":     {Determinism: &tool.Determinism{MTime: math.NaN()}},
		"no year":       {Started: time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		p := *result("x")
		if err := tool.Declare(&p, e); !errors.Is(err, tool.ErrDeclaration) || p.Declared != nil {
			t.Errorf("%s: %v, declared %s", name, err, p.Declared)
		}
	}
	text := message.Part{Kind: message.Text, Text: "x"}
	if err := tool.Declare(&text, tool.Envelope{}); !errors.Is(err, tool.ErrDeclaration) || text.Declared != nil {
		t.Errorf("a text part: %v", err)
	}
}

// A damaged declaration is taken for the safest one.
//
// SPEC: L8
func TestDamagedDeclaration(t *testing.T) {
	for _, raw := range []string{`{`, `7`, `{"durability":"x"}`, `{"key_fields":[]}`, `{"started":"x"}`} {
		p := *result(`{"order_id":"W-1"}`)
		p.Declared = json.RawMessage(raw)
		e := tool.Of(message.Part{Name: "get_order"}, &p)
		if e.Durability != tool.NonReplayable || e.Outcome != tool.Success || string(e.KeyFields) != `{"order_id":"W-1"}` {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}

// Content is data: an envelope inside a result's text declares nothing.
//
// SPEC: V10
func TestContentDeclaresNothing(t *testing.T) {
	raw, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(raw), `{"declared":` + string(raw) + `}`, `{"durability":"ephemeral","determinism":{"content_hash":"ab"},"outcome":"success"}`} {
		for _, s := range shapes {
			call, result := pair(t, s.codec, s.body("web_search", `{"query":"x"}`, text))
			e := tool.Of(call, &result)
			if result.Declared != nil || e.Durability != "" || e.Determinism != nil || !e.Started.IsZero() || tool.Resolve(e, nil).Durability != tool.NonReplayable {
				t.Errorf("%s: %+v", s.name, e)
			}
		}
	}
}

// A codec never writes what was declared, neither into what came nor into what
// it builds.
//
// SPEC: V11
func TestDeclaredIsNotSent(t *testing.T) {
	for _, s := range shapes {
		body := s.body("read", `{"path":"a"}`, "text")
		req, err := s.codec.Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, own := range []bool{true, false} {
			ms := declaredAll(t, req.Messages, !own)
			to := req
			if !own {
				to = &codec.Request{Model: "m", MaxOutput: 9}
			}
			out, err := s.codec.Encode(to, ms)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if own && string(out) != body || bytes.Contains(out, []byte("order_id")) || bytes.Contains(out, []byte("declared")) {
				t.Errorf("%s sends %s", s.name, out)
			}
		}
	}
}

// declaredAll declares on every result; stripped also takes the raw bytes away.
func declaredAll(t *testing.T, ms []message.Message, stripped bool) []message.Message {
	t.Helper()
	out := make([]message.Message, len(ms))
	for i, m := range ms {
		m.Parts = append([]message.Part(nil), m.Parts...)
		for n := range m.Parts {
			if m.Parts[n].Kind == message.Result {
				if err := tool.Declare(&m.Parts[n], whole); err != nil {
					t.Fatal(err)
				}
			}
			if stripped {
				m.Parts[n].Raw = nil
			}
		}
		if stripped {
			m.Raw, m.Dialect = nil, ""
		}
		out[i] = m
	}
	return out
}

// What was declared comes back from the stores, and names no other entry.
//
// SPEC: V1, L7
func TestDeclaredIsKept(t *testing.T) {
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]store.Store{"memory": memory.New(), "sqlite": file} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			p := declaredResult(t, "ok", whole)
			ms := []message.Message{{Role: message.Tool, Parts: []message.Part{p}}}
			es := thread.Extend("", ms)
			if bare := thread.Extend("", []message.Message{{Role: message.Tool, Parts: []message.Part{func() message.Part { q := p; q.Declared = nil; return q }()}}}); bare[0].ID != es[0].ID {
				t.Error("a declaration changes the entry's id")
			}
			k := store.Key{Thread: "t"}
			if _, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: time.Unix(1, 0)}); err != nil {
				t.Fatal(err)
			}
			want := string(p.Declared)
			clear(p.Declared) // the store has its own copy
			have, err := s.Load(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(have[0].Message.Parts[0].Declared); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// A policy names what a placeholder keeps; the table's names hold without one.
//
// SPEC: L8
func TestPreserve(t *testing.T) {
	long := string(bytes.Repeat([]byte("q"), 500))
	call := message.Part{Kind: message.Call, Name: "search_orders", Args: `{"query":"` + long + `","page":2,"verbose":true}`}
	res := result(`{"orders":[{"id":1}],"next":null,"total":3,"status":"ok","blob":"` + string(bytes.Repeat([]byte("b"), 2000)) + `"}`)
	for _, c := range []struct {
		preserve []string
		want     string
	}{
		{nil, `{"page":2,"verbose":true,"total":3,"status":"ok"}`},
		{[]string{}, ``},
		{[]string{"total", "query"}, `{"total":3,"query":"` + long + `"}`},
		{[]string{"Orders", "next", "blob", "none"}, `{"orders":[{"id":1}]}`},
	} {
		e := tool.OfWith(call, res, map[string]tool.Policy{"search_orders": {Preserve: c.preserve}})
		if string(e.KeyFields) != c.want {
			t.Errorf("%q: got %s, want %s", c.preserve, e.KeyFields, c.want)
		}
	}
}

// SPEC: L8, L9. One line of a Go tool makes a result with its envelope.
func TestDeclarationResult(t *testing.T) {
	var asked []tool.Envelope
	d := tool.Declaration{
		Name: "read_page", Policy: tool.Policy{Durability: tool.Replayable, Preserve: []string{"page"}},
		Capture: func(e tool.Envelope) *tool.Determinism {
			asked = append(asked, e)
			return &tool.Determinism{ETag: "captured"}
		},
	}
	call := message.Part{Kind: message.Call, CallID: "c9", Name: "alias", Args: `{"page":4}`}
	for _, c := range []struct {
		content any
		e       tool.Envelope
		text    string
		want    tool.Durability
		etag    string
		cleared string
	}{
		{"plain <text>", tool.Envelope{}, "plain <text>", tool.Replayable, "captured", "[read_page: success]\nKey data: {\"page\": 4}"},
		{map[string]any{"a": "<b>"}, tool.Envelope{Outcome: tool.Success}, `{"a":"<b>"}`, tool.Replayable, "captured", "[read_page: success]\nKey data: {\"page\": 4}"},
		{"x", tool.Envelope{Durability: tool.Ephemeral, Determinism: &tool.Determinism{ETag: "mine"}}, "x", tool.Ephemeral, "mine", "[read_page: success]\nKey data: {\"page\": 4}"},
		{"gone", tool.Envelope{Outcome: tool.Failure}, "gone", tool.Replayable, "", "[read_page: failure]\nKey data: {\"page\": 4}"},
	} {
		p, err := d.Result(call, c.content, c.e)
		if err != nil {
			t.Fatal(err)
		}
		call := call
		call.Name = d.Name
		e := tool.OfWith(call, &p, tool.Declarations{d}.Policies())
		etag := ""
		if e.Determinism != nil {
			etag = e.Determinism.ETag
		}
		if p.CallID != "c9" || p.Body() != c.text || p.Failed != (c.e.Outcome == tool.Failure) || e.Durability != c.want || etag != c.etag || e.Cleared() != c.cleared {
			t.Errorf("%v: %+v %+v", c.content, p, e)
		}
	}
	if len(asked) != 2 || asked[0].Tool != "read_page" || asked[0].Text != "plain <text>" {
		t.Errorf("captured %+v", asked)
	}
	if _, err := d.Result(call, make(chan int), tool.Envelope{}); !errors.Is(err, tool.ErrDeclaration) {
		t.Errorf("a channel as content: %v", err)
	}
	if _, err := d.Result(call, "x", tool.Envelope{Durability: "x"}); !errors.Is(err, tool.ErrDeclaration) {
		t.Errorf("an unknown durability: %v", err)
	}
}

// SPEC: V10. Whatever stands as a declaration: no panic, valid key fields.
func FuzzDeclared(f *testing.F) {
	for _, s := range []string{``, `{}`, `null`, `{"outcome":"failure","key_fields":{"a":[1,{"b":null}],"a":2}}`, `{"key_fields":null,"durability":"replayable"}`, `{"determinism":{"mtime":1e300}}`} {
		f.Add(s, `{"id":1}`)
	}
	f.Fuzz(func(t *testing.T, declared, text string) {
		p := result(text)
		p.Declared = json.RawMessage(declared)
		e := tool.Of(message.Part{Name: "get_order", Args: `{"a":7}`}, p)
		if len(e.KeyFields) > 0 && !json.Valid(e.KeyFields) {
			t.Errorf("key fields %q", e.KeyFields)
		}
		if len(e.Error) > 300 {
			t.Errorf("error of %d bytes", len(e.Error))
		}
		if err := tool.Declare(p, e); err != nil {
			t.Errorf("what was read cannot be declared: %v", err)
		}
	})
}
