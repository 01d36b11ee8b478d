package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// body is a response's body that fails when the other side is silent for too
// long. Only the time that a Read waits counts: a reader may be as slow as it
// likes.
type body struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	src    io.ReadCloser
	idle   time.Duration
	timer  *time.Timer
}

func newBody(ctx context.Context, cancel context.CancelCauseFunc, src io.ReadCloser, idle time.Duration) *body {
	b := &body{ctx: ctx, cancel: cancel, src: src, idle: idle}
	b.timer = time.AfterFunc(idle, func() {
		cancel(fmt.Errorf("no byte for %v: %w", idle, ErrStalled))
	})
	b.timer.Stop()
	return b
}

func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.idle)
	n, err := b.src.Read(p)
	b.timer.Stop()
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	if cause := context.Cause(b.ctx); cause != nil {
		err = cause
	}
	return n, fmt.Errorf("read response: %w", err)
}

// Close ends the exchange; a Read that waits returns.
func (b *body) Close() error {
	b.timer.Stop()
	b.cancel(context.Canceled)
	return b.src.Close()
}
