package tool

import "strings"

// diagnostics reads the errors of programs that tell over them, in a line of its own, where they are: the place
// before a rule ("a.ts:12:3 parse ━━━", with "× message" below), or the file ("12:3  error  message" below).
type diagnostics struct {
	told bool   // the text holds one of the two
	at   string // the place or the file told last, "" where another heading stood since
}

const (
	rule       = "━━━"
	crossed    = "× "
	columnMark = "  error  "
)

func diagnosticsIn(s string) diagnostics {
	return diagnostics{told: strings.Contains(s, rule) || strings.Contains(s, columnMark)}
}

// read takes the next line, and returns the error that it tells with its place, "" for none.
func (d *diagnostics) read(line string) string {
	if !d.told {
		return ""
	}
	text := strings.TrimSpace(line)
	first, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.Contains(text, rule):
		if d.at = first; placeEnd(first) != len(first) {
			d.at = ""
		}
	case rest == "" && text != "" && line[0] == text[0] && strings.Contains(text, "."):
		d.at = text
	case d.at == "":
		return ""
	case strings.HasPrefix(text, crossed) && placeEnd(d.at) > 0:
		return d.at + ": " + strings.TrimSpace(text[len(crossed):])
	case placeEnd(d.at) == 0 && placeEnd("f:"+first) == len("f:"+first) && strings.HasPrefix(strings.TrimLeft(rest, " "), columnMark[2:]):
		return d.at + ":" + first + ": " + strings.TrimSpace(strings.TrimLeft(rest, " ")[len(columnMark)-2:])
	}
	return ""
}

// placeEnd returns where a place that begins a text ends: "file:12:3", 0 for none.
func placeEnd(t string) int {
	i := strings.IndexByte(t, ':')
	if i < 1 {
		return 0
	}
	j := digitsEnd(t, i+1)
	if j == i+1 || j >= len(t) || t[j] != ':' {
		return 0
	}
	if k := digitsEnd(t, j+1); k > j+1 {
		return k
	}
	return 0
}
