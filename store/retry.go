package store

import (
	"context"
	"errors"
)

// Attempts is how often Retry tries a write.
const Attempts = 8

// Retry calls write until its error is not ErrStale, at most Attempts times, and
// returns the last error. Each call must read anew what it builds on. When ctx
// ends between two calls, the error is ErrStale and the context's.
func Retry(ctx context.Context, write func() error) error {
	for attempt := 1; ; attempt++ {
		err := write()
		if attempt == Attempts || !errors.Is(err, ErrStale) {
			return err
		}
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}
