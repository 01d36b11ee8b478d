// Package decodecache decodes requests, and reads the messages that a conversation
// repeats once only: a client sends its whole history with every request.
//
// Use: New, then Decode instead of the codec's own. Law: what Decode returns is what
// the codec alone would return, but for codec.Request.Known; nothing that one tenant
// sent serves another. Promise: what is kept is bounded in number and bytes, and it
// is safe for concurrent use.
package decodecache

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/message"
)

// Cache keeps the messages of the last requests. Make it with New.
type Cache struct {
	kept lru.Cache[uint64, *history] // by the number of the request; the latest first
	// hits and misses count requests that go on from a kept one, and others.
	hits, misses atomic.Uint64
}

// history holds the messages of one request. It never changes.
type history struct {
	tenant, api string
	messages    []message.Message
	bytes       int // about what it takes in memory
	request     uint64
}

// A Cache keeps at most maxHistories, and maxBytes of them unless New says
// otherwise. A request takes the place of the one it goes on from if it begins
// with all of that but its last few messages: clients move cache markers there.
const (
	maxHistories = 1024
	maxBytes     = 128 << 20
	lastFew      = 8
)

// waitRequests is how many requests, for each history that is kept, one waits for the
// next of its conversation before the first of another may take its place. So, of
// more conversations at once than are kept, some are still found each time.
const waitRequests = 4

// messageBytes is about what a message takes beside its content.
const messageBytes = 160

// New makes a cache of at most so many bytes; 0 = 128 MB.
func New(bytes int) *Cache {
	if bytes == 0 {
		bytes = maxBytes
	}
	return &Cache{kept: lru.Cache[uint64, *history]{MaxEntries: maxHistories, MaxBytes: bytes}}
}

// Decode decodes a tenant's request, and keeps its messages for the next one. Requests
// of a codec that is no codec.Incremental are decoded each time.
func (c *Cache) Decode(tenant string, with codec.Codec, body []byte) (*codec.Request, error) {
	again, ok := with.(codec.Incremental)
	if !ok {
		return with.Decode(body)
	}
	var previous *history
	req, err := again.DecodeAfter(body, func(rest []byte) (known []message.Message, end int) {
		previous, known, end = c.find(tenant, with.Name(), rest)
		return known, end
	})
	if err != nil || len(req.Messages) == 0 {
		return req, err
	}
	h := &history{tenant: tenant, api: with.Name()}
	for i := range req.Messages {
		h.bytes += messageBytes + req.Messages[i].Weight()
	}
	continues := previous.leadsTo(req.Known)
	h.request = c.count(continues)
	if h.bytes > c.kept.MaxBytes || !continues && !c.admits(h) {
		return req, nil
	}
	h.messages = req.Lasting()
	if previous.yieldsTo(req.Known) {
		c.kept.Remove(previous.request)
	}
	c.kept.Set(h.request, h, h.bytes)
	return req, nil
}

// find returns the history that an array of messages goes on from, the messages of
// it that the array begins with, and where the last of these ends. Those that seem to
// begin it are looked at first. It stops when most of rest is known, or when it has
// compared more than reading all would take.
func (c *Cache) find(tenant, api string, rest []byte) (best *history, known []message.Message, end int) {
	var likely, others []*history
	for _, h := range c.kept.All() {
		switch {
		case h.tenant != tenant || h.api != api:
		case h.seemsToBegin(rest):
			likely = append(likely, h)
		default:
			others = append(others, h)
		}
	}
	compared := 0
	for _, h := range append(likely, others...) {
		n, to := codec.Begins(rest, h.messages)
		if n > len(known) {
			best, known, end = h, h.messages[:n], to
		}
		if compared += to; 2*end > len(rest) && best.yieldsTo(len(known)) || compared > 2*len(rest) {
			break
		}
	}
	return best, known, end
}

// seemsToBegin looks at the ends of the first messages, where conversations that share
// a long system prompt differ. It costs next to nothing.
func (h *history) seemsToBegin(rest []byte) bool {
	const first, most = 3, 64
	at := 0
	for _, m := range h.messages[:min(first, len(h.messages))] {
		for at < len(rest) && (rest[at] == ',' || rest[at] <= ' ') {
			at++
		}
		tail := m.Raw[len(m.Raw)-min(most, len(m.Raw)):]
		if at += len(m.Raw); at > len(rest) || !bytes.HasSuffix(rest[:at], tail) {
			return false
		}
	}
	return true
}

// leadsTo reports whether a request that begins with so many of its messages goes
// on from it, if only as a branch: a system prompt alone is no conversation.
func (h *history) leadsTo(known int) bool { return h != nil && 2*known > len(h.messages) }

// yieldsTo reports whether such a request takes its place.
func (h *history) yieldsTo(known int) bool {
	return h.leadsTo(known) && len(h.messages)-known <= lastFew
}

// count counts a request and returns its number.
func (c *Cache) count(hit bool) uint64 {
	if hit {
		return c.hits.Add(1) + c.misses.Load()
	}
	return c.hits.Load() + c.misses.Add(1)
}

// admits reports whether a request that goes on from nothing may be kept: it must
// not displace a history whose next request may still come.
func (c *Cache) admits(h *history) bool {
	var all []*history
	for _, x := range c.kept.All() {
		all = append(all, x)
	}
	n, size := len(all)+1, c.kept.Stats().Bytes+h.bytes
	for _, x := range slices.Backward(all) {
		if n <= c.kept.MaxEntries && size <= c.kept.MaxBytes {
			break
		}
		if h.request-x.request < uint64(waitRequests*len(all)) {
			return false
		}
		n, size = n-1, size-x.bytes
	}
	return true
}

// Stats returns what is kept, and how many requests went on from what was kept.
func (c *Cache) Stats() lru.Stats {
	s := c.kept.Stats()
	s.Hits, s.Misses = c.hits.Load(), c.misses.Load()
	return s
}

// Age forgets the requests that nothing went on from since the call before, and returns
// how many are left.
func (c *Cache) Age() (left int) { return c.kept.Age() }

// Clear forgets everything: the next request is decoded from its beginning.
func (c *Cache) Clear() { c.kept.Clear() }
