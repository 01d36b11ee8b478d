package proxy

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/proxy/merge"
	"github.com/seed-3db51b0e/precis/upstream"
)

// answer is a response on its way to the client.
type answer struct {
	resp   *upstream.Response
	gate   *gate
	reader *exchange.ReplyReader
	read   *codec.Reply // see reply
	known  bool         // what read is
	// merge is of a stream in which the model may look things up, else nil.
	merge *merge.Writer
	// buffering is set where what comes is kept in whole and not forwarded.
	buffering bool
	whole     []byte
	buf       *readBuffer
	ended     bool
	err       error // of the provider's side
	// whenWhole is called once, before the bytes go out with which a client has all of
	// the answer; nil for an answer in which the model may look things up.
	whenWhole func()
	left      int // bytes that are still to come, below 0 where that is not known
}

// readBuffer holds what is read of an answer at a time.
type readBuffer [16 << 10]byte

var readBuffers = sync.Pool{New: func() any { return new(readBuffer) }}

func newAnswer(w http.ResponseWriter, resp *upstream.Response, c Codec) *answer {
	left, err := strconv.Atoi(resp.Header.Get("Content-Length"))
	if err != nil {
		left = -1
	}
	return &answer{resp: resp, gate: &gate{w: w, resp: resp}, reader: exchange.New(c, resp.Status, resp.Header), buf: readBuffers.Get().(*readBuffer), left: left}
}

// hideLookUps has calls of the recall tools taken out of an answer.
func (a *answer) hideLookUps(c Codec) {
	switch {
	case a.reader.Unreadable || a.resp.Status != http.StatusOK:
	case a.reader.Streamed():
		a.merge = merge.NewWriter(c.Name(), c)
		a.resp.Header.Del("Content-Length")
	default:
		a.buffering = true
	}
}

// begin lets the answer out, or, to hold it, keeps its beginning back for at most so
// long.
func (a *answer) begin(hold bool, most time.Duration) {
	switch {
	case a.buffering:
		a.gate.shut()
	case hold && !a.reader.Unreadable:
		a.gate.hold(most)
	default:
		a.gate.release()
	}
}

// refused reads on for as long as nothing is known and nothing has gone out, and
// reports whether the answer refuses a prompt that is too long. If so, nothing has gone
// out, and nothing does before finish.
func (a *answer) refused() (overflow.Overflow, bool) {
	for !a.ended && a.gate.closed() && !a.reader.Spoken {
		if a.step() != nil {
			break
		}
		if o, ok := a.reader.Refusal(a.ended); ok && a.gate.shut() {
			return o, true
		}
	}
	return overflow.Overflow{}, false
}

// finish forwards all that is left. The error is that of an answer that broke
// off.
func (a *answer) finish() error {
	a.gate.release()
	if err := a.all(); err != nil && a.err == nil {
		return err
	}
	return errors.Join(a.err, a.gate.failure())
}

// reply returns what the provider said, when there is no more to come; nil if that is no
// answer.
func (a *answer) reply() *codec.Reply {
	if !a.known {
		a.read, a.known = a.reader.Reply(), true
	}
	return a.read
}

// step takes one piece of the answer.
func (a *answer) step() error {
	n, err := a.resp.Body.Read(a.buf[:])
	a.reader.Write(a.buf[:n])
	if a.left > 0 {
		a.left -= n
	}
	if a.reader.Complete || a.left == 0 || errors.Is(err, io.EOF) {
		a.isWhole()
	}
	if n > 0 {
		if err := a.forward(a.buf[:n]); err != nil {
			return err
		}
	}
	a.ended = err != nil
	if err != nil && !errors.Is(err, io.EOF) {
		a.err = err
	}
	return nil
}

// isWhole calls whenWhole, once.
func (a *answer) isWhole() {
	if f := a.whenWhole; f != nil {
		a.whenWhole = nil
		f()
	}
}

func (a *answer) forward(b []byte) error {
	if a.merge != nil {
		b = a.merge.Write(b)
	}
	if a.buffering {
		a.whole = append(a.whole, b...)
		if len(a.whole) <= exchange.Most {
			return nil
		}
		b, a.buffering, a.whole = a.whole, false, nil
		a.gate.release()
	}
	if len(b) == 0 {
		return nil
	}
	return a.gate.write(b)
}

// all takes all of a round.
func (a *answer) all() error {
	for !a.ended {
		if err := a.step(); err != nil {
			return err
		}
	}
	return a.err
}

// next goes on with another round.
func (a *answer) next(c Codec, resp *upstream.Response) {
	_ = a.resp.Body.Close() // it was read
	a.resp, a.reader, a.read, a.known, a.ended, a.whole = resp, exchange.New(c, resp.Status, resp.Header), nil, false, false, nil
	if a.merge != nil {
		a.merge.NextRound()
	}
}

func (a *answer) close() {
	a.gate.shut()
	_ = a.resp.Body.Close() // what matters of it was read
	if a.buf != nil {
		readBuffers.Put(a.buf)
		a.buf = nil // it is another answer's now
	}
}

// maxHeld is how much of an answer's beginning is held back, in bytes.
const maxHeld = 256 << 10

// gate stands before the client. While it is closed nothing of an answer goes
// out, not even its status; once open it stays so, and all goes out at once.
type gate struct {
	w    http.ResponseWriter
	resp *upstream.Response

	mu    sync.Mutex
	timer *time.Timer
	held  []byte
	open  bool
	still bool  // the timer does not open it any more
	err   error // of the client's connection
}

// hold closes the gate for at most so long.
func (g *gate) hold(most time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timer = time.AfterFunc(most, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.still {
			g.openLocked()
		}
	})
}

func (g *gate) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.open
}

// shut keeps a closed gate closed until release, and reports whether it is closed.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.still = true
	if g.timer != nil {
		g.timer.Stop()
	}
	return !g.open
}

// resume opens the gate for another response, unless it is open already.
func (g *gate) resume(resp *upstream.Response) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resp = resp
	g.openLocked()
}

// release opens the gate.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.openLocked()
}

func (g *gate) openLocked() {
	if g.open {
		return
	}
	if g.timer != nil {
		g.timer.Stop()
	}
	g.open = true
	h := g.w.Header()
	for name, vs := range upstream.EndToEnd(g.resp.Header) {
		h[name] = vs
	}
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // none, and not a guess
	}
	g.w.WriteHeader(g.resp.Status)
	g.writeLocked(g.held)
	g.held = nil
}

// write forwards a piece at once, or keeps it.
func (g *gate) write(b []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open {
		g.held = append(g.held, b...)
		if len(g.held) > maxHeld {
			g.openLocked()
		}
		return g.err
	}
	g.writeLocked(b)
	return g.err
}

func (g *gate) writeLocked(b []byte) {
	if g.err != nil {
		return
	}
	if _, err := g.w.Write(b); err != nil {
		g.err = fmt.Errorf("write to client: %w", err)
		return
	}
	if err := http.NewResponseController(g.w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		g.err = fmt.Errorf("write to client: %w", err)
	}
}

func (g *gate) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
