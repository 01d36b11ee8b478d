package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// drainTimeout bounds the wait for unanswered calls after a client closed its end.
const drainTimeout = 5 * time.Second

// stdio is a pair of streams to one client. What is no message on a line of its own is
// answered and passed over; the session goes on. The end of input ends a session at
// once, with calls unanswered, so it is held back until they are: a script may
// write its requests, close, and read.
type stdio struct {
	lines    *bufio.Reader
	closer   io.Closer // of the input, nil for none
	out      io.Writer
	line     []byte        // the rest of a message that is being read
	answered chan struct{} // holds one when something was
	closed   chan struct{}
	once     sync.Once

	mu         sync.Mutex // of out, too
	unanswered int        // requests read and not answered
}

func newStdio(in io.Reader, out io.Writer) *stdio {
	closer, _ := in.(io.Closer)
	return &stdio{lines: bufio.NewReader(in), closer: closer, out: out, answered: make(chan struct{}, 1), closed: make(chan struct{})}
}

// Read is used by one goroutine.
func (s *stdio) Read(b []byte) (int, error) {
	for len(s.line) == 0 {
		line, whole, err := s.next()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := s.take(line, whole); err != nil {
				return 0, err
			}
			continue // what went wrong comes again
		}
		if errors.Is(err, io.EOF) {
			s.drain()
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(b, s.line)
	s.line = s.line[n:]
	return n, nil
}

// next reads a line, of a very long one its beginning only.
func (s *stdio) next() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := s.lines.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxBody; whole {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// take keeps a line that holds one message for the server, and answers any other.
func (s *stdio) take(line []byte, whole bool) error {
	m, err := jsonrpc.DecodeMessage(line)
	switch {
	case !whole:
		return s.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", maxBody))
	case !json.Valid(line):
		return s.refuse(jsonrpc.CodeParseError, "this line is not JSON: a message is one line of it")
	case err != nil:
		return s.refuse(jsonrpc.CodeInvalidRequest, "this line is not one JSON-RPC 2.0 message")
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		s.add(1)
	}
	s.line = append(line, '\n')
	return nil
}

// refuse answers what has no id that is known.
func (s *stdio) refuse(code int64, why string) error {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": &jsonrpc.Error{Code: code, Message: why}})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.out.Write(append(data, '\n'))
	return err
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
	s.mu.Lock()
	_, err := s.out.Write(withCode(b))
	s.mu.Unlock()
	s.add(-1)
	select {
	case s.answered <- struct{}{}:
	default:
	}
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// withCode gives an error its code that has none: a call before the session has begun.
func withCode(b []byte) []byte {
	if !bytes.Contains(b, []byte(`"code":0`)) {
		return b
	}
	m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(b))
	r, ok := m.(*jsonrpc.Response)
	var failed *jsonrpc.Error
	if err != nil || !ok || !errors.As(r.Error, &failed) || failed.Code != 0 {
		return b
	}
	r.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: failed.Message, Data: failed.Data}
	coded, err := jsonrpc.EncodeMessage(r)
	if err != nil {
		return b
	}
	return append(coded, '\n')
}

// Close ends the session. It closes the input if it can be closed, and leaves
// the output to who gave it.
func (s *stdio) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		if s.closer != nil {
			err = s.closer.Close()
		}
	})
	return err
}
