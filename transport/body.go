package transport

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/overflow"
)

// body is an answer on its way to the caller: what was read of it to know whether
// it is a refusal, then the rest as it comes.
type body struct {
	src   io.ReadCloser
	learn func(*codec.Reply) // told once, of an answer that was read

	mu   sync.Mutex // of the ear: Close may come while a Read waits
	ear  *exchange.ReplyReader
	told bool // learn was, or had nothing to be told

	held   []byte
	err    error        // after what is held
	late   <-chan piece // a read that was not waited for
	closed atomic.Bool
}

// piece is what one Read brought.
type piece struct {
	b   []byte
	err error
}

// mostHeld is how much of an answer's beginning is held back, in bytes.
const mostHeld = 256 << 10

// refused reads on, for no longer than hold, while nothing is known, and says
// whether the answer is a refusal of a prompt that is too long.
func (b *body) refused(hold time.Duration) (overflow.Overflow, bool) {
	timer := time.NewTimer(hold)
	defer timer.Stop()
	for b.err == nil && !b.ear.Spoken && !b.ear.Unreadable && len(b.held) <= mostHeld {
		next := b.ask()
		select {
		case p := <-next:
			b.take(p)
		case <-timer.C:
			b.late = next
			return overflow.Overflow{}, false
		}
		if o, ok := b.ear.Refusal(errors.Is(b.err, io.EOF)); ok {
			return o, true
		}
	}
	return overflow.Overflow{}, false
}

// ask reads one piece without waiting for it. Closing src ends it.
func (b *body) ask() <-chan piece {
	c := make(chan piece, 1)
	go func() {
		buf := make([]byte, 16<<10)
		n, err := b.src.Read(buf)
		c <- piece{buf[:n], err}
	}()
	return c
}

func (b *body) take(p piece) {
	b.held, b.err = append(b.held, p.b...), p.err
	b.hear(p.b, p.err)
}

// hear listens to a piece, and learns from the answer when it is the last.
func (b *body) hear(p []byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.told {
		b.ear.Write(p)
	}
	if err != nil {
		b.heard()
	}
}

// heard wants the lock.
func (b *body) heard() {
	if b.told {
		return
	}
	b.told = true
	if r := b.ear.Reply(); r != nil {
		b.learn(r)
	}
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (n int, err error) {
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if len(b.held) == 0 && b.late != nil {
		b.take(<-b.late)
		b.late = nil
	}
	switch {
	case len(b.held) > 0:
		n = copy(p, b.held)
		b.held = b.held[n:]
		return n, nil
	case b.err != nil:
		return 0, b.err
	}
	n, err = b.src.Read(p)
	b.hear(p[:n], err)
	return n, err
}

// Close implements io.Closer. Clients close a stream after its last event, not
// after its end, so what was heard until then counts.
func (b *body) Close() error {
	if !b.closed.Swap(true) {
		b.mu.Lock()
		b.heard()
		b.mu.Unlock()
	}
	return b.src.Close()
}
