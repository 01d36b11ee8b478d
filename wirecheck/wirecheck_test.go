package wirecheck_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V3

var rewrite = flag.Bool("rewrite", false, "rewrite the expected faults under testdata")

// A testdata file holds cases of one dialect, named by the file:
//
//	-- RULE: what the case shows [option …] --
//	body
//	----
//	RULE path
//
// A case whose name starts with a rule is about it; without faults after ----
// it is the passing body of that rule.
type scenario struct {
	rule, name string
	opt        wirecheck.Options
	body       string
	want       []string
}

func read(t testing.TB, file string) []scenario {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []scenario
	for chunk := range strings.SplitSeq("\n"+string(data), "\n-- ") {
		head, rest, ok := strings.Cut(chunk, " --\n")
		if !ok {
			continue
		}
		body, want, ok := strings.Cut("\n"+rest, "\n----\n")
		if !ok {
			t.Fatalf("%s: %s: no ----", file, head)
		}
		s := scenario{name: head, body: strings.TrimSpace(body), want: strings.FieldsFunc(want, func(r rune) bool { return r == '\n' })}
		s.rule, _, _ = strings.Cut(head, ":")
		if _, opts, ok := strings.Cut(head, "["); ok {
			s.opt = options(t, strings.Fields(strings.TrimSuffix(opts, "]")))
		}
		cases = append(cases, s)
	}
	return cases
}

func options(t testing.TB, words []string) (o wirecheck.Options) {
	t.Helper()
	for _, w := range words {
		switch w {
		case "unknown":
			o.AllowUnknown = true
		case "neighbours":
			o.AllowNeighbours = true
		case "empty":
			o.AllowEmpty = true
		case "jsonargs":
			o.JSONArgs = true
		default:
			model, ok := strings.CutPrefix(w, "model=")
			if !ok {
				t.Fatalf("unknown option %q", w)
			}
			o.Model = model
		}
	}
	return o
}

func lines(faults []wirecheck.Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, strings.TrimSpace(f.Rule+" "+f.Path))
	}
	return out
}

func dialect(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txt") }

func tables(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) != 4 {
		t.Fatalf("tables: %v, %v", files, err)
	}
	return files
}

func TestTables(t *testing.T) {
	for _, file := range tables(t) {
		cases := read(t, file)
		var out strings.Builder
		for i := range cases {
			s := &cases[i]
			t.Run(dialect(file)+"/"+s.name, func(t *testing.T) {
				faults := wirecheck.Check(dialect(file), []byte(s.body), s.opt)
				if got := lines(faults); !slices.Equal(got, s.want) && !*rewrite {
					t.Errorf("faults:\n%v\nwant:\n%s", faults, strings.Join(s.want, "\n"))
				}
				fmt.Fprintf(&out, "-- %s --\n%s\n----\n", s.name, s.body)
				for _, l := range lines(faults) {
					out.WriteString(l + "\n")
				}
				out.WriteString("\n")
			})
		}
		if *rewrite {
			if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEveryRuleBites: each rule has a body that breaks it and one that keeps it.
func TestEveryRuleBites(t *testing.T) {
	rules := map[string]string{
		"anthropic": "json shape role block unique text name WA1 WA2 WA3 WA4 WA5 WA6 WA7 WA8 WA10 WA11 WA13 WT1 WT2 WT5 WT7 WN2",
		"openai":    "json shape role block unique text args name WO1",
		"responses": "json shape role block unique text args name WO2 WO3 WO4 WO6",
		"gemini":    "json shape block unique name WG4 WG5 WG6 WG7 WG8 WG9 WG10 WG11 WG12 WG13 WG14 WG15 WG16 WG18 WG25",
	}
	for _, file := range tables(t) {
		bites, passes := map[string]bool{}, map[string]bool{}
		for _, s := range read(t, file) {
			for _, f := range s.want {
				rule, _, _ := strings.Cut(f, " ")
				bites[rule] = true
			}
			if len(s.want) == 0 {
				passes[s.rule] = true
			}
		}
		for _, rule := range strings.Fields(rules[dialect(file)]) {
			if !bites[rule] {
				t.Errorf("%s: no failing body for %s", file, rule)
			}
			if !passes[rule] {
				t.Errorf("%s: no passing body for %s", file, rule)
			}
			delete(bites, rule)
		}
		if len(bites) > 0 {
			t.Errorf("%s: rules not listed: %v", file, bites)
		}
	}
}

// TestLimits is WA12: bodies too large for a table.
func TestLimits(t *testing.T) {
	many := func(n int) string {
		turns := strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"a"},{"role":"assistant","content":"b"},`, n/2), ",")
		return `{"model":"claude-3-haiku","max_tokens":1,"messages":[` + turns + `]}`
	}
	large := func(n int) string {
		head, tail := `{"model":"claude-opus-5","max_tokens":1,"messages":[{"role":"user","content":"`, `"}]}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"most messages": {many(100_000), nil},
		"messages":      {many(100_002), []string{"WA12 messages"}},
		"most bytes":    {large(32 << 20), nil},
		"bytes":         {large(32<<20 + 1), []string{"WA12"}},
	} {
		if got := lines(wirecheck.Anthropic([]byte(tt.body), wirecheck.Options{})); !slices.Equal(got, tt.want) {
			t.Errorf("%s: faults %v, want %v", name, got, tt.want)
		}
	}
}

func TestUnknownProvider(t *testing.T) {
	if got := wirecheck.Check("carrier-pigeon", []byte(`{}`), wirecheck.Options{}); len(got) != 1 || got[0].Rule != wirecheck.Shape {
		t.Errorf("faults %v", got)
	}
}

func FuzzCheck(f *testing.F) {
	for _, file := range tables(f) {
		for _, s := range read(f, file) {
			f.Add(dialect(file), []byte(s.body))
		}
	}
	f.Fuzz(func(t *testing.T, provider string, body []byte) {
		faults := wirecheck.Check(provider, body, wirecheck.Options{JSONArgs: true})
		again := wirecheck.Check(provider, body, wirecheck.Options{JSONArgs: true})
		if !slices.Equal(faults, again) {
			t.Errorf("faults differ between two runs:\n%v\n%v", faults, again)
		}
	})
}

func BenchmarkAnthropic(b *testing.B) {
	round := `{"role":"user","content":"` + strings.Repeat("word ", 200) + `"},{"role":"assistant","content":[{"type":"text","text":"` + strings.Repeat("word ", 200) + `"}]},`
	body := []byte(`{"model":"claude-opus-5","max_tokens":1,"messages":[` + strings.Repeat(round, 500) + `{"role":"user","content":"end"}]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if faults := wirecheck.Anthropic(body, wirecheck.Options{}); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
