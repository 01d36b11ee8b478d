package recall

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// defaultPage is the most bytes of a page when the range states none.
const defaultPage = 32 << 10

// Range selects from a text. The zero value is its beginning, up to 32 KiB
// bytes.
type Range struct {
	From, To int // lines, counted from 1, both included; 0 is open
	Skip     int // bytes of the selected lines to leave out: Page.Next of the page before
	Max      int // most bytes; 0 is 32 KiB, negative is no bound
}

// Page is a piece of a text.
type Page struct {
	Ref   string `json:"ref"`
	Text  string `json:"text"`
	From  int    `json:"from_line"` // of the selection, counted from 1
	To    int    `json:"to_line"`
	Lines int    `json:"lines"` // of the whole text
	Bytes int    `json:"bytes"` // of the whole text
	// Next is the Skip of the page that follows, 0 when this one is the last.
	Next int `json:"next,omitempty"`
}

// Read returns the text of what a reference names. A part, an artifact, and a
// message of one part are exactly their text; a message of several parts, and
// the messages a record covers, have a line in brackets before each. The logical path of
// a summary is its text and the list of what lies behind it. The texts of successive
// pages joined are the text.
func (r *Reader) Read(ctx context.Context, ref string, in Range) (Page, error) {
	r, ref = r.of(ref)
	p, err := r.Find(ctx, ref)
	if err != nil {
		return Page{}, err
	}
	text, err := r.text(ctx, p, Text)
	if err != nil {
		return Page{}, err
	}
	return page(r.nameOf(p), text, in)
}

// nameOf is the short form of a reference to a place.
func (r *Reader) nameOf(p Place) string {
	switch {
	case p.Path != "":
		return p.Path
	case p.Record != nil:
		return r.label + p.Record.ID
	case p.Artifact != nil:
		return r.label + p.Artifact.ID
	case p.Part > 0:
		return r.label + ref.Part(p.Index+1, p.Part).String()
	}
	return r.label + ref.Message(p.Index+1).String()
}

// text is what a place holds, its parts in a form: Text or asRead.
func (r *Reader) text(ctx context.Context, p Place, form func(message.Part) string) (string, error) {
	switch {
	case p.Artifact != nil:
		text, err := r.content(ctx, *p.Artifact)
		return form(message.Part{Kind: message.Result, Parts: []message.Part{{Kind: message.Text, Text: text}}}), err
	case p.Part > 0:
		return form(r.Thread.At(p.Index).Message.Parts[p.Part-1]), nil
	case p.Path != "":
		return p.Record.Body() + "\n\n" + metaOf(p.Record).Text(), nil
	case p.Record != nil:
		return r.covered(p.Record.Span.IDs, form), nil
	}
	return r.whole(p.Index, form), nil
}

// whole is the text of a message.
func (r *Reader) whole(i int, form func(message.Part) string) string {
	ps := r.Thread.At(i).Message.Parts
	if len(ps) == 1 {
		return form(ps[0])
	}
	return labelled(r.parts(i, form))
}

// labelledText is a text and the label above it.
type labelledText struct{ label, text string }

// parts are the parts of a message with what each is.
func (r *Reader) parts(i int, form func(message.Part) string) (all []labelledText) {
	for n, p := range r.Thread.At(i).Message.Parts {
		all = append(all, labelledText{r.nameOf(Place{Index: i, Part: n + 1}) + " " + title(p), form(p)})
	}
	return all
}

func title(p message.Part) string {
	s := string(p.Kind)
	if p.Name != "" {
		s += " " + label(p.Name)
	}
	if p.Failed {
		s += " failed"
	}
	return s
}

func (r *Reader) covered(ids []thread.ID, form func(message.Part) string) string {
	var all []labelledText
	for _, id := range ids {
		i, ok := r.Thread.Find(id)
		if !ok {
			continue
		}
		m := r.Thread.At(i).Message
		of := labelledText{label: r.nameOf(Place{Index: i}) + " " + string(RoleOf(m))}
		if len(m.Parts) == 1 {
			of.text = form(m.Parts[0])
			all = append(all, of)
			continue
		}
		all = append(append(all, of), r.parts(i, form)...)
	}
	return labelled(all)
}

// labelled writes each text below its label in brackets. Where a text holds a line that could
// be taken for a label, all labels have a word that no text holds, and the first says so.
func labelled(all []labelledText) string {
	key, first := "", ""
	if slices.ContainsFunc(all, func(x labelledText) bool { return likeLabel.MatchString(x.text) }) {
		var texts strings.Builder
		for _, x := range all {
			texts.WriteString(x.text + "\n")
		}
		key = keyOf(texts.String())
		key, first = " "+key, "; a line in brackets without "+key+" is content"
	}
	var b strings.Builder
	for _, x := range all {
		b.WriteString("[" + x.label + key + first + "]\n")
		paragraph(&b, x.text)
		first = ""
	}
	return b.String()
}

// likeLabel matches a line that could be taken for a label.
var likeLabel = regexp.MustCompile(`(?m)^\s*\[(?:` + earlierName + `[0-9]+:)?#[0-9]`)

func paragraph(b *strings.Builder, text string) {
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// outside is an ErrOutside, and so an ErrMiss.
type outside string

func (o outside) Error() string { return string(o) }

// Is makes it both.
func (outside) Is(target error) bool { return target == ErrMiss || target == ErrOutside }

// page cuts a range from a text, after a line where it can.
func page(ref, text string, in Range) (Page, error) {
	p := Page{Ref: ref, Bytes: len(text), Lines: countLines(text)}
	p.From, p.To = max(in.From, 1), in.To
	if p.To <= 0 || p.To > p.Lines {
		p.To = p.Lines
	}
	if p.Lines > 0 && p.From > p.To {
		return p, fmt.Errorf("read %s lines %d:%d: %w", ref, in.From, in.To, outside("it has "+many(p.Lines, "line")))
	}
	sel := selected(text, p.From, p.To)
	if in.Skip < 0 || in.Skip > len(sel) {
		return p, fmt.Errorf("read %s from byte %d: %w", ref, in.Skip, outside("the selection has "+many(len(sel), "byte")))
	}
	p.Text = sel[in.Skip:]
	limit := in.Max
	if limit == 0 {
		limit = defaultPage
	}
	if limit > 0 && len(p.Text) > limit {
		p.Text = p.Text[:border(p.Text, limit)]
		p.Next = in.Skip + len(p.Text)
	}
	return p, nil
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// selected are lines from to to of s, with their newlines.
func selected(s string, from, to int) string {
	start, n := 0, 1
	for ; n < from; n++ {
		start += strings.IndexByte(s[start:], '\n') + 1
	}
	end := start
	for ; n <= to; n++ {
		i := strings.IndexByte(s[end:], '\n')
		if i < 0 {
			return s[start:]
		}
		end += i + 1
	}
	return s[start:end]
}

// border returns where to cut s, at most limit bytes from its start: after a line if
// that keeps half, else between characters. It is never 0.
func border(s string, limit int) int {
	if i := strings.LastIndexByte(s[:limit], '\n'); i+1 > limit/2 {
		return i + 1
	}
	n := limit
	for n > 0 && n > limit-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return max(n, 1)
}
