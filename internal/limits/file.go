package limits

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/token"
)

// kept holds what was learned about one subject, in a file.
type kept struct {
	Provider string            `json:"provider"`
	Tenant   string            `json:"tenant,omitempty"`
	Model    string            `json:"model"`
	Thread   string            `json:"thread,omitempty"`
	Counts   token.Calibration `json:"counts,omitzero"`
	Window   int               `json:"window,omitempty"` // tokens
	Bytes    int               `json:"bytes,omitempty"`
}

// file is where limits are kept: what usage and refusals taught, and nothing of any
// message.
type file struct {
	path string
	mu   sync.Mutex // of writing
	err  error      // the last failure
}

// format is the version of the file.
const format = 1

type sheet struct {
	Format  int    `json:"format"`
	Lessons []kept `json:"lessons"`
}

// Keep reads the limits of a file, if there is one, and from now on writes it when they
// change enough to matter. It is a cache: one that cannot be read is
// an error, and is written anew all the same.
func (l *LearnedLimits) Keep(path string) error {
	var s sheet
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil:
		if err = json.Unmarshal(data, &s); err == nil && s.Format != format {
			err = fmt.Errorf("format is %d, want %d", s.Format, format)
		}
	}
	if err != nil {
		s, err = sheet{}, fmt.Errorf("read learned limits: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = &file{path: path}
	l.known.Clear()
	for _, k := range s.Lessons[:min(len(s.Lessons), maxSubjects)] {
		l.set(Subject{k.Provider, k.Tenant, k.Model, k.Thread}, Limits{
			Applied: k.Counts, learned: k.Counts, window: max(k.Window, 0), bytes: max(k.Bytes, 0),
		})
	}
	return err
}

// Flush writes what was learned since it was last written, and returns the last
// failure to write, if that was not returned before.
func (l *LearnedLimits) Flush() error {
	l.write()
	l.mu.Lock()
	f := l.file
	l.mu.Unlock()
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.err
	f.err = nil
	return err
}

// write replaces the file.
func (l *LearnedLimits) write() {
	l.mu.Lock()
	f := l.file
	l.mu.Unlock()
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, err := json.MarshalIndent(sheet{format, l.sorted()}, "", " "); err != nil {
		f.err = fmt.Errorf("write learned limits: %w", err)
	} else if err := replace(f.path, append(data, '\n')); err != nil {
		f.err = fmt.Errorf("write learned limits: %w", err)
	}
}

func (l *LearnedLimits) sorted() []kept {
	all := []kept{}
	for s, x := range l.known.All() {
		if x.learned.Seen > 0 || x.window > 0 || x.bytes > 0 {
			all = append(all, kept{s.Provider, s.Tenant, s.Model, s.Thread, x.learned, x.window, x.bytes})
		}
	}
	slices.SortFunc(all, func(a, b kept) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Thread, b.Thread))
	})
	return all
}

// replace writes a file in one step: whoever reads it sees the old or the new.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
