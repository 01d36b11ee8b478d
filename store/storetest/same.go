package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// RunSame puts two implementations to the same random use and compares every
// answer. open is called for each run; what it returns is closed here.
func RunSame(t *testing.T, open, reference func() (store.Store, error)) {
	// SPEC: V1, V8, L16, L17
	rapid.Check(t, func(r *rapid.T) {
		a, err := open()
		noError(r, err)
		defer func() { noError(r, a.Close()) }()
		b, err := reference()
		noError(r, err)
		defer func() { noError(r, b.Close()) }()
		p := &pair{T: r, a: a, b: b}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			rapid.SampledFrom([]func(){p.append, p.append, p.fork, p.commit, p.commit, p.erase, p.summary}).Draw(r, "step")()
		}
		equal(r, snapshot(r, b, "", "x"), snapshot(r, a, "", "x"))
	})
}

// pair is two stores that should not differ.
type pair struct {
	*rapid.T
	a, b store.Store
	n    int // steps so far: the clock
}

// kinds are the errors that callers branch on.
var kinds = []error{nil, store.ErrNotFound, store.ErrStale, store.ErrForeign, store.ErrErased, plan.ErrEmptySpan}

// both checks that two errors are of one kind.
func (p *pair) both(have, want error) {
	p.Helper()
	for _, kind := range kinds {
		if errors.Is(want, kind) != errors.Is(have, kind) {
			p.Fatalf("errors differ: %v, reference %v", have, want)
		}
	}
}

func (p *pair) key() store.Key {
	return store.Key{
		Tenant: rapid.SampledFrom([]string{"", "", "x"}).Draw(p.T, "tenant"),
		Thread: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(p.T, "thread"),
	}
}

// entry draws an entry id, mostly one of the thread's.
func (p *pair) entry(k store.Key) thread.ID {
	es, err := p.b.Load(context.Background(), k)
	if err != nil || len(es) == 0 || rapid.IntRange(0, 9).Draw(p.T, "off") == 0 {
		return rapid.SampledFrom([]thread.ID{"", "x", "0123456789abcdef0123456789abcdef"}).Draw(p.T, "wrong id")
	}
	return es[rapid.IntRange(0, len(es)-1).Draw(p.T, "entry")].ID
}

// entries draws a few messages out of few, so that they repeat.
func (p *pair) entries(parent thread.ID) []thread.Entry {
	ms := make([]message.Message, rapid.IntRange(0, 3).Draw(p.T, "messages"))
	for i := range ms {
		text := rapid.SampledFrom([]string{"one", "two"}).Draw(p.T, "text")
		ms[i] = message.TextOf(message.User, text)
		ms[i].Raw = []byte(rapid.SampledFrom([]string{`"1"`, ` "1"`}).Draw(p.T, "raw"))
	}
	return thread.Extend(parent, ms)
}

func (p *pair) batch(k store.Key, b store.Batch) {
	p.n++
	b.Now = now(p.n)
	if rapid.Bool().Draw(p.T, "with envelope") {
		b.Envelope = []byte(rapid.SampledFrom([]string{"", "e", "f"}).Draw(p.T, "envelope"))
	}
	for range rapid.IntRange(0, 2).Draw(p.T, "variants") {
		raw := rapid.SampledFrom([]string{`"1"`, `"2"`, ""}).Draw(p.T, "variant")
		b.Variants = append(b.Variants, store.Variant{ID: p.entry(k), Raw: []byte(raw)})
	}
	want, werr := p.b.Append(context.Background(), k, b)
	have, err := p.a.Append(context.Background(), k, b)
	p.both(err, werr)
	equal(p, want, have)
}

func (p *pair) append() {
	k := p.key()
	h, _ := p.b.Head(context.Background(), k)
	at := h.Tip
	if rapid.IntRange(0, 4).Draw(p.T, "behind") == 0 {
		at = p.entry(k)
	}
	p.batch(k, store.Batch{Tip: at, Entries: p.entries(at), Source: "s"})
}

func (p *pair) fork() {
	k, from := p.key(), p.key()
	at := p.entry(store.Key{Tenant: k.Tenant, Thread: from.Thread})
	p.batch(k, store.Batch{ForkOf: from.Thread, At: at, Entries: p.entries(at)})
}

func (p *pair) commit() {
	k := p.key()
	h, _ := p.b.Head(context.Background(), k)
	pl := &plan.Plan{
		Thread: k.Thread, Base: p.entry(k), CreatedAt: now(p.n),
		Version: h.PlanVersion + rapid.SampledFrom([]int{1, 1, 1, 1, 0, 2}).Draw(p.T, "version"),
	}
	for i := range rapid.IntRange(0, 3).Draw(p.T, "records") {
		r := plan.Record{Action: plan.Drop, Text: rapid.SampledFrom([]string{"", "t"}).Draw(p.T, "record")}
		for range rapid.IntRange(1, 3).Draw(p.T, "span") {
			r.Span.IDs = append(r.Span.IDs, p.entry(k))
		}
		r.ID = fmt.Sprint("r", i, r.Span.IDs) // see store.Plans: an id tells the span
		pl.Records = append(pl.Records, r)
	}
	var arts []artifact.Artifact
	for range rapid.IntRange(0, 2).Draw(p.T, "artifacts") {
		a := artifact.Artifact{ID: rapid.SampledFrom([]string{"a1", "a2"}).Draw(p.T, "id"), Source: p.entry(k), Created: now(p.n)}
		a.TTL = time.Duration(rapid.IntRange(0, 2).Draw(p.T, "ttl")) * 5 * time.Minute
		a.Content = []byte(rapid.SampledFrom([]string{"", "c", "d"}).Draw(p.T, "content"))
		arts = append(arts, a)
	}
	again := rapid.Bool().Draw(p.T, "again")
	for range 1 + map[bool]int{true: 1}[again] {
		p.both(p.a.Commit(context.Background(), k, pl, arts), p.b.Commit(context.Background(), k, pl, arts))
	}
}

func (p *pair) erase() {
	p.n++
	k, c := p.key(), context.Background()
	why := artifact.Tombstone{At: now(p.n), By: rapid.SampledFrom([]string{"", "ann"}).Draw(p.T, "by")}
	switch rapid.IntRange(0, 2).Draw(p.T, "what is erased") {
	case 0:
		id := rapid.SampledFrom([]string{"a1", "a2"}).Draw(p.T, "erased artifact")
		p.both(p.a.Erase(c, k, id, why), p.b.Erase(c, k, id, why))
	case 1:
		id := p.entry(k)
		p.both(p.a.EraseEntry(c, k, id, why), p.b.EraseEntry(c, k, id, why))
	default:
		want, werr := p.b.Expire(c, k.Tenant, why.At)
		have, err := p.a.Expire(c, k.Tenant, why.At)
		p.both(err, werr)
		equal(p, want, have)
	}
}

func (p *pair) summary() {
	tenant, c := p.key().Tenant, context.Background()
	key := rapid.SampledFrom([]string{"", "k", "l"}).Draw(p.T, "summary key")
	if rapid.Bool().Draw(p.T, "put") {
		data := []byte(rapid.SampledFrom([]string{"", "s", "another"}).Draw(p.T, "summary"))
		p.both(p.a.PutSummary(c, tenant, key, data, now(p.n)), p.b.PutSummary(c, tenant, key, data, now(p.n)))
	}
	want, werr := p.b.Summary(c, tenant, key)
	have, err := p.a.Summary(c, tenant, key)
	p.both(err, werr)
	equal(p, want, have)
}
