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
	learn func(*codec.Reply) // called once, with an answer that was read

	mu      sync.Mutex // of reader: Close may come while a Read waits
	reader  *exchange.ReplyReader
	learned bool // learn was called, or there was nothing to learn

	held   []byte
	err    error        // after what is held
	late   <-chan piece // a read that was not waited for
	closed atomic.Bool
}

// piece is the result of one Read.
type piece struct {
	b   []byte
	err error
}

// maxHeld is how much of an answer's beginning is held back, in bytes.
const maxHeld = 256 << 10

// refused reads on, for no longer than hold, while nothing is known, and reports
// whether the answer refuses a prompt that is too long.
func (b *body) refused(hold time.Duration) (overflow.Overflow, bool) {
	timer := time.NewTimer(hold)
	defer timer.Stop()
	for b.err == nil && !b.reader.Spoken && !b.reader.Unreadable && len(b.held) <= maxHeld {
		next := b.ask()
		select {
		case p := <-next:
			b.take(p)
		case <-timer.C:
			b.late = next
			return overflow.Overflow{}, false
		}
		if o, ok := b.reader.Refusal(errors.Is(b.err, io.EOF)); ok {
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
	b.read(p.b, p.err)
}

// read takes a piece, and learns from the answer when it is the last.
func (b *body) read(p []byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.learned {
		b.reader.Write(p)
	}
	if err != nil {
		b.ended()
	}
}

// ended learns from the answer, once. The caller holds the lock.
func (b *body) ended() {
	if b.learned {
		return
	}
	b.learned = true
	if r := b.reader.Reply(); r != nil {
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
	b.read(p[:n], err)
	return n, err
}

// Close implements io.Closer. Clients close a stream after its last event, not
// after its end, so what was read until then counts.
func (b *body) Close() error {
	if !b.closed.Swap(true) {
		b.mu.Lock()
		b.ended()
		b.mu.Unlock()
	}
	return b.src.Close()
}
