package proxy

import (
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/internal/lesson"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// aside is what stands upstream in place of one answer as the client has it:
// with the calls of the recall tools and what they got (DESIGN decision 12).
type aside struct {
	at       thread.ID // the answer's entry
	messages []message.Message
	tokens   int
}

// asides are those of the conversations of late, kept while the proxy runs. The
// zero value is ready.
type asides struct {
	mu    sync.Mutex
	known map[lesson.Subject]*pages
	clock int
}

// pages are the asides of a conversation, oldest first, and when they were asked
// for last.
type pages struct {
	list    []aside
	refused bool // the provider does not take it that the model looks things up
	used    int
}

// mostAside is how many conversations have asides.
const mostAside = 256

// of are the asides of a conversation, and whether there may be any.
func (s *asides) of(who lesson.Subject) (list []aside, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.known[who]
	if p == nil {
		return nil, true
	}
	s.clock++
	p.used = s.clock
	return slices.Clone(p.list), !p.refused
}

// put keeps one. Of a conversation whose asides are more than so many tokens the
// oldest go.
func (s *asides) put(who lesson.Subject, a aside, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pagesLocked(who)
	p.list = append(p.list, a)
	for total(p.list) > most {
		p.list = p.list[1:]
	}
}

// refuse says that a conversation has none from now on.
func (s *asides) refuse(who lesson.Subject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pagesLocked(who)
	p.list, p.refused = nil, true
}

func (s *asides) pagesLocked(who lesson.Subject) *pages {
	if s.known == nil {
		s.known = map[lesson.Subject]*pages{}
	}
	p := s.known[who]
	if p == nil {
		if len(s.known) == mostAside {
			s.forgetLocked()
		}
		p = &pages{}
		s.known[who] = p
	}
	s.clock++
	p.used = s.clock
	return p
}

// drop forgets those that gone says have no place any more.
func (s *asides) drop(who lesson.Subject, gone map[thread.ID]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.known[who]
	if p == nil {
		return
	}
	p.list = slices.DeleteFunc(p.list, func(a aside) bool { return gone[a.at] })
}

func (s *asides) forgetLocked() {
	var oldest lesson.Subject
	at := s.clock + 1
	for who, p := range s.known {
		if p.used < at {
			oldest, at = who, p.used
		}
	}
	delete(s.known, oldest)
}

func total(as []aside) (n int) {
	for _, a := range as {
		n += a.tokens
	}
	return n
}
