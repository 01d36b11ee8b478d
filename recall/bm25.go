package recall

import (
	"context"
	"math"
	"strings"
	"sync"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/thread"
)

// BM25's constants, as they are set for texts of very different lengths.
const (
	saturation = 0.9 // how soon a term's repeats stop counting
	lengthBias = 0.4 // how much a long text is held against itself
)

// bm25 finds the texts of a thread by their words. The zero value is empty;
// it is filled when it is first asked.
type bm25 struct {
	mu     sync.Mutex
	filled bool
	fed    bool // to Reader.Index
	docs   []doc
	posts  map[string][]post
	mean   float64            // terms of a text
	files  map[string][]touch // by the last name of their paths, in thread order
}

// doc is a searched text: an entry of the log, or an artifact that holds other
// text than its source does.
type doc struct {
	id       string // entry or artifact id
	index    int    // of the entry, of an artifact its source's
	artifact int    // position in Reader.Artifacts, -1 for an entry
	terms    int
}

// post says that a text holds a term so many times.
type post struct{ doc, times int32 }

// scored is a text that holds something of what is searched.
type scored struct {
	doc    int
	score  float64
	beside int // how many messages after it the middle of what is shown with it stands
}

// fill reads the thread once. Where ctx ended it, the next search begins again.
func (r *Reader) fill(ctx context.Context) error {
	l := &r.words
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.filled {
		return nil
	}
	l.docs, l.posts, l.mean = nil, map[string][]post{}, 0
	err := r.texts(ctx, func(d doc, text string) error {
		l.add(d, text)
		return nil
	})
	if err != nil {
		return err
	}
	l.mean /= float64(max(len(l.docs), 1))
	l.files = touches(r.Thread)
	l.filled = true
	return nil
}

// feed gives the thread to the index of meaning, once.
func (r *Reader) feed(ctx context.Context) error {
	l := &r.words
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fed {
		return nil
	}
	err := r.texts(ctx, func(d doc, text string) error {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return r.Index.Add(ctx, d.id, text)
	})
	l.fed = err == nil
	return err
}

// texts calls f for each searched text, entries in thread order first.
func (r *Reader) texts(ctx context.Context, f func(doc, string) error) error {
	names := Tools(r.Thread)
	for i := range r.Thread.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := r.Thread.At(i)
		if err := f(doc{id: string(e.ID), index: i, artifact: -1}, said(e.Message, names)); err != nil {
			return err
		}
	}
	for n := range r.Artifacts {
		i, text, ok := r.ownText(ctx, n)
		if err := ctx.Err(); err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := f(doc{id: r.Artifacts[n].ID, index: i, artifact: n}, unescaped(text)); err != nil {
			return err
		}
	}
	return nil
}

// ownText is an artifact's text where the log does not hold it, and the
// position of its source. What has expired or is sealed has none: its message,
// if it is logged, is searched.
func (r *Reader) ownText(ctx context.Context, n int) (at int, text string, ok bool) {
	a := &r.Artifacts[n]
	i, found := r.Thread.Find(a.Source)
	if !found {
		return 0, "", false
	}
	text, err := r.content(ctx, *a)
	if err != nil {
		return 0, "", false
	}
	parts := r.Thread.At(i).Message.Parts
	return i, text, a.Part <= 0 || a.Part > len(parts) || Text(parts[a.Part-1]) != text
}

// said is all text of a message, and the names of the tools it calls, but for
// what the recall tools repeat.
func said(m message.Message, names map[string]string) string {
	if len(m.Parts) == 1 && m.Parts[0].Name == "" && !repeats(m.Parts[0], names) {
		return asRead(m.Parts[0])
	}
	var b strings.Builder
	for n := range m.Parts {
		p := &m.Parts[n]
		if repeats(*p, names) {
			continue
		}
		if p.Kind == message.Call {
			b.WriteString(p.Name)
			b.WriteByte('\n')
		}
		paragraph(&b, asRead(*p))
	}
	return b.String()
}

// repeats reports whether a part is a call of a recall tool, or its result.
func repeats(p message.Part, names map[string]string) bool {
	return (p.Kind == message.Call || p.Kind == message.Result) && rehydrate.Explicit(toolOf(p, names))
}

func (l *bm25) add(d doc, text string) {
	n := int32(len(l.docs))
	terms(text, func(t string) {
		d.terms++
		ps := l.posts[t]
		if last := len(ps) - 1; last >= 0 && ps[last].doc == n {
			ps[last].times++
			return
		}
		if len(ps) == 0 {
			t = strings.Clone(t) // a key must not keep the text alive
		}
		l.posts[t] = append(ps, post{n, 1})
	})
	l.docs = append(l.docs, d)
	l.mean += float64(d.terms)
}

// query holds what a text searches: its terms in order, each once, with what they
// are worth: the rarer in the thread, the more.
type query struct {
	terms []string
	worth map[string]float64
	most  float64 // what the term is worth that is worth most
}

// query reads a text. Words of the language alone say nothing of a subject, so
// they count only where there are no others.
func (l *bm25) query(text string) query {
	all, some := query{worth: map[string]float64{}}, query{worth: map[string]float64{}}
	terms(text, func(t string) {
		t = strings.Clone(t)
		l.put(&all, t)
		if !common[t] {
			l.put(&some, t)
		}
	})
	if len(some.terms) == 0 {
		return all
	}
	return some
}

func (l *bm25) put(q *query, t string) {
	if _, ok := q.worth[t]; ok {
		return
	}
	held, all := float64(len(l.posts[t])), float64(len(l.docs))
	q.worth[t] = rounded(math.Log(1 + (all-held+.5)/(held+.5)))
	q.terms, q.most = append(q.terms, t), max(q.most, q.worth[t])
}

// rank scores every text that holds a term of the query, by BM25, in thread
// order.
func (l *bm25) rank(q query) []scored {
	sums := make([]float64, len(l.docs))
	for _, t := range q.terms {
		for _, p := range l.posts[t] {
			sums[p.doc] += l.share(q.worth[t], p)
		}
	}
	var out []scored
	for i, s := range sums {
		if s > 0 {
			out = append(out, scored{doc: i, score: rounded(s)})
		}
	}
	return out
}

// share is what a term of some worth adds to the score of a text that holds it.
func (l *bm25) share(worth float64, p post) float64 {
	times, long := float64(p.times), float64(l.docs[p.doc].terms)/l.mean
	norm := times + rounded(saturation*(1-lengthBias+lengthBias*long))
	return rounded(worth * times * (saturation + 1) / norm)
}

// rounded makes a score the same on any machine, whatever its floating point
// unit does in one step.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// compacted reports whether the prompt does not show the text as it was said.
func (r *Reader) compacted(d doc) bool {
	if r.label != "" {
		return true
	}
	if d.artifact >= 0 {
		return true
	}
	e := r.Thread.At(d.index)
	for n := range e.Message.Parts {
		if hides(r.Plan, e.ID, n+1) {
			return true
		}
	}
	return false
}

// hides reports whether a record stands over a part of an entry and shows less
// than the part.
func hides(p *plan.Plan, id thread.ID, part int) bool {
	if p == nil {
		return false
	}
	if p.Whole(id) != nil {
		return true
	}
	return !p.Part(id, part).Verbatim()
}
