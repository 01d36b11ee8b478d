package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds a line of an event log, bytes.
const maxLine = 1 << 20

// JSONL writes events as lines of JSON; subscribe its Append. Safe for
// concurrent use. A slow writer delays nothing but its own queue on the bus; an
// event that could not be written is lost, and counted.
type JSONL struct {
	mu     sync.Mutex
	w      io.Writer
	torn   bool // the last line lacks its end
	failed int
	err    error
}

// NewJSONL writes to w, one Write call a line.
func NewJSONL(w io.Writer) *JSONL { return &JSONL{w: w} }

// Append writes one event.
func (j *JSONL) Append(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.appendLocked(e); err != nil {
		if j.failed++; j.err == nil {
			j.err = fmt.Errorf("write event: %w", err)
		}
	}
}

func (j *JSONL) appendLocked(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if j.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := j.w.Write(line)
	if n > 0 {
		j.torn = n < len(line)
	}
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

// Err returns how many events could not be written, and the first error.
func (j *JSONL) Err() (failed int, first error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failed, j.err
}

// ReadJSONL reads what JSONL wrote. Lines that are no events, as a crash leaves
// them, are passed over; the error then counts them and says what is wrong with
// the first.
func ReadJSONL(r io.Reader) ([]Event, error) {
	var (
		out        []Event
		line, torn int
		first      error
	)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		e, err := parse(text)
		if err == nil {
			out = append(out, e)
			continue
		}
		if torn++; first == nil {
			first = fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return out, fmt.Errorf("read events: line %d: %w", line+1, err)
	}
	if first != nil {
		return out, fmt.Errorf("read events: %d bad lines: %w", torn, first)
	}
	return out, nil
}

func parse(text []byte) (e Event, err error) {
	if err = json.Unmarshal(text, &e); err == nil && e.Kind == "" {
		err = fmt.Errorf("event has no kind")
	}
	return e, err
}
