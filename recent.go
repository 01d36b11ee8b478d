package precis

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// recent keeps the threads that were used last, so that a continuing
// conversation is not read from the store again for each request. It is a cache
// only: what it holds is used when the store's tip still agrees.
type recent struct {
	mu    sync.Mutex
	last  []kept // most recent last
	bytes int    // of all of last: see weigh
	// hits and misses count threads that were asked for.
	hits, misses uint64
}

type kept struct {
	key  store.Key
	t    *thread.Thread
	size int // see weigh
	p    *plan.Plan
	s    *steady
	back rehydrate.State
	// around is the digest of the envelope that was logged last, zero if not known.
	around [sha256.Size]byte
	forms  map[form]bool // of messages, beside the ones first logged
	seen   time.Time     // when the thread was last used, by anyone as far as is known
}

// most is how many threads are kept, and mostBytes what they may weigh together;
// the one that was used last is kept whatever it weighs.
const (
	most      = 64
	mostBytes = 256 << 20
)

// thread returns the kept thread of a key if it ends in tip, else nil.
func (r *recent) thread(k store.Key, tip thread.ID) *thread.Thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 && r.last[i].t.Tip() == tip {
		r.hits++
		return r.last[i].t
	}
	r.misses++
	return nil
}

// keep remembers a thread, and forgets those unused for longest beyond most.
func (r *recent) keep(k store.Key, t *thread.Thread) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := kept{key: k}
	if i := r.find(k); i >= 0 {
		x = r.last[i]
		r.bytes -= x.size
		r.last = slices.Delete(r.last, i, i+1)
	}
	x.size, x.t = weigh(t, x.t, x.size), t
	r.bytes += x.size
	r.last = append(r.last, x)
	for len(r.last) > most || r.bytes > mostBytes && len(r.last) > 1 {
		r.bytes -= r.last[0].size
		r.last = slices.Delete(r.last, 0, 1)
	}
}

// plan returns the kept plan of a version, or nil.
func (r *recent) plan(k store.Key, version int) *plan.Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 && r.last[i].p != nil && r.last[i].p.Version == version {
		return r.last[i].p
	}
	return nil
}

// lastPlan is the kept plan of a key with the thread it was made on, or nil.
func (r *recent) lastPlan(k store.Key) (*plan.Plan, *thread.Thread) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		return r.last[i].p, r.last[i].t
	}
	return nil, nil
}

// plans remembers the plan of a thread that is kept.
func (r *recent) plans(k store.Key, p *plan.Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		r.last[i].p = p
	}
}

// state is what came back when in a thread; setState remembers it.
func (r *recent) state(k store.Key) rehydrate.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		return r.last[i].back
	}
	return rehydrate.State{}
}

func (r *recent) setState(k store.Key, s rehydrate.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		r.last[i].back = s
	}
}

// used notes a use of a thread that is kept; touch does, and returns the one
// before, zero if there is none.
func (r *recent) used(k store.Key, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 && at.After(r.last[i].seen) {
		r.last[i].seen = at
	}
}

func (r *recent) touch(k store.Key, at time.Time) (before time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		before, r.last[i].seen = r.last[i].seen, at
	}
	return before
}

// envelope is the digest of the envelope that was logged last in a thread that is
// kept; setEnvelope remembers it.
func (r *recent) envelope(k store.Key) (sum [sha256.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		return r.last[i].around
	}
	return sum
}

func (r *recent) setEnvelope(k store.Key, sum [sha256.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		r.last[i].around = sum
	}
}

// doubt forgets which envelope and forms are logged: the log is not what was kept
// of it, so a write may have been lost.
func (r *recent) doubt(k store.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		r.last[i].around, r.last[i].forms = [sha256.Size]byte{}, nil
	}
}

// clear forgets everything.
func (r *recent) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.bytes = nil, 0
}

func (r *recent) find(k store.Key) int {
	return slices.IndexFunc(r.last, func(x kept) bool { return x.key == k })
}

// take hands the state of a kept thread to one caller, who may put it back.
func (r *recent) take(k store.Key) *steady {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.find(k)
	if i < 0 {
		return nil
	}
	s := r.last[i].s
	r.last[i].s = nil
	return s
}

// put gives a state to the next request of a thread that is kept.
func (r *recent) put(k store.Key, s *steady) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.find(k); i >= 0 {
		r.last[i].s = s
	}
}

// lasting copies messages so that they can be kept: their raw bytes are slices
// of the whole body they came in, which must not be held for them.
func lasting(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i := range out {
		out[i] = out[i].Lasting()
	}
	return out
}

// owned copies messages' parts: a client that reuses its slices must not change
// what is kept.
func owned(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i := range out {
		out[i].Parts = ownedParts(out[i].Parts)
	}
	return out
}

func ownedParts(ps []message.Part) []message.Part {
	out := slices.Clone(ps)
	for i := range out {
		if out[i].Parts != nil {
			out[i].Parts = ownedParts(out[i].Parts)
		}
	}
	return out
}
