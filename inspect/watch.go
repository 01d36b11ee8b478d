package inspect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/store"
)

const (
	watchEvery = time.Second // how often the store is asked what moved, for all pages together
	watchShare = 20          // of the time, listing takes at most one part in so many
	watchRest  = time.Minute // but after a listing that took long no page waits longer than this
)

// watch lists the threads of a tenant for all pages together, for as long as one is open.
type watch struct {
	list func(context.Context) ([]store.Head, error)
	mu   sync.Mutex
	now  *rounds // nil where no page is open
}

// rounds are the listings from the first page that opened to the last that left.
type rounds struct {
	pages map[*untold]bool
	stop  context.CancelFunc
	began chan struct{} // closed when the first listing is there
}

// untold is what a page has not been told yet.
type untold struct {
	ready chan struct{} // holds one, where there is something
	moved map[string]Moved
	err   error // the listings ended with
}

// join waits for a first listing. What moves from then on is told, until leave.
func (w *watch) join(ctx context.Context) (page *untold, leave func()) {
	page = &untold{ready: make(chan struct{}, 1), moved: map[string]Moved{}}
	w.mu.Lock()
	if w.now == nil {
		background, stop := context.WithCancel(context.WithoutCancel(ctx))
		w.now = &rounds{pages: map[*untold]bool{}, stop: stop, began: make(chan struct{})}
		go w.run(background, w.now)
	}
	r := w.now
	r.pages[page] = true
	w.mu.Unlock()
	select {
	case <-r.began:
	case <-ctx.Done():
	}
	return page, func() { w.leave(r, page) }
}

func (w *watch) leave(r *rounds, page *untold) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(r.pages, page)
	if len(r.pages) == 0 {
		w.end(r)
	}
}

// end ends the listings. The lock is held.
func (w *watch) end(r *rounds) {
	r.stop()
	if w.now == r {
		w.now = nil
	}
}

// run lists the threads until the last page has left, or the store fails.
func (w *watch) run(ctx context.Context, r *rounds) {
	var known map[string]Moved
	for ctx.Err() == nil {
		began := time.Now()
		heads, err := w.list(ctx)
		now := make(map[string]Moved, len(heads))
		var moved []Moved
		for _, h := range heads {
			m := movedTo(h)
			now[m.Thread] = m
			if old, ok := known[m.Thread]; known != nil && (!ok || old != m) {
				moved = append(moved, m)
			}
		}
		w.tell(r, moved, err)
		if known == nil {
			close(r.began)
		}
		known = now
		select {
		case <-ctx.Done():
		case <-time.After(max(watchEvery, min(watchRest, watchShare*time.Since(began)))):
		}
	}
}

// tell leaves for every page what moved, or with what error the listings end.
func (w *watch) tell(r *rounds, moved []Moved, err error) {
	if len(moved) == 0 && err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for page := range r.pages {
		for _, m := range moved {
			page.moved[m.Thread] = m
		}
		page.err = err
		select {
		case page.ready <- struct{}{}:
		default: // it has not fetched what was there before
		}
	}
	if err != nil {
		w.end(r)
	}
}

// take fetches what a page is to be told, by name of the thread.
func (w *watch) take(page *untold) ([]Moved, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	moved := slices.SortedFunc(maps.Values(page.moved), func(a, b Moved) int { return strings.Compare(a.Thread, b.Thread) })
	clear(page.moved)
	return moved, page.err
}
