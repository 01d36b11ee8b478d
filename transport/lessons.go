package transport

import (
	"math"
	"sync"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token"
)

// subject is what a lesson is about: a model at a provider, or one thread of it.
type subject struct{ host, model, thread string }

func (s subject) everyThread() subject { return subject{s.host, s.model, ""} }

// lesson is what answers taught about a subject.
type lesson struct {
	// learned is what usage taught; applied what counts are made with: it follows
	// in steps, since a changed count is made anew for the whole history.
	learned, applied token.Calibration
	window           int // most tokens of a prompt, as the meter counts; 0 = not known
}

// lessons are kept while the transport is. The zero value is ready.
type lessons struct {
	mu    sync.Mutex
	known map[subject]lesson
}

// mostLessons bounds what is kept of threads that nobody asks for any more.
const mostLessons = 4096

func (l *lessons) of(s subject) lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[s]
}

func (l *lessons) change(s subject, f func(*lesson)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, ok := l.known[s]
	if l.known == nil || !ok && len(l.known) == mostLessons {
		l.known = map[subject]lesson{}
	}
	f(&x)
	l.known[s] = x
}

// observe takes the usage reported for a prompt that was estimated (SPEC L12).
func (l *lessons) observe(s subject, estimated, reported int) {
	const noticeable = .03
	l.change(s, func(x *lesson) {
		x.learned = x.learned.Observe(estimated, reported)
		if x.applied.Seen == 0 || math.Abs(x.learned.Factor/x.applied.Factor-1) > noticeable {
			x.applied = x.learned
		}
	})
}

// refused takes what an overflow says of a prompt that was counted as sent
// tokens, and returns the most that is sent from now on. Numbers of the
// provider's hold for the model; without them, or in bytes, it is four fifths of
// what was refused, for this thread.
func (l *lessons) refused(s subject, o overflow.Overflow, sent int) int {
	window := o.Limit - o.Output
	if o.Unit == overflow.Tokens && o.Limit > 0 {
		s = s.everyThread()
		if o.Requested > window { // the next prompt is measured by the same meter
			window = min(window, int(float64(window)/float64(o.Requested)*float64(sent)))
		}
	}
	if s.thread != "" || window >= sent {
		window = sent * 4 / 5
	}
	window = max(window, 1)
	l.change(s, func(x *lesson) {
		if x.window == 0 || window < x.window {
			x.window = window
		}
	})
	return window
}

// room is the cap of a request's prompt: the budget that was asked for, but no
// more than the window leaves beside the reply, or than was learned.
func (l *lessons) room(s subject, m model.Model, asked, reply int) int {
	n := asked
	if !m.Guess {
		n = min(n, window(m, reply))
	}
	for _, at := range []subject{s.everyThread(), s} {
		if w := l.of(at).window; w > 0 {
			n = min(n, w)
		}
	}
	return max(n, 1)
}

// window is what a model's window leaves beside a reply. One of more than half
// the window is no reserve but a cap that nobody means.
func window(m model.Model, reply int) int {
	if reply > m.Window/2 {
		reply = 0
	}
	return min(m.Cap(), m.Window-reply)
}
