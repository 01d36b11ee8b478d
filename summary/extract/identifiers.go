package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/internal/ranking"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// origin is where a value was seen; a higher one makes the better line to show.
type origin uint8

const (
	fromArgs origin = iota
	fromAssistant
	fromResult
	fromUser
)

// identifiers ranks identifiers by how likely they are needed again.
type identifiers struct {
	at    map[string]int32 // value → position in cands
	cands []candidate
	prior map[string]*summary.Mention // of the earlier summary
	known map[string]bool             // values of the system prompt: always in view
	found []identifier.Match          // the values of the text at hand
	args  *jsontext.Decoder           // reused
	first int                         // message numbers read
	last  int
}

// candidate is a value and how it was used.
type candidate struct {
	value    string
	body     string // text of the best sighting
	start    int32  // of the value in body
	from     summary.Source
	kind     identifier.Kind
	origin   origin
	seen     int32 // messages
	args     int32 // calls whose arguments hold it
	lastN    int32
	argsN    int32 // message of the last such call
	crowd    int32 // values in the best sighting's text
	user     bool
	quoted   bool // by the assistant
	outsider bool // first seen outside of arguments
}

// newIdentifiers makes room for the values of so many messages.
func newIdentifiers(t *thread.Thread, old *summary.Structured, messages int) *identifiers {
	l := &identifiers{
		at: make(map[string]int32, messages), cands: make([]candidate, 0, messages),
		prior: make(map[string]*summary.Mention, len(old.Ledger)), known: map[string]bool{},
	}
	for i := range old.Ledger {
		l.prior[old.Ledger[i].Value] = &old.Ledger[i]
	}
	for i := 0; i < t.Len() && t.At(i).Message.Role == message.System; i++ {
		for j := range t.At(i).Message.Parts {
			text := t.At(i).Message.Parts[j].Text
			identifier.Scan(text, func(_ identifier.Kind, a, b int) { l.known[text[a:b]] = true })
		}
	}
	return l
}

// What is read of one text: its start and its end. Longer ones are logs and
// files, whose values can be found again by reading them.
const (
	headBytes = 24 << 10
	tailBytes = 8 << 10
)

func (ids *identifiers) read(text string, at summary.Source, o origin) {
	if len(text) <= headBytes+tailBytes {
		ids.scan(text, at, o)
		return
	}
	ids.scan(text[:headBytes], at, o)
	ids.scan(text[len(text)-tailBytes:], at, o)
}

// readArgs reads the strings of JSON arguments, or the text as it is.
func (ids *identifiers) readArgs(args string, at summary.Source) {
	if len(args) > headBytes+tailBytes || !strings.HasPrefix(strings.TrimLeft(args, " \t\n"), "{") {
		ids.read(args, at, fromArgs)
		return
	}
	if ids.args == nil {
		ids.args = new(jsontext.Decoder)
	}
	d := tool.Decode(ids.args, args)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return
		}
		if k := t.Kind(); k == '0' || k == '"' && !tool.WasName(d) {
			ids.scan(t.String(), at, fromArgs)
		}
	}
}

func (ids *identifiers) scan(text string, at summary.Source, o origin) {
	ids.found = identifier.Append(ids.found[:0], text)
	if ids.first == 0 {
		ids.first = at.N
	}
	ids.last = at.N
	for _, m := range ids.found {
		ids.see(text, m, at, o)
	}
}

func (ids *identifiers) see(text string, m identifier.Match, at summary.Source, o origin) {
	if m.Start > 0 && text[m.Start-1] == '<' {
		return // a tag around output
	}
	v := text[m.Start:m.End]
	i, ok := ids.at[v]
	if !ok {
		if ids.known[v] || common(v) {
			return
		}
		i = int32(len(ids.cands))
		ids.at[v] = i
		ids.cands = append(ids.cands, candidate{value: v, kind: m.Kind, outsider: o != fromArgs})
	}
	c := &ids.cands[i]
	if int(c.lastN) != at.N || c.seen == 0 {
		c.seen++
	}
	if o == fromArgs && (int(c.argsN) != at.N || c.args == 0) {
		c.args++
		c.argsN = int32(at.N)
	}
	if c.body == "" || o >= c.origin {
		c.body, c.start, c.from, c.origin, c.crowd = text, int32(m.Start), at, o, int32(len(ids.found))
	}
	c.lastN = int32(at.N)
	c.user = c.user || o == fromUser
	c.quoted = c.quoted || o == fromAssistant
}

// common reports whether an identifier occurs in every code base.
func common(v string) bool {
	switch v {
	case "README.md", "package.json", "package-lock.json", "pyproject.toml", "setup.py", "__init__.py", "index.ts", "index.js", "main.go", "main.py",
		"go.mod", "go.sum", "tsconfig.json", "requirements.txt", "/dev/null", "/usr/bin/env", "conftest.py", "Cargo.toml", "utf-8", "UTF-8":
		return true
	}
	dot := strings.IndexByte(v, '.')
	if dot <= 0 {
		return false
	}
	switch v[:dot] {
	case "self", "os", "sys", "np", "pd", "JSON", "console", "this", "process", "Math", "Object", "Array", "fmt", "strings", "path", "fs", "pytest", "unittest", "e", "i", "g", "node:fs":
		return strings.IndexByte(v, '/') < 0 && strings.IndexByte(v, '@') < 0
	}
	return false
}

// weight holds what each kind of value is worth by itself.
var weight = [...]float64{
	identifier.None: 0, identifier.Email: 5, identifier.URL: 2.5, identifier.UUID: 4, identifier.Date: 2.5, identifier.Path: 3, identifier.File: 2, identifier.Number: 2.5, identifier.ID: 3.5,
	identifier.Identifier: 1,
}

func (ids *identifiers) score(c *candidate) float64 {
	s := weight[c.kind]
	s += 1.5 * float64(min(c.args, 6))
	if c.outsider && c.args > 0 {
		s += 3 // found somewhere, then used
	}
	if c.user {
		s += 5
	}
	if c.quoted {
		s += 1.5
	}
	if span := ids.last - ids.first; span > 0 {
		s += 3 * float64(int(c.lastN)-ids.first) / float64(span)
	}
	if used := c.args > 0 || c.user || c.quoted; used {
		s += 0.5 * float64(min(c.seen, 6))
	} else {
		s -= crowding(c.crowd)
	}
	if p := ids.prior[c.value]; p != nil {
		s += p.Score / 2
	}
	return s
}

// crowding returns what a value loses that stands among many and was never used.
func crowding(n int32) float64 {
	switch {
	case n > 100:
		return 6
	case n > 30:
		return 4
	case n > 12:
		return 1.5
	}
	return -1.5
}

// rank orders the values by score.
func (ids *identifiers) rank() ranking.Ranking {
	entries := make([]ranking.Entry, len(ids.cands))
	for i := range ids.cands {
		entries[i] = ranking.Entry{Score: ids.score(&ids.cands[i]), Index: int32(i)}
	}
	return ranking.New(entries)
}

// best writes the n best values, each in its line. A value inside a stretch
// already taken needs none of its own, and near stretches become one.
func (ids *identifiers) best(n int) []summary.Mention {
	r := ids.rank()
	var taken []stretch
	byMessage := map[int][]int{}
	for len(taken) < n && len(r) > 0 {
		next := r.Pop()
		c := &ids.cands[next.Index]
		s := ids.stretch(c, next.Score)
		near := slices.ContainsFunc(byMessage[c.from.N], func(j int) bool { return taken[j].absorb(s) })
		if !near {
			byMessage[c.from.N] = append(byMessage[c.from.N], len(taken))
			taken = append(taken, s)
		}
	}
	out := make([]summary.Mention, len(taken))
	for i := range taken {
		out[i] = taken[i].mention()
	}
	return out
}

// stretch is the part of one line that is shown for a value.
type stretch struct {
	prior *summary.Mention // written by an earlier summary, used as it is
	body  string
	a, b  int // shown
	lo    int // start and end of the line, as far as looked
	hi    int
	value string
	score float64
	from  summary.Source
}

const (
	lineWidth  = 100 // bytes of a line shown around a value
	maxStretch = 400 // bytes that near values are shown in together
)

func (ids *identifiers) stretch(c *candidate, score float64) stretch {
	s := stretch{body: c.body, value: c.value, score: score, from: c.from}
	if p := ids.prior[c.value]; p != nil && c.origin <= fromAssistant {
		s.prior, s.from = p, p.From
		return s
	}
	start, end := int(c.start), int(c.start)+len(c.value)
	s.lo, s.hi = max(0, start-maxStretch), min(len(s.body), end+maxStretch)
	if i := strings.LastIndexByte(s.body[s.lo:start], '\n'); i >= 0 {
		s.lo += i + 1
	}
	if i := strings.IndexByte(s.body[end:s.hi], '\n'); i >= 0 {
		s.hi = end + i
	}
	side := max(lineWidth-len(c.value), 30) / 2
	s.a, s.b = max(s.lo, start-side), min(s.hi, end+side)
	if spare := side - (start - s.a); spare > 0 {
		s.b = min(s.hi, s.b+spare)
	}
	if spare := side - (s.b - end); spare > 0 {
		s.a = max(s.lo, s.a-spare)
	}
	return s
}

// absorb takes in a stretch of the same line that overlaps or nearly does.
func (s *stretch) absorb(t stretch) bool {
	if s.prior != nil || t.prior != nil || s.body != t.body || t.a > s.hi || t.b < s.lo {
		return s.prior != nil && strings.Contains(s.prior.Line, t.value)
	}
	a, b := min(s.a, t.a), max(s.b, t.b)
	if b-a > maxStretch || b-a > (s.b-s.a)+(t.b-t.a)+20 || strings.IndexByte(s.body[a:b], '\n') >= 0 {
		return false
	}
	s.a, s.b = a, b
	s.lo, s.hi = min(s.lo, t.lo), max(s.hi, t.hi)
	return true
}

func (s *stretch) mention() summary.Mention {
	if s.prior != nil {
		return summary.Mention{Value: s.value, Line: s.prior.Line, Score: s.score, From: s.prior.From}
	}
	a, b := toWord(s.body, s.a, s.lo, s.b), toWordEnd(s.body, s.b, s.hi, s.a)
	line := oneline.Of(s.body[a:b])
	if a > 0 && s.body[a-1] != '\n' {
		line = "…" + line
	}
	if b < len(s.body) && s.body[b] != '\n' {
		line += "…"
	}
	return summary.Mention{Value: s.value, Line: line, Score: s.score, From: s.from}
}

// toWord moves a back to where a word starts, or to the next start of a rune.
func toWord(s string, a, lo, hi int) int {
	for k := a; k > lo && k > a-24; k-- {
		if s[k-1] == ' ' {
			return k
		}
	}
	if a-lo < 24 {
		return lo
	}
	for a < hi && !utf8.RuneStart(s[a]) {
		a++
	}
	return a
}

// toWordEnd moves b on to where a word ends, or back to the end of a rune.
func toWordEnd(s string, b, hi, lo int) int {
	for k := b; k < hi && k < b+24; k++ {
		if s[k] == ' ' {
			return k
		}
	}
	if hi-b < 24 {
		return hi
	}
	for b > lo && b < len(s) && !utf8.RuneStart(s[b]) {
		b--
	}
	return b
}

func sortByN[T any](list []T, n func(*T) int) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(n(&a), n(&b)) })
}
