package replay

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// State remembers scores in a file, one line each, so that what was finished is
// not run again while run, policy, budget and the stamp it was opened with are
// the same. A nil State remembers nothing. Safe for concurrent use.
type State struct {
	stamp string
	mu    sync.Mutex
	file  *os.File
	known map[string]Score
}

// remembered is a line of the file.
type remembered struct {
	Key   string `json:"key"`
	Score Score  `json:"score"`
}

// OpenState opens or makes a file. The stamp is everything beside run, policy
// and budget that a score depends on. A line that was cut short is ignored.
func OpenState(path, stamp string) (*State, error) {
	s := &State{stamp: stamp, known: map[string]Score{}}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open state: %w", err)
	}
	for l := range bytes.Lines(old) {
		var r remembered
		if json.Unmarshal(l, &r) == nil && r.Key != "" {
			s.known[r.Key] = r.Score
		}
	}
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if n := len(old); n > 0 && old[n-1] != '\n' {
		_, err = s.file.WriteString("\n")
	}
	return s, err
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }

// digest tells runs apart.
func digest(r Run) []byte {
	h := sha256.New()
	w := bufio.NewWriter(h) // a hash takes everything: no error below
	_, _ = fmt.Fprintf(w, "%q %q\n", r.Source, r.ID)
	e := json.NewEncoder(w)
	_ = errors.Join(e.Encode(r.System), e.Encode(r.Tools)) // they were read from JSON
	for i := range r.Messages {
		m := &r.Messages[i]
		_, _ = fmt.Fprintf(w, "%s %d ", m.Role, m.Time.UnixNano())
		if len(m.Raw) == 0 {
			_ = e.Encode(m)
		}
		_, _ = w.Write(m.Raw)
	}
	_ = w.Flush()
	return h.Sum(nil)
}

// key names a score.
func (s *State) key(run []byte, p Policy, budget int) string {
	stamp := ""
	if s != nil {
		stamp = s.stamp
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %q %q %q %d", run, stamp, p.Name, p.Stamp, budget))
	return hex.EncodeToString(sum[:16])
}

func (s *State) find(key string) (Score, bool) {
	if s == nil {
		return Score{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	score, ok := s.known[key]
	return score, ok
}

func (s *State) keep(key string, score Score) error {
	if s == nil {
		return nil
	}
	line, err := json.Marshal(remembered{key, score})
	if err != nil {
		return fmt.Errorf("keep score: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep score: %w", err)
	}
	return nil
}
