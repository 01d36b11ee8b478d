package token

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
)

// fields counts words, exactly or not.
type fields struct{ exact bool }

func (fields) Name() string       { return "fields" }
func (f fields) Exact() bool      { return f.exact }
func (fields) Count(s string) int { return len(strings.Fields(s)) }

// eightWords is a part of eight words.
var eightWords = message.Part{Kind: message.Text, Text: "a b c d e f g h"}

func text(s string) message.Message { return message.TextOf(message.User, s) }
func call(id, name, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
}

// SPEC: S1. The session design counts UTF-16 units in fours, rounded up.
func TestUTF16(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語": 1, "日本語です": 2, "😀😀": 1, "😀😀😀": 2,
	} {
		if got := UTF16.Count(s); got != want {
			t.Errorf("%q is %d, want %d", s, got, want)
		}
	}
}

// SPEC: S1, S3. Messages of both designs, with calls and results.
func TestSeedMeters(t *testing.T) {
	ms := []message.Message{
		text("hello world"), // 11 characters
		{Role: message.Assistant, Parts: []message.Part{
			{Kind: message.Text, Text: "ok"},
			call("call_1", "search", `{"q":"x"}`), // 6 and 9
		}},
		{Role: message.Tool, Parts: []message.Part{{
			Kind: message.Result, CallID: "call_1", Parts: []message.Part{{Kind: message.Text, Text: strings.Repeat("r", 41)}},
		}}},
	}
	if got, want := Session().Messages(ms), 2+3+2+1+2+3+2+11; got != want {
		t.Errorf("session counts %d, want %d", got, want)
	}
	if got, want := Truncate().Messages(ms), 4+2+4+0+1+2+4+10; got != want {
		t.Errorf("truncate counts %d, want %d", got, want)
	}
}

// SPEC: L12. The pieces of a request add up to the whole.
func TestRequestIsItsPieces(t *testing.T) {
	m := Meter{Counter: fields{exact: true}, Overhead: anthropic}
	r := Request{
		System:   []message.Part{eightWords},
		Tools:    []Tool{{Name: "read", Description: "reads a file", Schema: json.RawMessage(`{"type": "object"}`)}},
		Messages: []message.Message{text("x y"), {Role: message.User, Name: "ann", Parts: []message.Part{eightWords}}},
	}
	want := 8 + (6 + 8) + (346 + 24 + 1 + 3 + 2) + (6 + 2) + (6 + 8 + 1 + 1)
	if got := m.Request(r); got != want {
		t.Errorf("request is %d, want %d", got, want)
	}
	if got := m.Overhead.Request + m.System(r.System) + m.Tools(r.Tools) + m.Messages(r.Messages); got != want {
		t.Errorf("pieces are %d, want %d", got, want)
	}
	if m.System(nil) != 0 || m.Tools(nil) != 0 || m.Messages(nil) != 0 {
		t.Error("nothing costs something")
	}
	if n := m.Message(message.Message{Meta: true, Parts: r.System}); n != 0 {
		t.Errorf("a record that is not sent costs %d", n)
	}
}

func TestParts(t *testing.T) {
	m := Meter{Counter: fields{exact: true}, Overhead: Overhead{Call: 10, Result: 20, Media: 1_600}}
	tests := []struct {
		name string
		part message.Part
		want int
	}{
		{"text", eightWords, 8},
		{"empty", message.Part{Kind: message.Text}, 0},
		{"call", call("id", "read", "a b"), 10 + 1 + 1 + 2},
		{"result", message.Part{Kind: message.Result, CallID: "id", Parts: []message.Part{eightWords, eightWords}}, 20 + 1 + 16},
		{"thinking", message.Part{Kind: message.Thinking, Text: "a b c", Signature: "abcd"}, 3},
		{"hidden thinking", message.Part{Kind: message.Thinking, Signature: strings.Repeat("x", 401)}, 101},
		{"remote image", message.Part{Kind: message.Media, MediaType: "image/png", URL: "https://x"}, 1_600},
		{"small image", message.Part{Kind: message.Media, MediaType: "image/png", Size: 100}, 85},
		{"middling image", message.Part{Kind: message.Media, MediaType: "image/jpeg", Size: 75_000}, 1_000},
		{"large image", message.Part{Kind: message.Media, MediaType: "image/png", Size: 5_000_000}, 1_600},
		{"pdf", message.Part{Kind: message.Media, MediaType: "application/pdf", Size: 80_000}, 10_000},
		{"remote pdf", message.Part{Kind: message.Media, MediaType: "application/pdf"}, 3_000},
		{"sound", message.Part{Kind: message.Media, MediaType: "audio/mp3", Size: 1_250_000}, 10_000},
		{"text file", message.Part{Kind: message.Media, MediaType: "text/plain", Size: 1_000}, 500},
		{"opaque", message.Part{Kind: message.Opaque, Raw: json.RawMessage(`{"type":"refusal"}`)}, 6},
		{"unknown kind", message.Part{Kind: "new"}, 0},
	}
	for _, tt := range tests {
		if got := m.Part(tt.part); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// SPEC: L12, V4. An exact counter has neither factor nor margin, until usage above its
// count says that it is not exact.
func TestScale(t *testing.T) {
	exact := Meter{Counter: fields{exact: true}, Factor: 3, Margin: 0.5, Learned: 0.5}
	if got := exact.Text("a b"); got != 2 || !exact.Exact() || exact.Teaches(1000, 1010) || !exact.Teaches(1000, 1030) {
		t.Errorf("exact: %d", got)
	}
	above := exact.Calibrated(Calibration{Factor: 1.1, Seen: 1})
	if got := above.Text(strings.Repeat("a ", 100)); got != 114 || above.Exact() || above.Estimate(got) != 101 { // 113.3 rounded up
		t.Errorf("above: %d, %d, exact %t", got, above.Estimate(got), above.Exact())
	}
	m := Meter{Counter: fields{}, Factor: 1.2, Margin: 0.15}
	if got := m.Text("a b c d e f g h i j"); got != 14 { // 13.8 rounded up
		t.Errorf("inexact: %d", got)
	}
	if got := (Meter{Counter: fields{}}).Text("a b"); got != 2 {
		t.Errorf("zero factor: %d", got)
	}
}

func TestFor(t *testing.T) {
	exact := func(name string) (Counter, error) {
		if name == "o200k" || name == "cl100k" {
			return fields{exact: true}, nil
		}
		return nil, errors.New("no " + name)
	}
	gpt, _ := model.Lookup("gpt-4o")
	claude, _ := model.Lookup("claude-sonnet-4-5")
	m, err := For(gpt, exact)
	if err != nil || !m.Exact() || m.Margin != 0 || m.Overhead != openAI {
		t.Errorf("gpt-4o: %+v, %v", m, err)
	}
	m, err = For(claude, exact)
	if err != nil || m.Exact() || m.Factor != 1.2 || m.Margin != borrowedMargin || m.Counter.Name() != "fields~" || m.Overhead != anthropic {
		t.Errorf("claude: %+v, %v", m, err)
	}
	m, err = For(model.Unknown, exact)
	if err != nil || m.Factor != defaultScale || m.Margin != unknownMargin || m.Overhead != other {
		t.Errorf("unknown: %+v, %v", m, err)
	}
	m, err = For(gpt, nil)
	if err != nil || m.Exact() || m.Counter != Heuristic || m.Margin != heuristicMargin {
		t.Errorf("heuristic: %+v, %v", m, err)
	}
	if _, err = For(model.Model{Encoding: "p50k"}, exact); err == nil {
		t.Error("an encoding that is not there is no error")
	}
}

// SPEC: V4. More text never costs less, and no text is free.
func TestHeuristicGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		n := Heuristic.Count(a)
		if (n == 0) != (a == "") {
			t.Fatalf("%q is %d tokens", a, n)
		}
		if joined := Heuristic.Count(a + b); joined < n {
			t.Fatalf("%q is %d tokens, with %q %d", a, n, b, joined)
		}
	})
}

// SPEC: L12. Learning converges on the true ratio and undoes the meter's error.
func TestCalibrationConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(0.55, 1.9).Draw(t, "ratio")
		base := Meter{Counter: fields{}, Factor: 1.2, Margin: 0.15}
		body := strings.Repeat("w ", 10_000)
		var c Calibration
		for i := range 60 {
			m := base.Calibrated(c)
			sent := m.Text(body[:2*(5_000+i)])
			estimated := m.Estimate(sent)
			c = c.Observe(estimated, int(ratio*float64(estimated)))
		}
		if math.Abs(c.Factor/ratio-1) > 0.02 {
			t.Fatalf("factor %v for %v after %d observations", c.Factor, ratio, c.Seen)
		}
		m := base.Calibrated(c)
		got, want := m.Text(body), ratio*12_000
		if float64(got) < want || float64(got) > want*1.2 {
			t.Fatalf("calibrated count %d for %v", got, want)
		}
	})
}

// SPEC: L12. The factor stays within its bounds whatever is reported.
func TestCalibrationBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Calibration
		for range 30 {
			before := c.factor()
			c = c.Observe(rapid.IntRange(-10, 1_000_000).Draw(t, "estimated"), rapid.IntRange(-10, 1_000_000).Draw(t, "reported"))
			if f := c.factor(); f < learnLeast || f > learnMost || math.Abs(f-before) > learnStep+1e-9 {
				t.Fatalf("factor went from %v to %v", before, f)
			}
		}
	})
}

func TestCalibrationGuards(t *testing.T) {
	c := Calibration{}.Observe(10_000, 11_000)
	if c.Seen != 1 || math.Abs(c.Factor-1.1) > 1e-9 {
		t.Fatalf("first observation: %+v", c)
	}
	for name, pair := range map[string][2]int{
		"no usage":           {10_000, 0},
		"no estimate":        {0, 10_000},
		"small request":      {200, 300},
		"same report again":  {6_000, 11_000},
		"no tokenizer at it": {10_000, 50_000},
	} {
		got := c.Observe(pair[0], pair[1])
		if got.Factor != c.Factor || got.Seen != 1 {
			t.Errorf("%s taught %+v", name, got)
		}
	}
	m := Meter{Counter: fields{exact: true}}
	if m.Calibrated(Calibration{Factor: 0.8, Seen: 3}) != m || m.Calibrated(Calibration{Factor: 1.01, Seen: 3}) != m {
		t.Error("an exact meter learned something")
	}
	if c.Observe(10_000, 11_000).Seen != 2 {
		t.Error("the same request again is not stale")
	}
}

// A calibration is data.
func TestCalibrationJSON(t *testing.T) {
	want := Calibration{}.Observe(10_000, 11_000).Observe(20_000, 23_000)
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Calibration
	if err := json.Unmarshal(b, &got); err != nil || got != want {
		t.Errorf("%s is %+v, %v", b, got, err)
	}
}
