package identifier_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/identifier"
)

func found(text string) string {
	var out []string
	identifier.Scan(text, func(k identifier.Kind, a, b int) { out = append(out, fmt.Sprintf("%s:%s", k, text[a:b])) })
	return strings.Join(out, " ")
}

func TestScan(t *testing.T) {
	for text, want := range map[string]string{
		"write to ann@example.org.":                        "email:ann@example.org",
		"see https://example.org/a?b=1, then":              "url:https://example.org/a?b=1",
		"id 123e4567-e89b-12d3-a456-426614174000":          "uuid:123e4567-e89b-12d3-a456-426614174000",
		"on 2026-01-31 and 2026-01-31T10:00":               "date:2026-01-31 date:2026-01-31T10:00",
		"at 2026-11-27T14:05:33Z, 2026-11-27T14:05:33.250": "date:2026-11-27T14:05:33Z date:2026-11-27T14:05:33.250",
		"till 2026-11-27T14:05:33+01:00.":                  "date:2026-11-27T14:05:33+01:00",
		"since=2026-11-27T14:05:33-0500&to=2026-11-28":     "date:2026-11-27T14:05:33-0500 date:2026-11-28",
		"2026-11-27T14:05:33:src/a/b.go:12 2026-11-27T":    "date:2026-11-27T14:05:33 path:src/a/b.go date:2026-11-27T",
		`C:\dir\file.go, C:\dir\new_file_here.go`:          "file:file.go file:new_file_here.go",
		`"C:\\tmp\\test_file.go\nnext_value_here"`:         "file:test_file.go identifier:next_value_here",
		`src\file.go`:                                      "file:file.go",
		`vitamin C:\nnext_value_here`:                      "identifier:next_value_here",
		"open /a/b.py:12 and src/x.go":                     "path:/a/b.py path:src/x.go",
		"and/or":                                           "",
		"main.go has notes.txt but not e.g.":               "file:main.go file:notes.txt",
		"order 48151 of 2026, 5000 or 123":                 "number:48151",
		"ticket AB12C and v2":                              "id:AB12C",
		"call parse_header, parseHeader, http.StatusOKAY!": "identifier:parse_header identifier:parseHeader identifier:http.StatusOKAY",
		"<returncode>0</returncode></output_of_it>":        "identifier:output_of_it",
		"1922-@ansi_dialect.segment, +@x.y":                "identifier:ansi_dialect.segment",
		"took 119ms of 2048kB, 1000x the 100th":            "",
		"ids 119msx and 12ms34 and ms1190":                 "id:119msx id:12ms34 id:ms1190",
		"plain words stay out of it":                       "",
		`{"s":"\treq.Header.Set\nnext_value_here"}`:        "identifier:req.Header.Set identifier:next_value_here",
		"key=src/a/b.go":                                   "path:src/a/b.go",
		"\xff\xfe broken\x00bytes_in_here":                 "identifier:bytes_in_here",
	} {
		if got := found(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add("open /a/b.py:12 and http://x.y/z?a=b&c")
	f.Add("::==??a@b.c@d")
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		identifier.Scan(s, func(k identifier.Kind, a, b int) {
			if a < last || b <= a || b > len(s) {
				t.Fatalf("value at %d-%d after %d", a, b, last)
			}
			last = b
			if utf8.ValidString(s) && !utf8.ValidString(s[a:b]) {
				t.Fatalf("value %q cuts a character", s[a:b])
			}
		})
	})
}

// benchTexts are what agents read most: prose, code, a log, a listing, numbers
// in a table.
var benchTexts = map[string]string{
	"prose": "The handler should never retry a request that was answered, because the client has moved on. See parse_header in the server.\n",
	"code": `func (s *Server) serve(w http.ResponseWriter, r *http.Request) error {
	for i := range s.backends {
		if err := s.backends[i].forward(w, r); err != nil {
			return fmt.Errorf("forward to %s: %w", s.backends[i].name, err)
		}
	}
	return nil // nobody answered
}
`,
	"log":     "2026-01-31 ERROR src/server/handler.go:42 parse_header failed for order 48151 (AB12C)\n",
	"listing": "-rw-r--r-- 1 build build  48213 Jan 31 10:04 internal/server/testdata/requests_0042.json\n",
	"table":   "|   12.5 |  1043 |    0.031 | 2048 | ok    |\n+--------+-------+----------+------+-------+\n",
}

func BenchmarkScan(b *testing.B) {
	for name, line := range benchTexts {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(line, 100_000/len(line))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				identifier.Scan(text, func(identifier.Kind, int, int) {})
			}
		})
	}
}

// The package promises no allocation: units in capitals take none either.
func TestScanAllocatesNothing(t *testing.T) {
	const text = "took 100MB of 2048KiB at 119GHz, 100Th of AB12C and parseHeader in /a/b.go"
	if n := testing.AllocsPerRun(20, func() { identifier.Scan(text, func(identifier.Kind, int, int) {}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
