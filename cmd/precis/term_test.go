package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

func TestTokens(t *testing.T) {
	for in, want := range map[string]int{
		"32000": 32000, "32k": 32000, "32K": 32000, "0.5m": 500_000, "1.5k": 1500, "32,000": 32000, " 8k ": 8000, "1": 1,
		"": 0, "k": 0, "-5": 0, "0": 0, "many": 0, "1e3": 0, "0x10": 0, "inf": 0, "nan": 0, "9999999m": 0, "1_000": 0, "3 2": 0, "32kk": 0,
	} {
		got, err := tokens(in)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("tokens(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := commas(n); got != want {
			t.Errorf("commas(%d) = %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		n, of int
		want  string
	}{{0, 0, "0 %"}, {0, 10, "0 %"}, {1, 3, "33 %"}, {1, 100, "1.0 %"}, {10, 10, "100 %"}} {
		if got := share(c.n, c.of); got != c.want {
			t.Errorf("share(%d, %d) = %q, want %q", c.n, c.of, got, c.want)
		}
	}
	for n, want := range map[int]int{76: 100, 101: 200, 4999: 5000, 6020: 7000, 123456: 130000} {
		if got := roundUp(n); got != want {
			t.Errorf("roundUp(%d) = %d, want %d", n, got, want)
		}
	}
}

// SPEC: V10. Nothing a conversation holds reaches a terminal as control.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\nü☃": "plain\ttext\nü☃", "a\x1b[31mb": "a·[31mb", "\x00\x07\x7f": "···", "a\xffb": "a·b",
		"\u009b31m": "·31m", "\u202eabc": "·abc", "a\rb": "a·b",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"plain/a.db": "plain/a.db", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'"} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever goes into a table or a paragraph, no line is too wide.
func TestWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.SampledFrom([]rune("abc é漢字—…"))).AsAny()
		tab := table{right: []bool{true, false, true}}
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			var row []string
			for range rapid.IntRange(0, 6).Draw(t, "cells") {
				row = append(row, line(strings.Repeat(word.Draw(t, "cell").(string), 3), width))
			}
			tab.add(row...)
		}
		text := tab.String() + wrap(strings.Fields(rapid.StringOf(rapid.SampledFrom([]rune("abcdef  漢"))).Draw(t, "text")), "  ")
		for l := range strings.SplitSeq(text, "\n") {
			if w := ansi.StringWidth(l); w > width && strings.Contains(strings.TrimSpace(l), " ") {
				t.Fatalf("%d columns: %q", w, l)
			}
		}
	})
}

func TestStrip(t *testing.T) {
	es := thread.Extend("", []message.Message{
		message.TextOf(message.User, "a"), message.TextOf(message.Assistant, "b"),
		message.TextOf(message.User, "c"), message.TextOf(message.Assistant, "d"), message.TextOf(message.User, "e"),
	})
	for i, n := range []int{10, 40, 20, 20, 10} {
		es[i].Tokens = n
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Plan{Records: []plan.Record{
		{Action: plan.Summarize, Span: plan.Span{IDs: []thread.ID{es[1].ID}}},
		{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[2].ID}}},
		{Action: plan.Replace, Kind: plan.Preview, Span: plan.Span{IDs: []thread.ID{es[3].ID}, Part: 1}},
	}}, th)
	if err != nil {
		t.Fatal(err)
	}
	turn := &precis.Turn{Thread: th, Plan: p}
	want := "  █▒▒▒▒░░▓▓█\n  █ 2 whole   ▓ 1 cut   ▒ 1 summarised   ░ 1 dropped\n"
	if got := plain(strip(turn, 10)); got != want {
		t.Errorf("strip:\n%swant\n%s", got, want)
	}
	for n := 1; n < 200; n++ {
		bar, _, _ := strings.Cut(plain(strip(turn, n)), "\n")
		if got := ansi.StringWidth(bar); got != n+2 {
			t.Fatalf("strip of %d cells has %d columns", n, got-2)
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Output that cannot be written is a failure, never a silent success.
func TestWriteError(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, sessionFile(3), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"compact", file},
		{"compact", file, "--json"},
		{"thread", "list"},
		{"thread", "export"},
		{"read", "1"},
		{"grep", "test"},
		{"count", file},
		{"policy", "list"},
		{"doctor"},
		{"plan", "show"},
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), full{}, &stderr); code != exitFailed {
			t.Errorf("precis %s: exit code %d, want %d", strings.Join(args, " "), code, exitFailed)
		}
		if !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("precis %s: standard error says %q", strings.Join(args, " "), stderr.String())
		}
	}
}

// An interrupt ends a run with a failure and leaves the database sound.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, sessionFile(3), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, stderr bytes.Buffer
	if code := run(ctx, []string{"compact", file}, strings.NewReader(""), &out, &stderr); code != exitFailed || out.Len() > 0 {
		t.Errorf("interrupted: exit code %d, %d bytes, %s", code, out.Len(), &stderr)
	}
	if code := run(context.Background(), []string{"doctor"}, strings.NewReader(""), &out, &stderr); code != exitOK {
		t.Errorf("doctor after an interrupt: exit code %d\n%s", code, &out)
	}
}
