package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
)

// A write that lost a race is tried again on fresh data, a bounded number of
// times; another failure is not.
func TestRetry(t *testing.T) {
	stale, other := fmt.Errorf("commit: %w", store.ErrStale), errors.New("disk is full")
	for name, c := range map[string]struct {
		results []error
		want    error
		calls   int
	}{
		"first":  {[]error{nil}, nil, 1},
		"second": {[]error{stale, nil}, nil, 2},
		"other":  {[]error{stale, other, nil}, other, 2},
		"last":   {[]error{stale, stale, stale, stale, stale, stale, stale, nil}, nil, store.Attempts},
		"never":  {[]error{stale, stale, stale, stale, stale, stale, stale, stale}, store.ErrStale, store.Attempts},
	} {
		calls := 0
		err := store.Retry(t.Context(), func() error { calls++; return c.results[calls-1] })
		if !errors.Is(err, c.want) || calls != c.calls {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}

func TestRetryEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := store.Retry(ctx, func() error { calls++; cancel(); return store.ErrStale })
	if calls != 1 || !errors.Is(err, store.ErrStale) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v after %d calls", err, calls)
	}
}
