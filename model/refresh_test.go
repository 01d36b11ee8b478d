package model

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// The embedded table is what the writer of refreshed ones writes.
func TestTableIsAsWritten(t *testing.T) {
	f, err := parseFile(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(f.text(), data) {
		t.Error("models.json is written differently")
	}
}

// listed is a catalog as models.dev publishes it.
const listed = `{
"anthropic": {"id": "anthropic", "models": {
  "claude-opus-4-5": {"limit": {"context": 300000, "output": 64000}, "cost": {"input": 4, "output": 20, "cache_read": 0.4, "cache_write": 5}, "modalities": {"input": ["text", "image"], "output": ["text"]}},
  "claude-opus-4-5-20251101": {"limit": {"context": 1, "output": 1}, "cost": {"input": 999, "output": 1}, "modalities": {"output": ["text"]}},
  "claude-opus-7-20270101": {"limit": {"context": 2000000, "output": 256000}, "cost": {"input": 8, "output": 40}, "modalities": {"output": ["text"]}},
  "claude-free-preview": {"limit": {"context": 2000000, "output": 1}, "cost": {}, "modalities": {"output": ["text"]}}}},
"openai": {"models": {
  "gpt-7": {"limit": {"context": 3000000, "input": 2900000, "output": 1000}, "cost": {"input": 1, "output": 2, "tiers": [{"input": 2, "output": 3, "tier": {"type": "context", "size": 272000}}]}, "modalities": {"output": ["text"]}},
  "gpt-image-9": {"limit": {"context": 9}, "cost": {"input": 1}, "modalities": {"output": ["image"]}},
  "nameless": {"limit": {"context": 9}, "cost": {"input": 1}, "modalities": {"output": ["text"]}}}},
"google": {"models": {"gemini-9-pro": {"limit": {"context": 1048576, "output": 1000}, "cost": {"input": 1, "output": 2, "context_over_200k": {"input": 2, "output": 3}}, "modalities": {"output": ["text"]}}}},
"reseller": {"models": {"gpt-4o": {"limit": {"context": 7}, "cost": {"input": 1}, "modalities": {"output": ["text"]}}}}}`

// A catalog changes windows and prices and nothing else; new models of known
// families come with the rules of their relatives, but their tokens are estimated.
func TestRefresh(t *testing.T) {
	out, err := Refresh([]byte(listed))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Refresh([]byte(listed)); err != nil || !bytes.Equal(out, again) {
		t.Errorf("%v: other bytes the second time", err)
	}
	table, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(table.Names()) - len(embedded().Names()); n != 3 {
		t.Errorf("%d new models", n)
	}
	was, _ := Lookup("claude-opus-4-5")
	want := was
	want.Window, want.Images, want.Price = 300_000, 600, Price{In: 4, Out: 20, Read: .4, Write: 5, WriteLong: 8}
	if got, ok := table.Lookup("claude-opus-4-5"); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	opus, _ := table.Lookup("claude-opus-7")
	if like, _ := Lookup("claude-opus-5-5"); opus.Guess || opus.Thinking != like.Thinking || opus.Cache != like.Cache || opus.Window != 2_000_000 || opus.Price.Read != 0 {
		t.Errorf("%+v", opus)
	}
	gpt, _ := table.Lookup("gpt-7")
	if gpt.Encoding != "" || gpt.Scale != 1 || gpt.Input != 2_900_000 || gpt.Above != 272_000 || gpt.PriceAbove.In != 2 {
		t.Errorf("%+v", gpt)
	}
	if m, _ := table.Lookup("gemini-9-pro"); m.Guess || m.Above != 200_000 {
		t.Errorf("%+v", m)
	}
	if m, _ := table.Lookup("gpt-4o"); m.Window != 128_000 {
		t.Errorf("%+v", m)
	}
}

func TestRefreshRefuses(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", `{"openai":{"models":{}}}`, `{"anthropic":{"models":{"claude-opus-4-5":{"limit":{"context":99999999999},"cost":{"input":1},"modalities":{"output":["text"]}}}}}`} {
		if _, err := Refresh([]byte(text)); !errors.Is(err, ErrTable) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzRefresh(f *testing.F) {
	f.Add([]byte(listed))
	f.Fuzz(func(t *testing.T, api []byte) {
		out, err := Refresh(api)
		if err != nil {
			return
		}
		if _, err := Parse(out); err != nil {
			t.Errorf("what was written is not read: %v", err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(data)
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse(text)
		if err != nil {
			return
		}
		for _, name := range table.Names() {
			if m, ok := table.Lookup(name); ok && m.Window <= 0 {
				t.Errorf("%s: %+v", name, m)
			}
		}
	})
}
