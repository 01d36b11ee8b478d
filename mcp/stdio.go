package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// drainTimeout bounds the wait for unanswered calls after a client closed its end.
const drainTimeout = 5 * time.Second

// stdio is a pair of streams to one client. The end of input ends a session at
// once, with calls unanswered, so it is held back until they are: a script may
// write its requests, close, and read.
type stdio struct {
	in       io.Reader
	out      io.Writer
	line     []byte        // of in, as far as it has come
	answered chan struct{} // holds one when something was
	closed   chan struct{}
	once     sync.Once

	mu         sync.Mutex
	unanswered int // requests read and not answered
}

func newStdio(in io.Reader, out io.Writer) *stdio {
	return &stdio{in: in, out: out, answered: make(chan struct{}, 1), closed: make(chan struct{})}
}

// Read is used by one goroutine.
func (s *stdio) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	if n > 0 {
		s.countRequests(b[:n])
		return n, nil // what went wrong comes again
	}
	if errors.Is(err, io.EOF) {
		s.countRequests([]byte("\n"))
		s.drain()
	}
	return n, err
}

// countRequests counts the requests in what was read.
func (s *stdio) countRequests(b []byte) {
	for {
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		if len(s.line)+len(part) <= maxBody {
			s.line = append(s.line, part...)
		}
		if !ended {
			return
		}
		if isRequest(s.line) {
			s.add(1)
		}
		s.line, b = s.line[:0], rest
	}
}

// isRequest reports whether a line is a request, which gets an answer.
func isRequest(line []byte) bool {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	return json.Unmarshal(line, &m) == nil && m.ID != nil && m.Method != ""
}

func (s *stdio) add(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unanswered = max(s.unanswered+n, 0)
	return s.unanswered
}

// drain waits until every request is answered; a call that its client has
// cancelled never is.
func (s *stdio) drain() {
	late := time.NewTimer(drainTimeout)
	defer late.Stop()
	for s.add(0) > 0 {
		select {
		case <-s.answered:
		case <-s.closed:
			return
		case <-late.C:
			return
		}
	}
}

// Write takes one message, which is an answer: this server asks nothing.
func (s *stdio) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	s.add(-1)
	select {
	case s.answered <- struct{}{}:
	default:
	}
	return n, err
}

// Close ends the session. It closes the input if it can be closed, and leaves
// the output to who gave it.
func (s *stdio) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		if c, ok := s.in.(io.Closer); ok {
			err = c.Close()
		}
	})
	return err
}
