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
	// hits and misses count requests that began as one that was kept, and others.
	hits, misses uint64
}

// history is what a request held. It is not changed once it is made.
type history struct {
	tenant, api string
	messages    []message.Message
	bytes       int // about what it takes
}

// mostHistories are kept, and mostHistory bytes of them. A request takes the place
// of the one it goes on from, if all but the last few messages of that are its own:
// clients move cache markers there.
const (
	mostHistories = 64
	mostHistory   = 128 << 20
	lastFew       = 8
)

// decode decodes a tenant's request, and keeps what it holds for the next one.
func (s *histories) decode(tenant string, c Codec, body []byte) (*codec.Request, error) {
	var was history
	req, err := c.DecodeAfter(body, func(rest []byte) (known []message.Message, end int) {
		was, known, end = s.before(tenant, c.Name(), rest)
		return known, end
	})
	if err != nil || len(req.Messages) == 0 {
		return req, err
	}
	h := history{tenant: tenant, api: c.Name(), messages: req.Lasting()}
	for i := range h.messages {
		h.bytes += weigh(&h.messages[i])
	}
	s.keep(h, was, req.Known)
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
		if seen += to; 2*end > len(rest) && was.before(len(known)) || seen > 2*len(rest) {
			break
		}
	}
	return was, known, end
}

// before says whether a request with so many of its messages goes on from it.
func (h history) before(known int) bool { return len(h.messages)-known <= lastFew }

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

// keep remembers a history, which has known messages of was, and forgets those
// that are too many.
func (s *histories) keep(h, was history, known int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known == 0 {
		s.misses++
	} else {
		s.hits++
	}
	if h.bytes > s.room {
		return
	}
	if known > 0 && was.before(known) {
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
func (s *histories) remembered() precis.Remembered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return precis.Remembered{Threads: len(s.last), Bytes: s.bytes, Hits: s.hits, Misses: s.misses}
}

// The bytes of a message and of a part beside what is in them, about.
const (
	messageBytes = 160
	partBytes    = 256
)

// weigh is about what a message takes.
func weigh(m *message.Message) int { return messageBytes + len(m.Raw) + weighParts(m.Parts) }

func weighParts(ps []message.Part) (n int) {
	for i := range ps {
		p := &ps[i]
		n += partBytes + len(p.Text) + len(p.Args) + len(p.Signature) + len(p.URL) + weighParts(p.Parts)
	}
	return n
}
