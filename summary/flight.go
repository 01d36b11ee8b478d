package summary

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// errAborted is what those who waited get when the one who wrote panicked.
var errAborted = errors.New("summarizer did not return")

// flight lets one caller at a time write a key; the others wait for it. The zero
// value is ready.
type flight struct {
	mu    sync.Mutex
	calls map[string]*call
}

type call struct {
	done chan struct{}
	s    *Structured
	err  error
	// ended: the writer's own context ended, which says nothing about the others.
	ended bool
}

// do runs write, unless somebody else is writing the key: then it returns what
// they wrote. When the writer's context ends first, the next one writes.
func (f *flight) do(ctx context.Context, key string, write func() (*Structured, error)) (*Structured, error) {
	for {
		c, mine := f.join(key)
		if mine {
			return f.lead(ctx, key, c, write)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for summary: %w", ctx.Err())
		case <-c.done:
		}
		if !c.ended {
			return c.s, c.err
		}
	}
}

func (f *flight) join(key string) (c *call, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.calls[key]; ok {
		return c, false
	}
	if f.calls == nil {
		f.calls = map[string]*call{}
	}
	c = &call{done: make(chan struct{}), err: errAborted}
	f.calls[key] = c
	return c, true
}

func (f *flight) lead(ctx context.Context, key string, c *call, write func() (*Structured, error)) (*Structured, error) {
	defer func() {
		f.mu.Lock()
		delete(f.calls, key)
		f.mu.Unlock()
		close(c.done)
	}()
	c.s, c.err = write()
	c.ended = c.err != nil && ctx.Err() != nil
	return c.s, c.err
}
