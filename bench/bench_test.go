package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExponent(t *testing.T) {
	for power, want := range map[float64]float64{0: 0, 1: 1, 2: 2} {
		var s series
		for _, n := range []int{100, 1_000, 10_000} {
			s.points = append(s.points, point{n: n, ns: 7 * math.Pow(float64(n), power)})
		}
		if got := s.exponent(); math.Abs(got-want) > 1e-9 {
			t.Errorf("n^%v is fitted as n^%v", power, got)
		}
	}
	if got := (series{points: []point{{n: 1, ns: 1}}}).exponent(); !math.IsNaN(got) {
		t.Errorf("one point is fitted as n^%v", got)
	}
}

func TestParse(t *testing.T) {
	ms := parse("goos: linux\nBenchmarkPieces/match/100-2 \t 5 \t 3400 ns/op\t 12 B/op\t 3 allocs/op\n" +
		"BenchmarkPieces/match/1000-16 \t 5 \t 34000 ns/op\t 12 B/op\t 3 allocs/op\nBenchmarkCommit-2 1 5 ns/op\nPASS\n")
	if len(ms) != 3 || ms[0].name != "Pieces/match/100" || ms[0].values["ns/op"] != 3400 || ms[0].values["allocs/op"] != 3 {
		t.Fatalf("parsed %+v", ms)
	}
	all := grown(ms)
	if len(all) != 1 || all[0].name != "Pieces/match" || len(all[0].points) != 2 || all[0].points[1].n != 1000 {
		t.Fatalf("grown %+v", all)
	}
	if got := growth(all).markdown(); !strings.Contains(got, "| Pieces/match | 3.40 µs | 34.0 µs | n^1.00 | 3 at 1,000 |") {
		t.Errorf("table:\n%s", got)
	}
}

func TestEmbed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("before\n<!-- bench a -->\nold\n<!-- /bench -->\nbetween\n<!-- bench b -->\n<!-- /bench -->\nafter\n")
	a := table{name: "a", note: "Noted.", head: []string{"x", "y"}}
	a.row("1", "2")
	if err := embed(path, []table{a, {name: "nowhere", note: "lost"}}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n<!-- bench a -->\nNoted.\n\n| x | y |\n|---|---|\n| 1 | 2 |\n<!-- /bench -->\nbetween\n<!-- bench b -->\n<!-- /bench -->\nafter\n"
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
	write("<!-- bench a -->\nno end\n")
	if err := embed(path, []table{a}); err == nil {
		t.Error("no error about a marker without its end")
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{950: "950 ns", 1234: "1.23 µs", 45.6e6: "45.6 ms", 1234e6: "1.23 s"} {
		if got := since(v); got != want {
			t.Errorf("%v ns is %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{5: "5", 1234567: "1,234,567", 100: "100", 1000: "1,000"} {
		if got := whole(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
