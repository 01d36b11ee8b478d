package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// earlierName begins a reference to a thread that this one goes on from: earlier1:#12 is
// message 12 of the nearest, earlier2:#12 of the one before that. No other reference
// begins so.
const earlierName = "earlier"

// open reads the threads that this one goes on from, each as far as it was then. One that
// is gone is left out, and what it goes on from with it.
func (r *Reader) open(ctx context.Context, before []store.Origin) error {
	for n, of := range before {
		k := store.Key{Tenant: r.key.Tenant, Thread: of.Thread}
		es, err := r.store.Load(ctx, k)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("open thread %s: %w", of.Thread, err)
		}
		t, err := thread.New(es)
		if err != nil {
			return fmt.Errorf("open thread %s: %w", of.Thread, err)
		}
		at, ok := t.Find(of.Tip)
		if !ok {
			return nil
		}
		if t, err = t.Prefix(at + 1); err != nil {
			return fmt.Errorf("open thread %s: %w", of.Thread, err)
		}
		e, err := OpenView(ctx, r.store, k, r.now, View{Thread: t, Plan: r.planOf(ctx, k, t)})
		if err != nil {
			return err
		}
		e.label = earlierName + strconv.Itoa(n+1) + ":"
		r.earlier = append(r.earlier, e)
	}
	return nil
}

// planOf is a thread's plan, nil where there is none that was made from no more than t.
func (r *Reader) planOf(ctx context.Context, k store.Key, t *thread.Thread) *plan.Plan {
	p, err := r.store.Plan(ctx, k)
	if err != nil {
		return nil
	}
	if _, ok := t.Find(p.Base); !ok {
		return nil
	}
	return p
}

// of returns the reader of the thread that a reference is about, and the reference
// within it.
func (r *Reader) of(text string) (*Reader, string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), earlierName)
	number, within, colon := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	if !ok || !colon || err != nil || n < 1 || n > len(r.earlier) {
		return r, text
	}
	return r.earlier[n-1], within
}

// elsewhere is the state of what stands in an earlier thread: the prompt shows nothing of it.
const elsewhere = "earlier conversation"

// state is State in this thread's prompt.
func (r *Reader) state(id thread.ID, part int) string {
	if r.label != "" {
		return elsewhere
	}
	return State(r.Plan, id, part)
}

// earlierNote says what references to the earlier threads look like, "" where there are
// none.
func (r *Reader) earlierNote() string {
	if len(r.earlier) == 0 {
		return ""
	}
	e := r.earlier[0]
	return fmt.Sprintf("the conversation goes on from an earlier one, whose messages are %s to %s",
		e.nameOf(Place{Index: 0}), e.nameOf(Place{Index: max(e.Thread.Len()-1, 0)}))
}

// searchInTurn is Search in this thread and in those that it goes on from. Their hits take
// turns: what many texts of one thread say a little of leaves out nothing that another
// says best.
func (r *Reader) searchInTurn(ctx context.Context, t Topic) (out Findings, err error) {
	all := append([]*Reader{r}, r.earlier...)
	skip, end := max(t.Skip, 0), math.MaxInt32
	if t.Limit >= 0 {
		end = skip + t.Limit
	}
	totals := make([]int, len(all))
	count := t
	count.Skip, count.Limit = end, 0
	for i, of := range all {
		found, miss := of.search(ctx, count)
		if miss != nil && !errors.Is(miss, ErrMiss) {
			return out, miss
		}
		if i == 0 {
			out.Degraded, err = found.Degraded, miss
		}
		totals[i] = found.Total
		out.Total += found.Total
	}
	if out.Total == 0 {
		return out, err
	}
	before := inTurn(totals, end)
	skip = min(skip, len(before))
	turns := before[skip:]
	hits := make([][]Finding, len(all))
	for i, of := range all {
		page := t
		if page.Skip, page.Limit = countOf(before[:skip], i), countOf(turns, i); page.Limit == 0 {
			continue
		}
		found, err := of.search(ctx, page)
		if err != nil {
			return out, err
		}
		hits[i] = found.Hits
		out.Near = append(out.Near, found.Near...)
	}
	for _, i := range turns {
		if len(hits[i]) > 0 { // an index of meaning may find fewer this time
			out.Hits, hits[i] = append(out.Hits, hits[i][0]), hits[i][1:]
		}
	}
	return out, nil
}

// inTurn are the threads whose hits come first, second and so on: of so many hits each,
// at most so many in all.
func inTurn(totals []int, most int) (turns []int) {
	for rank := 0; ; rank++ {
		before := len(turns)
		for i, n := range totals {
			if rank < n && len(turns) < most {
				turns = append(turns, i)
			}
		}
		if len(turns) == before {
			return turns
		}
	}
}

func countOf(turns []int, i int) (n int) {
	for _, at := range turns {
		if at == i {
			n++
		}
	}
	return n
}
