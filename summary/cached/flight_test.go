package cached

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
)

// SPEC: L18. Threads with equal spans that ask at once call the model once, and
// each gets the summary on its own messages; one that gives up leaves the others
// their answer, one that waits can give up, and a panic leaves nobody waiting.
func TestCachedFlight(t *testing.T) {
	type asker struct {
		in  summary.Input
		s   *summary.Structured
		err error
	}
	askers := func(t *testing.T, n int) []*asker {
		list := make([]*asker, n)
		for i := range list {
			th, span := placed(t, i, i%2 == 1, said(8))
			list[i] = &asker{in: summary.Input{Thread: th, Span: span}}
		}
		return list
	}
	run := func(t *testing.T, c *Summarizer, list []*asker, ctxs ...context.Context) {
		for i, a := range list {
			ctx := context.Background()
			if i < len(ctxs) {
				ctx = ctxs[i]
			}
			go func() {
				defer func() {
					if x := recover(); x != nil {
						a.err = fmt.Errorf("panic: %v", x)
					}
				}()
				a.s, a.err = c.Summarize(ctx, a.in)
			}()
			synctest.Wait() // the first writes, the others wait
		}
	}
	check := func(t *testing.T, list []*asker) {
		for i, a := range list {
			if a.err != nil {
				t.Errorf("asker %d: %v", i, a.err)
				continue
			}
			if diff := apart(extracted(t, a.in.Thread, a.in.Span), a.s); diff != "" {
				t.Errorf("asker %d: %s", i, diff)
			}
		}
	}
	gated := func() (*scribe, chan func()) {
		gate := make(chan func())
		return &scribe{name: "m", write: func(ctx context.Context, in summary.Input) (*summary.Structured, error) {
			select {
			case act := <-gate:
				act()
			case <-ctx.Done():
				return nil, fmt.Errorf("ask model: %w", ctx.Err())
			}
			return extract.Summarizer{}.Summarize(ctx, in)
		}}, gate
	}
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			with, gate := gated()
			kept := &shelf{}
			list := askers(t, 6)
			run(t, &Summarizer{With: with, Cache: kept}, list)
			gate <- func() {}
			synctest.Wait()
			check(t, list)
			if with.calls != 1 || kept.put != 1 || kept.got != 1 {
				t.Errorf("%d calls, %d reads, %d writes", with.calls, kept.got, kept.put)
			}
		})
	})
	t.Run("writer gives up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			with, gate := gated()
			list := askers(t, 4)
			first, stop := context.WithCancel(context.Background())
			run(t, &Summarizer{With: with, Cache: &shelf{}}, list, first)
			stop()
			synctest.Wait()
			gate <- func() {}
			synctest.Wait()
			if !errors.Is(list[0].err, context.Canceled) || with.calls != 2 {
				t.Errorf("first got %v, %d calls", list[0].err, with.calls)
			}
			check(t, list[1:])
		})
	})
	t.Run("waiter gives up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			with, gate := gated()
			list := askers(t, 3)
			second, stop := context.WithCancel(context.Background())
			run(t, &Summarizer{With: with, Cache: &shelf{}}, list, context.Background(), second)
			stop()
			synctest.Wait()
			if !errors.Is(list[1].err, context.Canceled) {
				t.Errorf("second got %v", list[1].err)
			}
			gate <- func() {}
			synctest.Wait()
			check(t, []*asker{list[0], list[2]})
		})
	})
	t.Run("panic", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			with, gate := gated()
			list := askers(t, 3)
			c := &Summarizer{With: with, Cache: &shelf{}}
			run(t, c, list)
			gate <- func() { panic("boom") }
			synctest.Wait()
			for i, a := range list {
				if a.err == nil {
					t.Errorf("asker %d got %v", i, a.s)
				}
			}
			again := list[2:]
			run(t, c, again)
			gate <- func() {}
			synctest.Wait()
			check(t, again)
		})
	})
	t.Run("not shared", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			with, gate := gated()
			inner := with.write
			with.write = func(ctx context.Context, in summary.Input) (*summary.Structured, error) {
				if _, err := inner(ctx, in); err != nil {
					return nil, err
				}
				return elsewhere(), nil
			}
			list := askers(t, 2)
			run(t, &Summarizer{With: with, Cache: &shelf{}}, list)
			gate <- func() {}
			synctest.Wait()
			gate <- func() {}
			synctest.Wait()
			for i, a := range list {
				if diff := cmp.Diff(elsewhere(), a.s); diff != "" || with.calls != 2 {
					t.Errorf("asker %d: %v, %d calls%s", i, a.err, with.calls, diff)
				}
			}
		})
	})
}
