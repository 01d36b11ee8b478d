package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := Comma(n); got != want {
			t.Errorf("Comma(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 messages", 1: "1 message", 2000: "2,000 messages"} {
		if got := Count(n, "message"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		n, of int
		want  string
	}{{0, 0, "0 %"}, {0, 10, "0 %"}, {1, 3, "33 %"}, {1, 100, "1.0 %"}, {10, 10, "100 %"}} {
		if got := Percent(c.n, c.of); got != c.want {
			t.Errorf("Percent(%d, %d) = %q, want %q", c.n, c.of, got, c.want)
		}
	}
}

// SPEC: V10. Nothing a conversation holds reaches a terminal as control.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\nü☃": "plain\ttext\nü☃", "a\x1b[31mb": "a·[31mb", "\x00\x07\x7f": "···", "a\xffb": "a·b",
		"\u009b31m": "·31m", "\u202eabc": "·abc", "a\rb": "a·b",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"plain/a.db": "plain/a.db", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "": "''"} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever goes into a table or a paragraph, no line is too wide, and where
// excerpts are not asked for, every word is there and whole.
func TestWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Page{Columns: rapid.IntRange(40, 120).Draw(t, "columns"), Excerpts: rapid.Bool().Draw(t, "excerpts")}
		// A word as wide as its column is left where it stands.
		word := rapid.Map(rapid.StringOf(rapid.SampledFrom([]rune("abc-é漢字—…"))), func(s string) string { return ansi.Truncate(s, 7, "") })
		var tab Table
		var words []string
		cells := rapid.IntRange(0, 3).Draw(t, "cells")
		tab.Right = []bool{true, false, true}[:cells]
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			var row []string
			for range cells {
				w := ansi.Truncate(word.Draw(t, "cell"), 8, "")
				words = append(words, w)
				row = append(row, w)
			}
			last := rapid.SliceOfN(word, 0, 30).Draw(t, "last")
			words = append(words, last...)
			tab.Add(append(row, strings.Join(last, " "))...)
		}
		paragraph := rapid.SliceOf(word).Draw(t, "paragraph")
		text := p.Table(&tab)
		if p.Excerpts {
			words = nil
		}
		words = append(words, paragraph...)
		text += p.Wrap(strings.Join(paragraph, " "), "  ")
		for l := range strings.SplitSeq(text, "\n") {
			if w := ansi.StringWidth(l); w > p.Columns && len(strings.Fields(l)) > cells+1 {
				t.Fatalf("%d columns of %d: %q", w, p.Columns, l)
			}
			if strings.HasSuffix(l, " ") {
				t.Fatalf("trailing space: %q", l)
			}
		}
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Fatalf("%q is not in\n%s", w, text)
			}
		}
	})
}

func TestTable(t *testing.T) {
	tab := Table{Right: []bool{false, true}}
	tab.Add("name", "size", "why")
	tab.Add("a", "1,000", "run precis plan restore --db path now")
	tab.Add("b")
	want := "  name   size  why\n  a     1,000  run precis plan\n               restore --db\n               path now\n  b\n"
	if got := (Page{Columns: 30}).Table(&tab); got != want {
		t.Errorf("wrapped:\n%swant\n%s", got, want)
	}
	want = "  name   size  why\n  a     1,000  run precis pla…\n  b\n"
	if got := (Page{Columns: 30, Excerpts: true}).Table(&tab); got != want {
		t.Errorf("cut:\n%swant\n%s", got, want)
	}
	narrow := Table{}
	narrow.Add("precis plan show --db path/to.db", "every record and why")
	want = "  precis plan show --db path/to.db\n    every record and why\n"
	if got := (Page{Columns: 40}).Table(&narrow); got != want {
		t.Errorf("narrow:\n%swant\n%s", got, want)
	}
	long := Table{}
	long.Add("precis plan show --db a/rather/long/path/to/the/file.db", "every record and why")
	long.Add("precis read --db a/rather/long/path/to/the/file.db", "a message as it was")
	want = "  precis plan show --db a/rather/long/path/to/the/file.db\n    every record and why\n  precis read --db a/rather/long/path/to/the/file.db\n    a message as it was\n"
	if got := (Page{Columns: 72}).Table(&long); got != want {
		t.Errorf("long commands:\n%swant\n%s", got, want)
	}
	many := Table{Right: []bool{true, true}}
	many.Add("#", "turn", "role", "tokens", "begins")
	many.Add("12", "", "assistant", "1,234", "the parser loses the last line of the file")
	many.Add("13")
	want = "  #  turn  role  tokens\n    begins\n  12  assistant  1,234\n    the parser loses the last line of\n    the file\n  13\n"
	if got := (Page{Columns: 40}).Table(&many); got != want {
		t.Errorf("many columns:\n%swant\n%s", got, want)
	}
	want = "  #  turn  role  tokens\n    begins\n  12  assistant  1,234\n    the parser loses the last line of t…\n  13\n"
	if got := (Page{Columns: 40, Excerpts: true}).Table(&many); got != want {
		t.Errorf("many columns, cut:\n%swant\n%s", got, want)
	}
	names := Table{Names: true}
	names.Add("codex", "found", "present", "/home/somebody/.codex/config.toml")
	want = "  codex  found  present\n    /home/somebody/.codex/config.toml\n"
	if got := (Page{Columns: 40}).Table(&names); got != want {
		t.Errorf("names:\n%swant\n%s", got, want)
	}
}
