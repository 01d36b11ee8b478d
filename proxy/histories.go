package proxy

import (
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// histories are the messages of the requests that came last: a conversation that
// goes on sends them all again, and what comes in the same bytes need not be
// decoded again. It is a cache only, and nobody's is another tenant's.
type histories struct {
	room  int // bytes that may be kept
	mu    sync.Mutex
	last  []history // most recent last
	bytes int       // of all of last
	// hits and misses count requests that went on from one that was kept, and others.
	hits, misses uint64
}

// history is what a request held. It is not changed once it is made.
type history struct {
	tenant, api string
	messages    []message.Message
	bytes       int    // about what it takes
	used        uint64 // number of the request
}

// mostHistories are kept, and mostHistory bytes of them. A request takes the place
// of the one it goes on from, if all but the last few messages of that are its own:
// clients move cache markers there.
const (
	mostHistories = 64
	mostHistory   = 128 << 20
	lastFew       = 8
)

// patience is how many requests, for each history that is kept, one waits for the
// next of its conversation before the first of another may take its place. Where
// more conversations go on at once than are kept, some are so still found.
const patience = 4

// messageBytes is about what a message takes beside what is in it.
const messageBytes = 160

// decode decodes a tenant's request, and keeps what it holds for the next one.
func (s *histories) decode(tenant string, c Codec, body []byte) (*codec.Request, error) {
	again, ok := c.(codec.Incremental)
	if !ok {
		return c.Decode(body)
	}
	var was history
	req, err := again.DecodeAfter(body, func(rest []byte) (known []message.Message, end int) {
		was, known, end = s.before(tenant, c.Name(), rest)
		return known, end
	})
	if err != nil || len(req.Messages) == 0 {
		return req, err
	}
	size := 0
	for i := range req.Messages {
		size += messageBytes + req.Messages[i].Weight()
	}
	if s.admit(size, was.leadsTo(req.Known)) {
		s.keep(history{tenant: tenant, api: c.Name(), messages: req.Lasting(), bytes: size}, was, req.Known)
	}
	return req, nil
}

// before finds the history that an array of messages goes on from, what it begins
// with of it, and where that ends. It looks no further when it knows most of rest,
// or has compared more than reading it all would take.
func (s *histories) before(tenant, api string, rest []byte) (was history, known []message.Message, end int) {
	seen := 0
	for _, h := range slices.Backward(s.of(tenant, api)) {
		n, to := codec.Begins(rest, h.messages)
		if n > len(known) {
			was, known, end = h, h.messages[:n], to
		}
		if seen += to; 2*end > len(rest) && was.gives(len(known)) || seen > 2*len(rest) {
			break
		}
	}
	return was, known, end
}

// leadsTo says whether a request with so many of its messages goes on from it, if
// only as a branch: what is said to every conversation at its start is little of one.
func (h history) leadsTo(known int) bool { return 2*known > len(h.messages) }

// gives says whether such a request takes its place.
func (h history) gives(known int) bool {
	return h.leadsTo(known) && len(h.messages)-known <= lastFew
}

// of are a tenant's histories of an API.
func (s *histories) of(tenant, api string) (hs []history) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.last {
		if h.tenant == tenant && h.api == api {
			hs = append(hs, h)
		}
	}
	return hs
}

// admit counts a request, and says whether what it holds is to be kept. One that
// goes on from nothing does not displace what was used lately.
func (s *histories) admit(size int, goesOn bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if goesOn {
		s.hits++
	} else {
		s.misses++
	}
	if size > s.room {
		return false
	}
	if goesOn {
		return true
	}
	n, size := len(s.last)+1, s.bytes+size
	for _, h := range s.last {
		if n <= mostHistories && size <= s.room {
			break
		}
		if s.requests()-h.used < uint64(patience*len(s.last)) {
			return false
		}
		n, size = n-1, size-h.bytes
	}
	return true
}

// requests is how many there were.
func (s *histories) requests() uint64 { return s.hits + s.misses }

// keep remembers a history, which has known messages of was, and forgets those
// that are too many.
func (s *histories) keep(h, was history, known int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.used = s.requests()
	if was.gives(known) {
		if i := slices.IndexFunc(s.last, func(x history) bool { return &x.messages[0] == &was.messages[0] }); i >= 0 {
			s.forget(i)
		}
	}
	s.last = append(s.last, h)
	s.bytes += h.bytes
	for len(s.last) > mostHistories || s.bytes > s.room {
		s.forget(0)
	}
}

func (s *histories) forget(i int) {
	s.bytes -= s.last[i].bytes
	s.last = slices.Delete(s.last, i, i+1)
}

// remembered is what is kept, and how often that served.
func (s *histories) remembered() precis.CacheStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return precis.CacheStats{Threads: len(s.last), Bytes: s.bytes, Hits: s.hits, Misses: s.misses}
}
