// Package intake bounds what the bodies of requests take before anybody is trusted: the
// time in which they come, and the memory of all that are held.
//
// Use: Clocked for every request, Held for one whose body is kept. Law: only bytes that
// came count, never a length that was announced. Promise: whoever sends slowly or too
// much is refused after a bounded time, one body always gets on, and what is freed goes
// back to the system.
package intake

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// ErrSlow is returned by a body that does not come in its time, ErrFull by one for which
// there is no room.
var (
	ErrSlow = errors.New("the request body came too slowly")
	ErrFull = errors.New("too many request bodies are being served")
)

// Limits bound bodies. None of them is optional.
type Limits struct {
	// Timeout is the time that a body may take, beside the time that its bytes take
	// at 16 kB/s.
	Timeout time.Duration
	// Most is how many bytes of bodies are held at a time. One body may exceed it.
	Most int64
	// Wait is the time that a body waits for room.
	Wait time.Duration
}

// leastRate is the slowest connection that is served, in bytes a second.
const leastRate = 16 << 10

// Intake bounds the bodies of one server. Make it with New.
type Intake struct {
	limits Limits

	mu     sync.Mutex
	held   int64
	peak   int64         // of held, since memory was given back
	exempt *hold         // the one that needs no room
	freed  chan struct{} // closed when there is more room
	idle   *time.Timer   // gives memory back
	// giveBack returns freed memory to the system.
	giveBack func()
}

// New returns an Intake.
func New(l Limits) *Intake {
	return &Intake{limits: l, freed: make(chan struct{}), giveBack: debug.FreeOSMemory}
}

// Clocked is r with a body that must come in its time. end is called when the request
// is served.
func (in *Intake) Clocked(w http.ResponseWriter, r *http.Request) (clock *http.Request, end func()) {
	if r.Body == nil || r.Body == http.NoBody {
		return r, func() {}
	}
	c := &clocked{ReadCloser: r.Body, conn: http.NewResponseController(w), left: in.limits.Timeout}
	c.passed(0) // also for a body that nobody reads
	r = r.WithContext(r.Context())
	r.Body = c
	return r, c.end
}

// clocked is a body with a time to come in. Only the time in which it is waited for
// counts.
type clocked struct {
	io.ReadCloser
	conn *http.ResponseController

	mu    sync.Mutex
	left  time.Duration
	ended bool // what comes next on the connection is not the body's
}

// passed takes time that passed, and sets the deadline of the connection. A connection
// that knows none has none; the server takes it off at the body's end.
func (c *clocked) passed(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left -= d
	if !c.ended {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.left))
	}
}

func (c *clocked) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// Read implements io.Reader.
func (c *clocked) Read(p []byte) (int, error) {
	c.passed(0)
	began := time.Now()
	n, err := c.ReadCloser.Read(p)
	switch {
	case err == nil:
		c.passed(time.Since(began) - time.Duration(n)*time.Second/leastRate)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = ErrSlow
	default:
		c.end()
	}
	return n, err
}

// Held is r with a body whose bytes count as held until release is called. Only the
// first most bytes count.
func (in *Intake) Held(r *http.Request, most int64) (held *http.Request, release func()) {
	h := &hold{ReadCloser: r.Body, in: in, ctx: r.Context(), most: most}
	held = r.WithContext(h.ctx)
	held.Body = h
	return held, func() { in.release(h) }
}

// hold is a body whose bytes are kept.
type hold struct {
	io.ReadCloser
	in   *Intake
	ctx  context.Context
	most int64 // bytes that still may count
	size int64 // bytes that count
}

// Read implements io.Reader.
func (h *hold) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if full := h.in.take(h, min(int64(n), h.most)); full != nil {
		err = full
	}
	return n, err
}

// take waits until there is room for n bytes more of a body.
func (in *Intake) take(h *hold, n int64) error {
	var timer <-chan time.Time
	for {
		freed, ok := in.tryTake(h, n)
		if ok {
			return nil
		}
		if timer == nil {
			timer = time.After(in.limits.Wait)
		}
		select {
		case <-freed:
		case <-timer:
			return ErrFull
		case <-h.ctx.Done():
			return h.ctx.Err()
		}
	}
}

// tryTake takes room, or returns what is closed when there is more.
func (in *Intake) tryTake(h *hold, n int64) (freed <-chan struct{}, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.held+n > in.limits.Most {
		if in.exempt == nil {
			in.exempt = h
		}
		if in.exempt != h {
			return in.freed, false
		}
	}
	h.most, h.size = h.most-n, h.size+n
	in.held += n
	in.peak = max(in.peak, in.held)
	return nil, true
}

const (
	// Memory is given back when nothing has been held for so long, after so many bytes.
	quietTime = 5 * time.Second
	largePeak = 64 << 20
)

func (in *Intake) release(h *hold) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.held -= h.size
	h.size = 0
	if in.exempt == h {
		in.exempt = nil
	}
	close(in.freed)
	in.freed = make(chan struct{})
	if in.held > 0 || in.peak < largePeak {
		return
	}
	if in.idle != nil {
		in.idle.Stop()
	}
	in.idle = time.AfterFunc(quietTime, in.giveBackIdle)
}

// giveBackIdle gives memory back, if nothing is held.
func (in *Intake) giveBackIdle() {
	in.mu.Lock()
	idle := in.held == 0
	if idle {
		in.peak = 0
	}
	in.mu.Unlock()
	if idle {
		in.giveBack()
	}
}
