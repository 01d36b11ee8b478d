package cached

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/internal/keylock"
	"github.com/seed-3db51b0e/precis/summary"
)

// errAborted is the error of those who waited when the one who wrote panicked.
var errAborted = errors.New("summarizer did not return")

// flight lets one caller at a time write a key; the others wait for it. The zero
// value is ready. singleflight of x/sync does not do: it cannot be waited for with
// a context without a goroutine whose panic nobody can recover.
type flight struct {
	calls keylock.Shared[string, call]
}

// call holds what was written under a key.
type call struct {
	done bool
	s    *summary.Structured
	err  error
}

// do runs write, unless somebody else is writing the key: then it returns what
// they wrote. When the writer's context ends first, which says nothing about the
// others, the next one writes.
func (f *flight) do(ctx context.Context, key string, write func() (*summary.Structured, error)) (*summary.Structured, error) {
	c, unlock, err := f.calls.Lock(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("wait for summary: %w", err)
	}
	defer unlock()
	if !c.done {
		c.done, c.err = true, errAborted
		c.s, c.err = write()
		c.done = c.err == nil || ctx.Err() == nil
	}
	return c.s, c.err
}
