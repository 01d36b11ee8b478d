package strategy

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
)

// line is a candidate of an excerpt: a line of the text, or a piece of a long one.
type line struct {
	text  string
	at    int // number of the line in the text
	score int
	cost  int
}

const (
	pieceBytes = 240 // longer lines are cut into pieces of about this many bytes
	maxPieces  = 4000
)

// excerpt keeps the lines of a text that are likeliest to be needed, within
// limit tokens: its first and last lines, lines that tell of failure, and lines
// with values that are likely to be needed again. Kept lines stand as they were, in
// order, with "…" where something is missing; left counts the lines left out.
func excerpt(text string, limit int, count func(string) int, relevance *Relevance) (kept string, left int) {
	lines := splitLines(text)
	for i := range lines {
		lines[i].score = score(lines[i].text, i, len(lines), relevance)
		lines[i].cost = count(lines[i].text) + 1
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(float64(lines[b].score)/float64(lines[b].cost+4), float64(lines[a].score)/float64(lines[a].cost+4))
	})
	take := make([]bool, len(lines))
	spent := 0
	for _, i := range order {
		if lines[i].score > 0 && spent+lines[i].cost <= limit {
			take[i], spent = true, spent+lines[i].cost
		}
	}
	return assemble(lines, take)
}

func assemble(lines []line, take []bool) (string, int) {
	var b strings.Builder
	gap, left, last := false, 0, -1
	for i := range lines {
		if !take[i] {
			gap = true
			if lines[i].at != last { // pieces of one line are one line
				left, last = left+1, lines[i].at
			}
			continue
		}
		if gap {
			b.WriteString("…\n")
			gap = false
		}
		b.WriteString(lines[i].text)
		b.WriteByte('\n')
	}
	if gap && b.Len() > 0 {
		b.WriteString("…\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), left
}

// splitLines splits a text into lines, and long lines into pieces at word borders; those of JSON
// where a value ends, so that it stays with its name.
func splitLines(text string) []line {
	return slices.AppendSeq(make([]line, 0, strings.Count(text, "\n")+1), eachLine(text))
}

// eachLine yields what splitLines returns.
func eachLine(text string) iter.Seq[line] {
	return func(yield func(line) bool) {
		at, given := 0, 0
		for l := range strings.SplitSeq(text, "\n") {
			json := isJSON(l)
			for ; len(l) > pieceBytes && given < maxPieces; given++ {
				n := border(l, pieceBytes, json)
				if !yield(line{text: l[:n], at: at}) {
					return
				}
				l = l[n:]
			}
			if !yield(line{text: strings.TrimSuffix(clip(l, 4*pieceBytes), "\r"), at: at}) {
				return
			}
			at, given = at+1, given+1
		}
	}
}

// isJSON reports whether a text begins as a JSON object or array does. "[INFO] …" and
// "[3f2a] …" do not.
func isJSON(text string) bool {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	return rest == "" || strings.IndexByte(`{["}]`, rest[0]) >= 0
}

// border is the last position up to n behind a mark and a blank after it, or n made to fall
// between characters. A mark is what words end with, in JSON what values do if there is one.
func border(s string, n int, json bool) int {
	i := -1
	if json {
		i = strings.LastIndexByte(s[:n], ',')
	}
	if i <= n/2 {
		i = strings.LastIndexAny(s[:n], " ,;")
	}
	if i > n/2 {
		if i++; i < n && s[i] == ' ' {
			i++
		}
		return i
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return max(n, 1)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:border(s, n, false)]
}

// The score of a line beside its values, in the steps of Relevance.Of: of any, of one of the edgeLines
// at either end of its text, of one that tells of a failure.
const (
	anyScore, edgeScore, failureScore = 100, 1000, 2000
	edgeLines                         = 2
)

// score returns how much line i of n is worth keeping, 0 for an empty one.
func score(l string, i, n int, relevance *Relevance) int {
	if strings.TrimSpace(l) == "" {
		return 0
	}
	s := anyScore
	if i < edgeLines || i >= n-edgeLines {
		s += edgeScore
	}
	if fails(l) {
		s += failureScore
	}
	identifier.Scan(l, func(_ identifier.Kind, a, b int) { s += relevance.Of(l[a:b]) })
	return s
}

// failureWords stand in lines that tell of an error or a failed test. Package tool, which finds the one
// line that says what went wrong, is stricter: here a line too many costs its tokens alone.
var failureWords = [...]string{"rror", "ERROR", "FAIL", "xception", "panic:", "assert", "Traceback", "fatal", "denied", "not found", "undefined"}

// fails reports whether a line tells of an error or a failed test.
func fails(l string) bool {
	for _, w := range failureWords {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}
