// Package limits keeps what providers' answers taught about the size of prompts: how
// their counts differ from ours, and where their windows end.
//
// Use: Room before a request, Accepted, Observe and Refused after its answer. Law: what
// was learned holds for its Subject and nothing else, and no single refusal teaches
// anything about a model. Promise: what refusals taught ends after a time, and when more
// is accepted; what is kept is bounded, and safe for concurrent use.
package limits

import (
	"sync"
	"time"

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
	window  bound // of the tokens of a prompt, as the meter counts
	bytes   bound // of the bytes of a request
	largest int   // tokens of the largest prompt that was accepted
	tight   Tight
}

// Tight tells of a budget of which most goes to what cannot be compacted.
type Tight struct {
	Overhead int `json:"overhead,omitempty"` // tokens of system prompt and tools
	Budget   int `json:"budget,omitempty"`
}

// tightShare: a budget is tight whose half or more goes to system prompt and tools.
const tightShare = 2

// Tight notes how much of a budget system prompt and tools take, in tokens, and reports
// whether that leaves too little and was not known; a tenth more or less is no news.
func (l *LearnedLimits) Tight(s Subject, overhead, budget int) (news bool) {
	t, was := Tight{overhead, budget}, l.Of(s).tight
	if overhead*tightShare < budget {
		if was.Budget == budget { // a sub-agent's, say
			return false
		}
		t = Tight{}
	}
	if was == t || t.Budget == was.Budget && t.Overhead*10 < was.Overhead*11 && t.Overhead*11 > was.Overhead*10 {
		return false
	}
	l.change(s, func(x *Limits) { x.tight = t })
	return t != Tight{}
}

// LearnedLimits are those of all subjects, in memory and, where Keep says so, in a place
// that processes share.
// The zero value is ready.
type LearnedLimits struct {
	mu    sync.Mutex // of changing the fields below
	known lru.Cache[Subject, Limits]
	own   map[Subject]bool // what was learned here since the place was written
	kept  *kept            // nil: nowhere
	clock func() time.Time // nil = time.Now
}

func (l *LearnedLimits) now() time.Time {
	if l.clock != nil {
		return l.clock()
	}
	return time.Now()
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
	if l.own != nil && was != x {
		l.own[s] = true
	}
	return was.Applied != x.Applied || was.window.most != x.window.most || was.bytes.most != x.bytes.most || was.tight != x.tight
}

// set keeps what was learned. The caller holds the lock.
func (l *LearnedLimits) set(s Subject, x Limits) {
	l.known.MaxEntries = maxSubjects
	l.known.Evicted = func(old Subject, _ Limits) { delete(l.own, old) }
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

// Accepted takes that a provider answered a prompt of so many tokens and bytes: what
// refusals stated that is smaller is forgotten.
func (l *LearnedLimits) Accepted(s Subject, tokens, bytes int) {
	for _, at := range []Subject{s.Everywhere(), s} {
		if _, known := l.known.Peek(at); !known && at.Thread != "" {
			continue
		}
		l.change(at, func(x *Limits) {
			x.largest = max(x.largest, tokens)
			x.window.accepted(tokens)
			x.bytes.accepted(bytes)
		})
	}
}

// Scope names what a window learned from a refusal applies to.
type Scope int

// The scopes, from the narrowest.
const (
	NextRequest Scope = iota // the retry, and nothing after it
	ThisThread
	WholeModel
)

// oddCount is by what factor a provider's count of a prompt may exceed ours, before
// its numbers are taken to be about something else.
const oddCount = 3

// Allowed returns the most tokens of a prompt after one that was counted as sent
// tokens was refused. Numbers of the provider's hold for the model; without them,
// in bytes, or where they cannot be about this prompt, it is four fifths of what was
// refused, for this thread. So it is where the reply asked for was more than half the
// window: that is said of one request, and where it leaves no room at all it holds for
// the retry alone.
func Allowed(o overflow.Overflow, sent int) (window int, holds Scope) {
	window, holds = o.Limit-o.Output, ThisThread
	stated := o.Unit == overflow.Tokens && o.Limit > 0 && o.Requested/oddCount <= sent
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

// Refused takes what an overflow says of a prompt to a model that was counted as sent
// tokens, and returns the most tokens of the prompt that is sent instead. What is
// Allowed by the provider's own numbers is believed of the model when they were stated
// again, and of this thread at once; where they are doubtful, of the thread when they
// were stated again, and of the model after four refusals.
func (l *LearnedLimits) Refused(s Subject, m model.Model, o overflow.Overflow, sent int) int {
	window, holds := Allowed(o, sent)
	now := l.now()
	switch holds {
	case ThisThread:
		l.change(s, func(x *Limits) { x.window.believe(window, now, chosenTime) })
	case WholeModel:
		mine, all := 1, timesLikely
		if !m.Guess && window < m.Window/doubtfulShare || beyond(l.Of(s.Everywhere()).largest, window) {
			mine, all = timesLikely, timesDoubtful
		}
		l.change(s, func(x *Limits) { x.window.stated(window, mine, now) })
		l.change(s.Everywhere(), func(x *Limits) { x.window.stated(window, all, now) })
	}
	return window
}

// TooHeavy takes the refusal of a request of so many bytes, and returns the most
// that is sent from now on: what the provider says, else four fifths, for this
// thread. What it says is believed of the model when it was said again.
func (l *LearnedLimits) TooHeavy(s Subject, o overflow.Overflow, sent int) int {
	most, now, long := max(sent*4/5, 1), l.now(), chosenTime
	if o.Unit == overflow.Bytes && o.Limit > 0 && o.Limit < sent {
		most, long = o.Limit, statedTime
		l.change(s.Everywhere(), func(x *Limits) { x.bytes.stated(most, timesLikely, now) })
	}
	l.change(s, func(x *Limits) { x.bytes.believe(most, now, long) })
	return most
}

// Weight is the most bytes of a request: what is known of its model or was asked
// for, 0 for neither, but no more than was learned.
func (l *LearnedLimits) Weight(s Subject, known int) int {
	now := l.now()
	for _, at := range []Subject{s.Everywhere(), s} {
		if b := l.Of(at).bytes.at(now); b > 0 && (known == 0 || b < known) {
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
	now := l.now()
	l.refresh(now)
	for _, at := range []Subject{s.Everywhere(), s} {
		if w := l.Of(at).window.at(now); w > 0 {
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
