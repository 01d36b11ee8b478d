package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
)

// Topic asks for what was said about something, in any words of it.
type Topic struct {
	Text string // required; words, names, paths
	// Limit is the most hits; 0 is 20, negative is no bound.
	Limit int
	// Neighbours states how many messages before and after each hit come along;
	// 0 is 1, negative is none. An answer often stands beside its question.
	Neighbours int
	// Covered leaves out what the prompt shows as it was said: what is left is
	// what the plan summarized, moved out, cleared, cut or dropped.
	Covered bool
	// Lost puts what the prompt does not show as it was said before what it does.
	Lost   bool
	Source Source // only what is kept there; "" is anywhere
	Skip   int    // hits left out before the first returned
	Width  int    // most bytes of text shown of a message; 0 is 400, negative is no bound
	// Around bounds the bytes of Finding.Text with the lines beside it, of each of the best hits;
	// the others have less. Those lines come along as far as they have room: first those that say
	// more of what is searched or, with Lost, of what the prompt does not say. 0 is none.
	Around int
}

// Finding is a message, or an artifact, that a search found.
type Finding struct {
	Ref    string       `json:"ref"` // "#12/2", or an artifact's id
	Number int          `json:"number"`
	Turn   int          `json:"turn"`
	Role   message.Role `json:"role"`
	Tool   string       `json:"tool,omitempty"`
	// Score orders hits, best first; it compares within one search only. A
	// neighbour has none.
	Score float64 `json:"score,omitempty"`
	// Line and Text are the passage that holds most of what was searched; Line
	// is counted from 1 within the part or artifact.
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
	// Before and After are the lines beside it: see Topic.Around. Others are lines farther off, in
	// order, that hold more of what was searched.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	Others []Line   `json:"others,omitempty"`
	// State tells what stands in the prompt for the part (see State), and Records
	// are the records that put it there.
	State   string   `json:"state"`
	Records []string `json:"records,omitempty"`
	// Repeats are the messages that say the same as this hit, in thread order: they come
	// last of all hits. Since tells what became of the file or the value of Text after
	// it, or that this is the newest state of it; "" where nothing is known.
	Repeats []string `json:"repeats,omitempty"`
	Since   string   `json:"since,omitempty"`
	// Beside is, of a neighbour, the Ref of the first hit that it stands beside.
	Beside string `json:"beside,omitempty"`
}

// Line is a line of a text.
type Line struct {
	Line int    `json:"line"` // counted from 1
	Text string `json:"text"`
}

// Findings hold what a search found.
type Findings struct {
	// Hits are the best first, of equals the newest. A hit that says what a better one
	// says, or stands beside it, comes after all others; what a better one says in part
	// counts for less.
	Hits []Finding `json:"hits"`
	// Near are the neighbours of the hits, in thread order, each once; none of
	// them is a hit.
	Near  []Finding `json:"near,omitempty"`
	Total int       `json:"total"` // texts that match, also those not returned
	// Degraded states why the index of meaning gave nothing; "" when there is
	// none, or it answered.
	Degraded string `json:"degraded,omitempty"`
}

// Index finds texts by nearness of meaning: embeddings, say. It holds the texts
// of one thread.
type Index interface {
	// Add is called once for every text of the thread, by each Reader that
	// searches. An id names one text for ever: an index may skip what it has.
	Add(ctx context.Context, id, text string) error
	// Nearest returns the ids of at most n texts, nearest first.
	Nearest(ctx context.Context, text string, n int) ([]string, error)
}

// Search finds the messages and artifacts, of the whole log, that a text is
// about. What the recall tools were asked and gave is not searched: it repeats
// what is. It returns ErrMiss when nothing matches. The first search reads the
// thread, the others what they find.
func (r *Reader) Search(ctx context.Context, t Topic) (Findings, error) {
	if t = t.filled(); len(r.earlier) > 0 {
		return r.searchInTurn(ctx, t)
	}
	return r.search(ctx, t)
}

// search is Search in one thread.
func (r *Reader) search(ctx context.Context, t Topic) (Findings, error) {
	if err := r.fill(ctx); err != nil {
		return Findings{}, fmt.Errorf("search %q: %w", t.Text, err)
	}
	var out Findings
	q := r.words.query(t.Text)
	found := r.matching(t, q)
	if r.Index != nil {
		near, err := r.nearest(ctx, t)
		if err != nil {
			out.Degraded = err.Error()
		} else {
			found = fuse(found, near)
		}
	}
	if err := ctx.Err(); err != nil {
		return Findings{}, fmt.Errorf("search %q: %w", t.Text, err)
	}
	if len(found) == 0 {
		return out, fmt.Errorf("search %q: %w: nothing is about it", t.Text, ErrMiss)
	}
	var fresh *news
	if t.Lost {
		fresh = r.news(q)
	}
	found, repeats := r.order(t, q, found, fresh)
	out.Total = len(found)
	found = found[min(max(t.Skip, 0), len(found)):]
	if t.Limit >= 0 {
		found = found[:min(len(found), t.Limit)]
	}
	s := findingReader{r: r, q: q, width: t.Width, names: Tools(r.Thread), news: fresh, weights: map[string]float64{}}
	for n, f := range found {
		s.room = t.around(n)
		h := s.hit(ctx, f)
		for _, i := range repeats[f.doc] {
			if r.says(i, h.Text) {
				h.Repeats = append(h.Repeats, r.nameOf(Place{Index: i}))
			}
		}
		out.Hits = append(out.Hits, h)
	}
	s.room = t.Around / besideRoom
	for _, n := range r.neighbours(found, t.Neighbours) {
		near := s.beside(n.index)
		near.Beside = out.Hits[n.hit].Ref
		out.Near = append(out.Near, near)
	}
	return out, nil
}

func (t Topic) filled() Topic {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&t.Limit, 20)
	set(&t.Neighbours, 1)
	set(&t.Width, 400)
	return t
}

// The best hits are bestHits; of their Around the others have one part in otherRoom, and neighbours one
// in besideRoom.
const bestHits, otherRoom, besideRoom = 3, 4, 6

// around is Around of a hit, by how many are better.
func (t Topic) around(better int) int {
	if better < bestHits {
		return t.Around
	}
	return t.Around / otherRoom
}

func (r *Reader) wanted(t Topic, doc int) bool {
	d := r.words.docs[doc]
	switch {
	case t.Covered && !r.compacted(d):
		return false
	case t.Source == FromLog:
		return d.artifact < 0
	case t.Source == FromArtifacts:
		return d.artifact >= 0 || r.moved(r.Thread.At(d.index).ID, 0)
	}
	return true
}

// matching are the texts that hold words of the topic, best first.
func (r *Reader) matching(t Topic, q query) []scored {
	found := slices.DeleteFunc(r.words.rank(q), func(s scored) bool { return !r.wanted(t, s.doc) })
	best(found)
	return found
}

// depth states how many times the hits wanted an index of meaning is asked for.
const depth = 4

// nearest are the texts nearest in meaning, each once, nearest first. Ids of
// elsewhere mean nothing.
func (r *Reader) nearest(ctx context.Context, t Topic) ([]int, error) {
	if err := r.feed(ctx); err != nil {
		return nil, fmt.Errorf("fill index: %w", err)
	}
	n := len(r.words.docs)
	if t.Limit >= 0 {
		n = min(n, depth*(t.Limit+max(t.Skip, 0)))
	}
	ids, err := r.Index.Nearest(ctx, t.Text, n)
	if err != nil {
		return nil, fmt.Errorf("ask index: %w", err)
	}
	known := make(map[string]int, len(r.words.docs))
	for i := range r.words.docs {
		known[r.words.docs[i].id] = i
	}
	var docs []int
	for _, id := range ids {
		if doc, ok := known[id]; ok && r.wanted(t, doc) {
			docs = append(docs, doc)
		}
		delete(known, id)
	}
	return docs, nil
}

func best(found []scored) {
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
	})
}

// smooth is the constant of reciprocal rank fusion: the higher, the less the
// first ranks count for.
const smooth = 60

// fuse merges two orders by reciprocal rank: what both hold near the top comes
// first, and neither's scores need compare with the other's.
func fuse(words []scored, meaning []int) []scored {
	sums := map[int]float64{}
	for n, s := range words {
		sums[s.doc] += 1 / float64(smooth+n+1)
	}
	for n, doc := range meaning {
		sums[doc] += 1 / float64(smooth+n+1)
	}
	out := make([]scored, 0, len(sums))
	for doc, sum := range sums {
		out = append(out, scored{doc: doc, score: rounded(sum)})
	}
	best(out)
	return out
}

// neighbours are the positions within n messages of what was found, in order;
// records that are never sent do not count.
func (r *Reader) neighbours(found []scored, n int) (out []neighbour) {
	taken := map[int]bool{} // hits and neighbours
	for _, f := range found {
		if d := r.words.docs[f.doc]; d.artifact < 0 {
			taken[d.index] = true
		}
	}
	for hit, f := range found {
		take := func(i int) {
			if !taken[i] {
				taken[i] = true
				out = append(out, neighbour{i, hit})
			}
		}
		at := r.words.docs[f.doc].index + f.beside
		if f.beside != 0 {
			take(at)
		}
		for _, step := range []int{-1, 1} {
			for i, left := at+step, n; left > 0 && i >= 0 && i < r.Thread.Len(); i += step {
				if !r.Thread.At(i).Message.Meta {
					take(i)
					left--
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b neighbour) int { return cmp.Compare(a.index, b.index) })
	return out
}

// says reports whether a text that was shown of a message stands in another one, too.
func (r *Reader) says(i int, shown string) bool {
	shown = strings.Trim(shown, "…")
	return slices.ContainsFunc(r.Thread.At(i).Message.Parts, func(p message.Part) bool { return strings.Contains(asRead(p), shown) })
}

// neighbour is a message that stands beside a hit.
type neighbour struct{ index, hit int }

// InOrder returns each hit with its neighbours behind it.
func (f *Findings) InOrder() []Finding {
	of := map[string][]Finding{}
	for _, n := range f.Near {
		of[n.Beside] = append(of[n.Beside], n)
	}
	out := make([]Finding, 0, len(f.Hits)+len(f.Near))
	for _, h := range f.Hits {
		out = append(append(out, h), of[h.Ref]...)
	}
	return out
}

// findingReader makes findings of places.
type findingReader struct {
	r     *Reader
	q     query
	width int
	names map[string]string

	room    int   // see Topic.Around
	news    *news // nil where what the prompt shows counts as much
	weights map[string]float64
}

func (s *findingReader) hit(ctx context.Context, f scored) Finding {
	d := s.r.words.docs[f.doc]
	if d.artifact < 0 {
		out := s.entry(d.index)
		out.Score, out.Since = f.score, s.r.since(d.index, out.Text)
		return out
	}
	a := &s.r.Artifacts[d.artifact]
	text, _ := s.r.content(ctx, *a) // it was there when the thread was read; else there is none to show
	out := Finding{
		Ref: s.r.label + a.ID, Number: d.index + 1, Turn: s.r.Thread.Turn(d.index), Role: RoleOf(s.r.Thread.At(d.index).Message),
		Tool: a.Tool, Score: f.score, State: "externalize", Records: ids(s.r.Covering(Place{Artifact: a, Index: d.index, Part: a.Part})),
	}
	p := s.passage(unescaped(text))
	out.Line, out.Text = p.line, p.text
	s.lines(&out, unescaped(text), p)
	return out
}

// beside shows a neighbour of a hit: what the agent says there of it, before what it calls next.
func (s *findingReader) beside(i int) Finding {
	m := s.r.Thread.At(i).Message
	for n, p := range m.Parts {
		if m.Role == message.Assistant && p.Kind == message.Text {
			if f := s.shown(i, n+1, s.passage(p.Text)); !announces(f) {
				return f
			}
		}
	}
	return s.entry(i)
}

// entry shows the part of a message with the best passage.
func (s *findingReader) entry(i int) Finding {
	e := s.r.Thread.At(i)
	best, at := passage{worth: -1}, 0
	for n := range e.Message.Parts {
		if repeats(e.Message.Parts[n], s.names) && n+1 < len(e.Message.Parts) {
			continue
		}
		if p := s.passage(asRead(e.Message.Parts[n])); p.worth > best.worth && (p.text != "" || at == 0) {
			best, at = p, n+1
		}
	}
	return s.shown(i, at, best)
}

// shown is the finding of a passage in a part of a message; of part 0, a message without any.
func (s *findingReader) shown(i, at int, best passage) Finding {
	e := s.r.Thread.At(i)
	out := Finding{
		Ref: s.r.nameOf(Place{Index: i, Part: at}), Number: i + 1, Turn: s.r.Thread.Turn(i), Role: RoleOf(e.Message),
		Line: best.line, Text: best.text, State: s.r.state(e.ID, at), Records: ids(s.r.Covering(Place{Index: i, Part: at})),
	}
	if at > 0 {
		s.lines(&out, asRead(e.Message.Parts[at-1]), best)
		out.Tool = toolOf(e.Message.Parts[at-1], s.names)
	}
	if e.Message.Meta {
		out.State = "not sent"
	}
	return out
}

// passage is a line of a text, or a stretch of a long one.
type passage struct {
	text  string
	line  int
	worth float64
}

// passage is the stretch that holds most of the query, the first of equals; the
// first that is not blank when none holds any.
func (s *findingReader) passage(text string) passage {
	best := passage{worth: -1}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		for from := 0; from < len(line); {
			to := s.stretch(line, from)
			if w := s.worth(line[from:to]); w > best.worth {
				best = passage{window(line, from, to, s.width), n, w}
			}
			from = to
		}
	}
	best.worth = max(best.worth, 0)
	return best
}

// stretch is the end of the stretch of a line that begins at from.
func (s *findingReader) stretch(line string, from int) int {
	if s.width < 0 || len(line)-from <= s.width {
		return len(line)
	}
	to := from + s.width
	if i := strings.LastIndexFunc(line[from:to], func(r rune) bool { return !wordRune(r) && !joins(r) }); i > 0 {
		_, n := utf8.DecodeRuneInString(line[from+i:])
		return from + i + n
	}
	for to > from+1 && !utf8.RuneStart(line[to]) {
		to--
	}
	return to
}

// worth returns what the terms of the query in a text are worth, each once.
func (s *findingReader) worth(text string) float64 {
	return s.worthBeside(text, map[string]bool{})
}

// worthBeside is worth of the terms that are not seen yet, which it notes.
func (s *findingReader) worthBeside(text string, seen map[string]bool) float64 {
	sum := 0.0
	terms(text, func(t string) {
		if w := s.weight(t); w > 0 && !seen[t] {
			seen[t] = true
			sum += w
		}
	})
	return rounded(sum)
}
