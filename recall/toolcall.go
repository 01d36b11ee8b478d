package recall

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// read answers precis_read: a page of a text.
func (l *toolCall) read() (answerWithin, error) {
	from, to := l.args.number("from_line", 1, 1<<30, 0), l.args.number("to_line", 1, 1<<30, 0)
	cursor := l.args.text("cursor", 40)
	p, err := l.find()
	if err != nil {
		return nil, err
	}
	text, err := l.r.text(l.ctx, p, asRead)
	if err != nil {
		return nil, err
	}
	at, end, err := l.span(text, from, to, cursor)
	if err != nil {
		return nil, err
	}
	name, what := l.r.nameOf(p), l.what(p)
	return func(room int) answerText {
		piece := text[at:end]
		if len(piece) > room {
			piece = piece[:border(piece, room)]
		}
		stop := at + len(piece)
		first := 1 + strings.Count(text[:at], "\n")
		s := answerText{refs: []string{name}}
		var lost int
		s.body, lost = legible(piece)
		s.head = fmt.Sprintf("%s%s, lines %d-%d of %d, bytes %d-%d of %d",
			name, what, first, max(first, first-1+countLines(piece)), countLines(text), at, stop, len(text))
		var tail []string
		if lost > 0 {
			are := "are"
			if lost == 1 {
				are = "is"
			}
			tail = append(tail, fmt.Sprintf("%s that %s no text %s shown as ?", many(lost, "byte"), are, are))
		}
		if stop < end {
			tail = append(tail, fmt.Sprintf(`%s more: cursor "%d-%d" goes on`, many(end-stop, "byte"), stop, end))
		}
		s.tail = strings.Join(tail, "; ")
		return s
	}, nil
}

// span is the stretch of a text that is asked for, in bytes. A cursor is such a
// stretch.
func (l *toolCall) span(text string, from, to int, cursor string) (at, end int, err error) {
	if cursor != "" {
		a, b, _ := strings.Cut(cursor, "-")
		at, err1 := strconv.Atoi(a)
		end, err2 := strconv.Atoi(b)
		if errors.Join(err1, err2) != nil || at < 0 || at > end || end > len(text) {
			return 0, 0, &refusal{BadArgument, "cursor " + short(cursor) + " is none of this text's: leave it out to begin at the start"}
		}
		return at, end, nil
	}
	lines := countLines(text)
	from = max(from, 1)
	if to == 0 || to > lines {
		to = lines
	}
	if lines > 0 && from > lines {
		return 0, 0, &refusal{Miss, fmt.Sprintf("line %d is past the end: it has %s", from, many(lines, "line"))}
	}
	if to < from {
		to = from
	}
	before := 0
	if from > 1 {
		before = len(selected(text, 1, from-1))
	}
	return before, before + len(selected(text, from, to)), nil
}

// what says whose a place's text is.
func (l *toolCall) what(p Place) string {
	var said []string
	add := func(format string, s string) {
		if s != "" {
			said = append(said, fmt.Sprintf(format, label(s)))
		}
	}
	switch {
	case p.Artifact != nil:
		if _, ok := l.r.Thread.Find(p.Artifact.Source); ok {
			said = append(said, "from "+l.r.nameOf(Place{Index: p.Index, Part: p.Part}))
		}
		add("output of %s", p.Artifact.Tool)
	case p.Record != nil:
		said = append(said, many(p.Record.Span.Count(), "message"))
	default:
		m := l.r.Thread.At(p.Index).Message
		if n := max(p.Part, 1); p.Part == 0 && len(m.Parts) != 1 || m.Parts[n-1].Kind == message.Text {
			said = append(said, string(RoleOf(m)))
		} else {
			said = append(said, string(m.Parts[n-1].Kind))
			add("%s", toolOf(m.Parts[n-1], Tools(l.r.Thread)))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return ", " + strings.Join(said, " ")
}

// hit is a line found, of either kind of search.
type hit struct {
	Hit
	records []string
	beside  bool // a neighbour of a hit
	repeats []string
	since   string
}

const (
	hitWidth = 300 // bytes of a line shown
	mostHits = 100
)

// grep answers precis_grep: by words, or line by line.
func (l *toolCall) grep() (answerWithin, error) {
	query := l.args.text("query", 1000)
	if strings.TrimSpace(query) == "" {
		l.args.fail("query is missing: the words to look for")
	}
	lines := l.args.flag("regexp")
	scope := l.args.choice("scope", "all", "covered", "log", "artifacts")
	limit, around := l.args.number("limit", 1, mostHits, 10), l.args.number("context", 0, 10, 0)
	skip, ref := l.skip(), l.args.id()
	if ref != "" {
		whole := l.r
		if _, err := l.find(); err != nil {
			return nil, err
		}
		_, ref = whole.of(ref)
	}
	if l.args.err != nil {
		return nil, l.args.err
	}
	source := Source("")
	if scope == string(FromLog) || scope == string(FromArtifacts) {
		source = Source(scope)
	}
	covered := scope == "covered"
	if !lines && ref == "" {
		t := Topic{Text: query, Limit: limit, Skip: skip, Covered: covered, Lost: true, Source: source, Width: hitWidth}
		if !l.args.has("context") {
			t.Around = hitWidth
		}
		return l.words(t, around)
	}
	if !lines {
		query = anyOf(query)
	}
	pattern, err := expression(query)
	if err != nil {
		return nil, &refusal{BadArgument, "query is no RE2 expression: " + window(err.Error(), 0, 0, 200) + "; without regexp it is taken as words"}
	}
	return l.lines(Query{
		Pattern: pattern, Ref: ref, Covered: covered, Source: source, Context: around, Skip: skip, Max: limit, Width: hitWidth, Work: l.work,
	})
}

// skip reads the cursor of a search: how many hits were shown before.
func (l *toolCall) skip() int {
	c := l.args.text("cursor", 40)
	if c == "" {
		return 0
	}
	n, err := strconv.Atoi(c)
	if err != nil || n < 0 {
		l.args.fail("cursor %s is none: leave it out to begin with the first hit", short(c))
	}
	return n
}

// anyOf is an expression for the lines that hold any of some words.
func anyOf(words string) string {
	all := strings.Fields(words)
	for i := range all {
		all[i] = regexp.QuoteMeta(all[i])
	}
	return "(?i)" + strings.Join(all, "|")
}

func (l *toolCall) lines(q Query) (answerWithin, error) {
	found, err := l.r.Grep(l.ctx, q)
	if errors.Is(err, ErrMiss) {
		return nil, fmt.Errorf("%w: no line matches; plain words, without regexp, find what is near", errNothing)
	}
	if err != nil {
		return nil, err
	}
	var all []hit
	for _, h := range found.Hits {
		all = append(all, hit{Hit: h})
	}
	return l.hits(all, q.Skip, found.Total, "lines that match, in order")
}

func (l *toolCall) words(t Topic, around int) (answerWithin, error) {
	found, err := l.r.Search(l.ctx, t)
	l.got.Degraded = found.Degraded
	if errors.Is(err, ErrMiss) {
		return nil, fmt.Errorf("%w: no message is about these words; try others, or scope all", errNothing)
	}
	if err != nil {
		return nil, err
	}
	var all []hit
	add := func(f Finding, beside bool) error {
		h := hit{
			Hit:     Hit{Ref: f.Ref, Number: f.Number, Role: f.Role, Tool: f.Tool, Line: f.Line, Text: f.Text, State: f.State},
			records: f.Records, beside: beside, repeats: f.Repeats, since: f.Since,
		}
		var err error
		if h.Before, h.After = f.Before, f.After; around > 0 {
			h.Before, h.After, err = l.around(f, around)
		}
		all = append(all, h)
		return err
	}
	for _, f := range found.Hits {
		if err := add(f, false); err != nil {
			return nil, err
		}
	}
	for _, f := range found.Near {
		if err := add(f, true); err != nil {
			return nil, err
		}
	}
	return l.hits(all, t.Skip, found.Total, "messages about it, best first")
}

// around are the lines beside a finding's.
func (l *toolCall) around(f Finding, n int) (before, after []string, err error) {
	if n == 0 || f.Line == 0 {
		return nil, nil, nil
	}
	r, ref := l.r.of(f.Ref)
	p, err := r.Find(l.ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	text, err := r.text(l.ctx, p, asRead)
	if err != nil {
		return nil, nil, err
	}
	no := 0
	for line := range strings.Lines(text) {
		no++
		switch {
		case no > f.Line+n:
			return before, after, nil
		case no >= f.Line-n && no < f.Line:
			before = append(before, window(strings.TrimRight(line, "\r\n"), 0, 0, hitWidth))
		case no > f.Line:
			after = append(after, window(strings.TrimRight(line, "\r\n"), 0, 0, hitWidth))
		}
	}
	return before, after, nil
}

// hits shows as many hits as have room; neighbours only after all of them. The lines beside
// them are shown where all have room with them, or were asked for.
func (l *toolCall) hits(all []hit, skip, total int, what string) (answerWithin, error) {
	if len(all) == 0 {
		return nil, &refusal{BadArgument, fmt.Sprintf("cursor is past the end: there are %d %s", total, what)}
	}
	texts := hitTexts(all)
	bare := texts
	if !l.args.has("context") {
		alone := slices.Clone(all)
		for i := range alone {
			alone[i].Before, alone[i].After = nil, nil
		}
		bare = hitTexts(alone)
	}
	return func(room int) answerText {
		s := answerText{}
		var n int
		if s.body, n = joinLines(texts, room); n < len(all) {
			s.body, n = joinLines(bare, room)
		}
		s.body, _ = legible(s.body)
		shown := 0
		for i := range all[:n] {
			s.refs = append(s.refs, all[i].Ref)
			if !all[i].beside {
				shown++
			}
		}
		s.refs = unique(s.refs)
		s.head = fmt.Sprintf("hits %d-%d of %d %s", skip+1, skip+shown, total, what)
		if skip+shown < total {
			s.tail = fmt.Sprintf(`%d more: cursor "%d" goes on`, total-skip-shown, skip+shown)
		}
		return s
	}, nil
}

func hitTexts(all []hit) []string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = hitText(all, i)
	}
	return texts
}

func unique(refs []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range refs {
		if !seen[r] {
			out = append(out, r)
		}
		seen[r] = true
	}
	return out
}

// hitText is one hit in lines: where it stands, if that is new, and what it says
// with the lines beside it that the hits before and after do not show.
func hitText(all []hit, i int) string {
	h := all[i]
	var b strings.Builder
	after := len(h.After)
	if i+1 < len(all) && all[i+1].Ref == h.Ref && all[i+1].Line > h.Line {
		after = min(after, all[i+1].Line-h.Line-1)
	}
	from := h.Line - len(h.Before)
	if i > 0 && all[i-1].Ref == h.Ref && all[i-1].Line < h.Line {
		from = max(from, all[i-1].Line+len(all[i-1].After)+1)
	} else {
		b.WriteString(place(h))
	}
	for n := min(from, h.Line); n < h.Line; n++ {
		fmt.Fprintf(&b, "%6d- %s\n", n, oneLine(h.Before[len(h.Before)-(h.Line-n)]))
	}
	fmt.Fprintf(&b, "%6d: %s", h.Line, oneLine(h.Text))
	for n, text := range h.After[:after] {
		fmt.Fprintf(&b, "\n%6d- %s", h.Line+1+n, oneLine(text))
	}
	return b.String()
}

func place(h hit) string {
	s := h.Ref
	if h.Role != "" {
		s += " " + string(h.Role)
	}
	if h.Tool != "" {
		s += " " + label(h.Tool)
	}
	if h.beside {
		s += ", beside a hit"
	}
	s += stateNote(h.State, h.records)
	if n := len(h.repeats); n > 0 {
		s += "; the same again in " + strings.Join(h.repeats[max(0, n-3):], " ")
		if n > 3 {
			s += fmt.Sprintf(" and %d more", n-3)
		}
	}
	if h.since != "" {
		s += "; " + h.since
	}
	return s + "\n"
}

// stateNote reports what stands in the prompt, where that is not the thing itself.
func stateNote(state string, records []string) string {
	if state == "" || state == "whole" {
		return ""
	}
	return " (" + strings.Join(append([]string{state}, records...), " ") + ")"
}
