package recall

import (
	"errors"
	"fmt"
	"regexp"
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

const (
	hitWidth = 500 // bytes of a line shown
	hitRoom  = 900 // see Topic.Around
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
			t.Around = hitRoom
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
		Pattern: pattern, Newest: true, Ref: ref, Covered: covered, Source: source, Context: around, Skip: skip, Max: limit, Width: hitWidth, Work: l.work,
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
