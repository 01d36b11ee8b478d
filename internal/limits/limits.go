// Package limits keeps what providers' answers taught about the size of prompts: how
// their counts differ from ours, and where their windows end.
//
// Use: Room before a request, Observe and Refused after its answer. Law: what was
// learned holds for its Subject and nothing else. Promise: what is kept is bounded,
// and safe for concurrent use.
package limits

import (
	"sync"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token"
)

// Subject names what a limit holds for: a model as one tenant meets it at a provider, or
// with a Thread one thread of it.
type Subject struct{ Provider, Tenant, Model, Thread string }

// Everywhere is the subject for all of its threads.
func (s Subject) Everywhere() Subject {
	s.Thread = ""
	return s
}

// Limits holds what answers taught about a subject.
type Limits struct {
	// Applied is the calibration that counts are made with.
	Applied token.Calibration
	// learned follows from usage alone: Applied follows it in steps, since a changed
	// count is made anew for the whole history.
	learned token.Calibration
	window  int // most tokens of a prompt, as the meter counts; 0 = not known
	bytes   int // most bytes of a request; 0 = not known
}

// LearnedLimits are those of all subjects, in memory and, where Keep says so, in a file.
// The zero value is ready.
type LearnedLimits struct {
	mu    sync.Mutex // of changing known, and of file
	known lru.Cache[Subject, Limits]
	file  *file // nil: none
}

// maxSubjects bounds what callers who invent names can make it keep.
const maxSubjects = 4096

// Of returns what was learned about a subject, zero for nothing.
func (l *LearnedLimits) Of(s Subject) Limits {
	x, _ := l.known.Get(s)
	return x
}

// change changes what was learned about a subject, and writes the file if that changes
// what follows from it.
func (l *LearnedLimits) change(s Subject, f func(*Limits)) {
	if l.changes(s, f) {
		l.write()
	}
}

func (l *LearnedLimits) changes(s Subject, f func(*Limits)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, _ := l.known.Peek(s)
	x := was
	f(&x)
	l.set(s, x)
	return was.Applied != x.Applied || was.window != x.window || was.bytes != x.bytes
}

// set keeps what was learned. The caller holds the lock.
func (l *LearnedLimits) set(s Subject, x Limits) {
	l.known.MaxEntries = maxSubjects
	l.known.Set(s, x, 0)
}

// Observe takes the usage reported for a prompt that was estimated: it calibrates the
// counts of later ones.
func (l *LearnedLimits) Observe(s Subject, estimated, reported int) {
	l.change(s, func(x *Limits) {
		x.learned = x.learned.Observe(estimated, reported)
		x.Applied = x.learned.Follow(x.Applied)
	})
}

// Scope is what the window that follows from a refusal holds for.
type Scope int

// The scopes, from the narrowest.
const (
	NextRequest Scope = iota // the retry, and nothing after it
	ThisThread
	WholeModel
)

// Allowed returns the most tokens of a prompt after one that was counted as sent
// tokens was refused. Numbers of the provider's hold for the model; without them,
// or in bytes, it is four fifths of what was refused, for this thread. So it is
// where the reply asked for was more than half the window: that is said of one
// request, and where it leaves no room at all it holds for the retry alone.
func Allowed(o overflow.Overflow, sent int) (window int, holds Scope) {
	window, holds = o.Limit-o.Output, ThisThread
	stated := o.Unit == overflow.Tokens && o.Limit > 0
	if stated && o.Requested > window { // the next prompt is measured by the same meter
		window = min(window, int(float64(window)/float64(o.Requested)*float64(sent)))
	}
	if stated && o.Output <= o.Limit/2 {
		holds = WholeModel
	}
	if !stated || window >= sent {
		window = sent * 4 / 5
	}
	if window < 1 { // no prompt is that short
		return max(sent*4/5, 1), NextRequest
	}
	return window, holds
}

// Refused takes what an overflow says of a prompt that was counted as sent
// tokens, remembers what is Allowed, and returns it.
func (l *LearnedLimits) Refused(s Subject, o overflow.Overflow, sent int) int {
	window, holds := Allowed(o, sent)
	if holds == NextRequest {
		return window
	}
	if holds == WholeModel {
		s = s.Everywhere()
	}
	l.change(s, func(x *Limits) {
		if x.window == 0 || window < x.window {
			x.window = window
		}
	})
	return window
}

// TooHeavy takes the refusal of a request of so many bytes, and returns the most
// that is sent from now on: what the provider says, else four fifths, for this
// thread.
func (l *LearnedLimits) TooHeavy(s Subject, o overflow.Overflow, sent int) int {
	most := o.Limit
	if o.Unit == overflow.Bytes && o.Limit > 0 && o.Limit < sent {
		s = s.Everywhere()
	} else {
		most = max(sent*4/5, 1)
	}
	l.change(s, func(x *Limits) {
		if x.bytes == 0 || most < x.bytes {
			x.bytes = most
		}
	})
	return most
}

// Weight is the most bytes of a request: what is known of its model or was asked
// for, 0 for neither, but no more than was learned.
func (l *LearnedLimits) Weight(s Subject, known int) int {
	for _, at := range []Subject{s.Everywhere(), s} {
		if b := l.Of(at).bytes; b > 0 && (known == 0 || b < known) {
			known = b
		}
	}
	return known
}

// Room is the cap of a request's prompt: the budget that was asked for, but no
// more than the window leaves beside the reply, or than was learned.
func (l *LearnedLimits) Room(s Subject, m model.Model, asked, reply int) int {
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

// window returns what a model's window leaves beside a reply. One of more than half
// the window is no reserve but a cap that nobody means.
func window(m model.Model, reply int) int {
	if reply > m.Window/2 {
		reply = 0
	}
	return min(m.Cap(), m.Window-reply)
}
