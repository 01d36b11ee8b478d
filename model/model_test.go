package model

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestLookup(t *testing.T) {
	tests := []struct {
		name             string
		window, output   int
		encoding, family string // family is the provider
		guess            bool
	}{
		{"gpt-4o", 128_000, 16_384, "o200k", "openai", false},
		{"openai/gpt-4o", 128_000, 16_384, "o200k", "openai", false},
		{"gpt-4o-2024-11-20", 128_000, 16_384, "o200k", "openai", false},
		{"GPT-4o-Mini", 128_000, 16_384, "o200k", "openai", false},
		{"gpt-4-turbo", 128_000, 4_096, "cl100k", "openai", false},
		{"gpt-4", 8_192, 8_192, "cl100k", "openai", false},
		{"gpt-4-0613", 8_192, 8_192, "cl100k", "openai", false},
		{"gpt-4.1", 1_047_576, 32_768, "o200k", "openai", false},
		{"gpt-5.6-sol", 1_050_000, 128_000, "", "openai", false},
		{"gpt-5.6", 1_050_000, 128_000, "", "openai", false},
		{"gpt-5.6-codex", 1_050_000, 128_000, "", "openai", true},
		{"gpt-5-codex", 400_000, 128_000, "o200k", "openai", true},
		{"gpt-4.5-preview", 128_000, 16_384, "o200k", "openai", true},
		{"o3-pro", 200_000, 100_000, "o200k", "openai", true},
		{"anthropic/claude-sonnet-4-5", 200_000, 64_000, "", "anthropic", false},
		{"claude-sonnet-4-5-20250929", 200_000, 64_000, "", "anthropic", false},
		{"anthropic/claude-sonnet-4.5", 200_000, 64_000, "", "anthropic", false},
		{"claude-sonnet-4-5[1m]", 1_000_000, 64_000, "", "anthropic", false},
		{"claude-sonnet-4-5-20250929[1M]", 1_000_000, 64_000, "", "anthropic", false},
		{"us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000, "", "anthropic", false},
		{"claude-sonnet-4-5@20250929", 200_000, 64_000, "", "anthropic", false},
		{"claude-opus-4-20250514", 200_000, 32_000, "", "anthropic", false},
		{"claude-3-5-sonnet-20240620", 200_000, 8_192, "", "anthropic", false},
		{"claude-3-5-sonnet-latest", 200_000, 8_192, "", "anthropic", false},
		{"claude-3-haiku-20240307", 200_000, 4_096, "", "anthropic", false},
		{"claude-opus-4-9", 1_000_000, 128_000, "", "anthropic", true},
		{"claude-haiku-6", 1_000_000, 128_000, "", "anthropic", true},
		{"claude-haiku-4-6", 200_000, 64_000, "", "anthropic", true},
		{"claude-next", 200_000, 64_000, "", "anthropic", true},
		{"deepseek/deepseek-chat", 1_000_000, 384_000, "", "deepseek", false},
		{"gemini-2.5-pro", 1_048_576, 65_536, "", "google", false},
		{"models/gemini-2.5-flash-lite", 1_048_576, 65_536, "", "google", true},
		{"moonshotai/kimi-k2.6", 262_144, 262_144, "", "moonshot", false},
	}
	for _, tt := range tests {
		m, ok := Lookup(tt.name)
		if !ok || m.Name != tt.name || m.Window != tt.window || m.Output != tt.output ||
			m.Encoding != tt.encoding || m.Provider != tt.family || m.Guess != tt.guess {
			t.Errorf("Lookup(%q) is %+v, %v", tt.name, m, ok)
		}
	}
}

// SPEC: S2. A name nobody knows has a window of 128,000.
func TestLookupUnknown(t *testing.T) {
	for _, name := range []string{"", "llama-9", "[", "]", "[1m", "@", "a/", "-", "::", "openai/"} {
		m, ok := Lookup(name)
		want := Unknown
		want.Name = name
		if name == "[1m" {
			want.Window = 1_000_000
		}
		if ok || m != want {
			t.Errorf("Lookup(%q) is %+v, %v", name, m, ok)
		}
	}
}

// The table parses, and every line of it is complete and found by its name.
func TestTable(t *testing.T) {
	table, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range table.families {
		if _, ok := table.models[keyOf(f.Like)]; !ok {
			t.Errorf("family %s is like %s, which is not there", f.Prefix, f.Like)
		}
	}
	if len(embedded().Names()) < 60 {
		t.Errorf("%d models", len(embedded().Names()))
	}
	for _, name := range embedded().Names() {
		m, ok := Lookup(name)
		if !ok || m.Guess || m.Name != name {
			t.Errorf("Lookup(%q) is %+v, %v", name, m, ok)
		}
		if m.Window < 8_000 || m.Output <= 0 || m.Price.In <= 0 || m.Price.Out <= 0 || m.Provider == "" {
			t.Errorf("%s is incomplete: %+v", name, m)
		}
		if m.Encoding == "" && m.Scale == 0 {
			t.Errorf("%s has neither encoding nor scale", name)
		}
		if soft := m.SoftThreshold(); soft <= 0 || soft >= m.Cap() {
			t.Errorf("%s: soft threshold %d of %d", name, soft, m.Cap())
		}
	}
}

// A table with a key that the parser does not know, or a value that cannot be, is
// refused by name.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                    "no models",
		`{"modles":[]}`:                         `unknown field "modles"`,
		`{"models":[{}]}`:                       "name is empty",
		`{"models":[{"name":"a","window":-1}]}`: "window is -1",
		`{"models":[{"name":"a","window":9,"price":{"in":-3}}]}`:                             "price is -3",
		`{"models":[{"name":"a","window":9,"thinking":"loud"}]}`:                             `thinking is "loud"`,
		`{"models":[{"name":"a","window":9}],"families":[{"prefix":"b","like":"c"}]}`:        `like "c"`,
		`{"models":[{"name":"a","window":9,"cache":"x"}],"caches":{"x":{"ttl":"a minute"}}}`: "a minute",
	} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A user's own model goes before the table's, whatever form its name is used in,
// and changes no other table.
func TestWith(t *testing.T) {
	mine := (*Table)(nil).With(Model{Name: "acme/Llama-9", Window: 9000}, Model{Name: "gpt-4o", Window: 1000}, Model{})
	for name, want := range map[string]int{"llama-9": 9000, "x/LLAMA-9": 9000, "gpt-4o-2024-11-20": 1000, "gpt-4o-mini": 128_000} {
		if m, ok := mine.Lookup(name); !ok || m.Window != want || m.Name != name {
			t.Errorf("Lookup(%q) is %+v, %v", name, m, ok)
		}
	}
	if m, _ := Lookup("gpt-4o"); m.Window != 128_000 {
		t.Errorf("the embedded table says %d", m.Window)
	}
	if len(mine.Names()) != len(embedded().Names())+1 {
		t.Errorf("%d names", len(mine.Names()))
	}
}

// What a provider takes in one request holds for all of its models.
func TestLimits(t *testing.T) {
	for name, want := range map[string]int{"claude-opus-5-5": 600, "claude-sonnet-4-5": 100, "gpt-5": 0} {
		if m, _ := Lookup(name); m.Images != want || (m.Bytes == 32_000_000) != (want > 0) {
			t.Errorf("%s: %d images, %d bytes", name, m.Images, m.Bytes)
		}
	}
}

func TestSoftThreshold(t *testing.T) {
	for name, want := range map[string]int{
		"gpt-4o":            94_873,  // 0.85 × (128,000 − 16,384)
		"gpt-5":             217_273, // its input cap is 272,000
		"gpt-4":             5_222,   // reserve is a quarter of 8,192
		"claude-sonnet-4-5": 156_073,
	} {
		m, _ := Lookup(name)
		if got := m.SoftThreshold(); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if got := (Model{}).SoftThreshold(); got != 0 {
		t.Errorf("of the zero model: %d", got)
	}
}

func TestCacheAndThinking(t *testing.T) {
	m, _ := Lookup("claude-opus-5-5")
	if m.Thinking != Bound || m.Cache != (Cache{Explicit: true, Minimum: 512, Breakpoints: 4, LookBack: 20, TTL: 5 * time.Minute, LongTTL: time.Hour}) {
		t.Errorf("claude-opus-5-5: %v %+v", m.Thinking, m.Cache)
	}
	m, _ = Lookup("gpt-5.6-sol")
	if m.Cache.Minimum != 1024 || m.Cache.Explicit || m.Cache.LookBack != 80 {
		t.Errorf("gpt-5.6-sol: %+v", m.Cache)
	}
	for _, name := range []string{"claude-haiku-6", "claude-sonnet-6", "claude-opus-6", "claude-fable-6", "claude-mythos-6"} {
		if m, _ := Lookup(name); m.Thinking != Bound {
			t.Errorf("%s, which is newer than any that is known: thinking is %q", name, m.Thinking)
		}
	}
	m, _ = Lookup("claude-haiku-4-5")
	if m.Thinking != LastTurn || m.Cache.Minimum != 4096 {
		t.Errorf("claude-haiku-4-5: %v %+v", m.Thinking, m.Cache)
	}
}

func TestPriceOf(t *testing.T) {
	m, _ := Lookup("gemini-2.5-pro")
	if m.PriceOf(200_000).In != 1.25 || m.PriceOf(200_001).In != 2.5 {
		t.Errorf("prices are %v and %v", m.PriceOf(200_000), m.PriceOf(200_001))
	}
	for _, name := range []string{"gemini-3-pro-preview", "gemini-3.1-pro", "gemini-3.1-pro-preview-customtools"} {
		if m, _ = Lookup(name); m.Like != "gemini-3.1-pro-preview" {
			t.Errorf("%s is like %s", name, m.Like)
		}
	}
	m, _ = Lookup("gpt-4o")
	if m.PriceOf(1_000_000) != m.Price {
		t.Errorf("price is %v", m.PriceOf(1_000_000))
	}
}

// A prompt is kept for as long as a request asks, but no longer than its provider keeps any.
func TestCaching(t *testing.T) {
	for _, c := range []struct {
		model      string
		life, want time.Duration
	}{
		{"claude-opus-5", 0, 5 * time.Minute},
		{"claude-opus-5", time.Hour, time.Hour},
		{"gpt-5.6-sol", 24 * time.Hour, 12 * time.Hour},
		{"gpt-5", 5 * time.Minute, 5 * time.Minute},
		{"nobody-knows", time.Hour, time.Hour},
	} {
		m, _ := Lookup(c.model)
		if got := m.Caching(c.life).Cache.TTL; got != c.want {
			t.Errorf("%s asked for %v: %v", c.model, c.life, got)
		}
	}
}

// What a larger prompt costs in the cache is, where nobody says it, as its input is.
func TestPriceOfUnstatedCache(t *testing.T) {
	m := Model{Price: Price{In: 1, Out: 5, Read: .1, Write: 1.25, WriteLong: 2}, Above: 10, PriceAbove: Price{In: 2, Out: 6}}
	if p := m.PriceOf(11); p != (Price{In: 2, Out: 6, Read: .2, Write: 2.5, WriteLong: 4}) {
		t.Errorf("price is %v", p)
	}
	m.PriceAbove.Read, m.PriceAbove.WriteLong = .3, 9
	if p := m.Caching(time.Hour).PriceOf(11); p != (Price{In: 2, Out: 6, Read: .3, Write: 9, WriteLong: 9}) {
		t.Errorf("price is %v", p)
	}
	m.Price = Price{}
	if p := m.PriceOf(11); p != (Price{In: 2, Out: 6, Read: .3, WriteLong: 9}) {
		t.Errorf("price is %v", p)
	}
}

func FuzzLookup(f *testing.F) {
	for _, name := range embedded().Names() {
		f.Add("x/" + name + "-20250101[1m]")
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, ok := Lookup(name)
		if m.Window <= 0 || m.Name != name || !ok && m.Provider != "" {
			t.Errorf("Lookup(%q) is %+v, %v", name, m, ok)
		}
	})
}
