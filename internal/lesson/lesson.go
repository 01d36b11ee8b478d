// Package lesson keeps what providers' answers taught about the size of prompts:
// how their counts differ from ours, and where their windows end.
//
// Use: Room before a request, Observe and Refused after its answer. Law: a lesson
// holds for its Subject and nothing else. Promise: what is kept is bounded, and
// safe for concurrent use.
package lesson

import (
	"math"
	"sync"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token"
)

// Subject is what a lesson is about: a model as one tenant meets it at a
// provider, or with a Thread one thread of it.
type Subject struct{ Provider, Tenant, Model, Thread string }

// Everywhere is the subject for all of its threads.
func (s Subject) Everywhere() Subject {
	s.Thread = ""
	return s
}

// Lesson is what answers taught about a subject.
type Lesson struct {
	// Applied is the calibration that counts are made with.
	Applied token.Calibration
	// learned is what usage taught: Applied follows it in steps, since a changed
	// count is made anew for the whole history.
	learned token.Calibration
	window  int // most tokens of a prompt, as the meter counts; 0 = not known
}

// Lessons are those of all subjects, kept in memory. The zero value is ready.
type Lessons struct {
	mu    sync.Mutex
	known map[Subject]Lesson
}

// mostLessons bounds what callers who invent names can make it keep.
const mostLessons = 4096

// Of is what was learned about a subject, zero for nothing.
func (l *Lessons) Of(s Subject) Lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[s]
}

func (l *Lessons) change(s Subject, f func(*Lesson)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, ok := l.known[s]
	if l.known == nil || !ok && len(l.known) == mostLessons {
		l.known = map[Subject]Lesson{}
	}
	f(&x)
	l.known[s] = x
}

// Observe takes the usage reported for a prompt that was estimated (SPEC L12).
func (l *Lessons) Observe(s Subject, estimated, reported int) {
	const noticeable = .03
	l.change(s, func(x *Lesson) {
		x.learned = x.learned.Observe(estimated, reported)
		if x.Applied.Seen == 0 || math.Abs(x.learned.Factor/x.Applied.Factor-1) > noticeable {
			x.Applied = x.learned
		}
	})
}

// Refused takes what an overflow says of a prompt that was counted as sent
// tokens, and returns the most that is sent from now on. Numbers of the
// provider's hold for the model; without them, or in bytes, it is four fifths of
// what was refused, for this thread.
func (l *Lessons) Refused(s Subject, o overflow.Overflow, sent int) int {
	window := o.Limit - o.Output
	if o.Unit == overflow.Tokens && o.Limit > 0 {
		s = s.Everywhere()
		if o.Requested > window { // the next prompt is measured by the same meter
			window = min(window, int(float64(window)/float64(o.Requested)*float64(sent)))
		}
	}
	if s.Thread != "" || window >= sent {
		window = sent * 4 / 5
	}
	window = max(window, 1)
	l.change(s, func(x *Lesson) {
		if x.window == 0 || window < x.window {
			x.window = window
		}
	})
	return window
}

// Room is the cap of a request's prompt: the budget that was asked for, but no
// more than the window leaves beside the reply, or than was learned.
func (l *Lessons) Room(s Subject, m model.Model, asked, reply int) int {
	n := asked
	if !m.Guess || asked == 0 {
		n = min(n, window(m, reply))
	}
	for _, at := range []Subject{s.Everywhere(), s} {
		if w := l.Of(at).window; w > 0 {
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
