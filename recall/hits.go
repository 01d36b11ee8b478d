package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// hit is a line found, of either kind of search.
type hit struct {
	Hit
	records []string
	beside  bool         // a neighbour of a hit
	others  []Line       // see Finding.Others
	of      answeredCall // of a result
	repeats []string
	since   string
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
	for i, h := range found.Hits {
		shown := hit{Hit: h}
		if i == 0 || found.Hits[i-1].Ref != h.Ref {
			if shown.of, shown.since, err = l.about(h); err != nil {
				return nil, err
			}
		}
		all = append(all, shown)
	}
	return l.hits(all, q.Skip, found.Total, "lines that match, newest message first")
}

// about returns the call that a line found answers, and what became of what it shows.
func (l *toolCall) about(h Hit) (of answeredCall, since string, err error) {
	r, _ := l.r.of(h.Ref)
	if of, err = l.answered(h.Ref); err != nil {
		return of, "", err
	}
	if err = r.fill(l.ctx); err != nil {
		return of, "", err
	}
	return of, r.since(h.Number-1, h.Text), nil
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
	all, err := l.listed(found, around)
	if err != nil {
		return nil, err
	}
	return l.hits(all, t.Skip, found.Total, "messages with words of it, best first")
}

// listed are the hits that a search found, each with those of its neighbours that tell something.
func (l *toolCall) listed(found Findings, around int) (all []hit, err error) {
	told := map[string]bool{} // calls that the line above their results tells
	for _, f := range found.InOrder() {
		if f.Beside != "" && announces(f) {
			continue
		}
		h := hit{
			Hit: Hit{Ref: f.Ref, Number: f.Number, Role: f.Role, Tool: f.Tool, Line: f.Line, Text: f.Text, State: f.State, Before: f.Before, After: f.After}, others: f.Others,
			records: f.Records, beside: f.Beside != "", repeats: f.Repeats, since: f.Since,
		}
		if h.of, err = l.answered(f.Ref); err != nil {
			return nil, err
		}
		if around > 0 {
			if h.Before, h.After, err = l.around(f, around); err != nil {
				return nil, err
			}
		}
		if h.beside && h.of.silent {
			continue
		}
		told[h.of.ref] = true
		all = append(all, h)
	}
	return slices.DeleteFunc(all, func(h hit) bool { return h.beside && told[h.Ref] }), nil
}

// announces reports whether a neighbour of a hit says nothing, or only what comes next in it.
func announces(f Finding) bool {
	text := strings.TrimSpace(f.Text)
	said := strings.TrimRight(text, ":：")
	return text == "" || said != text && f.Role == message.Assistant && f.Tool == "" && !strings.ContainsAny(said, ".!?;。！？；")
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

// hits shows as many hits as have room; neighbours only with all of them, those of the best first. The
// lines beside them are shown where all have room with them, or were asked for.
func (l *toolCall) hits(all []hit, skip, total int, what string) (answerWithin, error) {
	if len(all) == 0 {
		return nil, &refusal{BadArgument, fmt.Sprintf("cursor is past the end: there are %d %s", total, what)}
	}
	bare := all
	if !l.args.has("context") {
		bare = slices.Clone(all)
		for i := range bare {
			bare[i].Before, bare[i].After, bare[i].others = nil, nil, nil
		}
	}
	return func(room int) answerText {
		fit := fitting(all, room)
		if len(fit) < len(all) {
			fit = fitting(bare, room)
		}
		s := answerText{}
		s.body, _ = joinLines(hitTexts(fit), room)
		s.body, _ = legible(s.body)
		shown := 0
		for i := range fit {
			s.refs = append(s.refs, fit[i].Ref)
			if !fit[i].beside {
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

// fitting are the hits that have room, in order, the first whatever it takes; and beside all hits, the
// neighbours that have.
func fitting(all []hit, room int) (fit []hit) {
	texts, takes := hitTexts(all), make([]bool, len(all))
	for _, beside := range []bool{false, true} {
		for i := range all {
			n := len(texts[i]) + 1
			switch {
			case all[i].beside != beside:
			case n <= room || i == 0:
				takes[i], room = true, room-n
			case !beside: // the others come with the cursor
				room = 0
			}
		}
	}
	for i, h := range all {
		if takes[i] {
			fit = append(fit, h)
		}
	}
	return fit
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
	first, end := 1, math.MaxInt // lines that are to be shown
	var b strings.Builder
	if i > 0 && all[i-1].Ref == h.Ref && all[i-1].Line < h.Line {
		first = all[i-1].Line + len(all[i-1].After) + 1
	} else {
		b.WriteString(strings.TrimSuffix(place(h), "\n"))
	}
	if i+1 < len(all) && all[i+1].Ref == h.Ref && all[i+1].Line > h.Line {
		end = all[i+1].Line
	}
	last := 0
	for _, l := range h.lines() {
		if l.Line <= last || l.Line < first && l.Line != h.Line || l.Line >= end {
			continue
		}
		mark := '-'
		if l.Line == h.Line || slices.Contains(h.others, l) {
			mark = ':'
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%6d%c %s", l.Line, mark, oneLine(l.Text))
		last = l.Line
	}
	return b.String()
}

// lines are all lines of a hit in order, some of them twice.
func (h hit) lines() (all []Line) {
	for n, text := range h.Before {
		all = append(all, Line{h.Line - len(h.Before) + n, text})
	}
	all = append(all, Line{h.Line, h.Text})
	for n, text := range h.After {
		all = append(all, Line{h.Line + 1 + n, text})
	}
	all = append(all, h.others...)
	slices.SortStableFunc(all, func(a, b Line) int { return cmp.Compare(a.Line, b.Line) })
	return all
}

func place(h hit) string {
	s := h.Ref
	if h.Role != "" {
		s += " " + string(h.Role)
	}
	if h.Tool != "" {
		s += " " + label(h.Tool)
	}
	if h.of.said != "" {
		s += " `" + h.of.said + "`"
	}
	if h.beside {
		s += ", beside it"
	}
	if h.State == "summarize" { // the records' ids say nothing more
		h.records = nil
	}
	s += stateNote(h.State, h.records)
	if h.of.failure != "" && !h.shows(h.of.failure) {
		s += "; failed: " + h.of.failure
	}
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

// shows reports whether a text stands in the lines of a hit.
func (h hit) shows(text string) bool {
	return strings.Contains(strings.Join(slices.Concat(h.Before, []string{h.Text}, h.After), "\n"), text)
}

// stateNote reports what stands in the prompt, where that is not the thing itself.
func stateNote(state string, records []string) string {
	if state == "" || state == "whole" {
		return ""
	}
	return " (" + strings.Join(append([]string{state}, records...), " ") + ")"
}

// Listing is Search as the model's tool asks it where a topic leaves width and lines open, with what that
// tool shows of it. The text is content: it is not framed, and what controls a terminal is not taken out.
func (r *Reader) Listing(ctx context.Context, t Topic) (found Findings, text string, err error) {
	t.Width, t.Around = cmp.Or(t.Width, hitWidth), cmp.Or(t.Around, hitRoom)
	if found, err = r.Search(ctx, t); err != nil {
		return found, "", err
	}
	l := &toolCall{ctx: ctx, r: r, args: &arguments{}, got: &Retrieval{}}
	all, err := l.listed(found, 0)
	if err != nil {
		return found, "", fmt.Errorf("show hits of %q: %w", t.Text, err)
	}
	return found, strings.Join(hitTexts(all), "\n") + "\n", nil
}
