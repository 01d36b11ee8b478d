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
	"time"

	"github.com/seed-3db51b0e/precis/token"
)

// Learned holds what was learned about one subject, as a file has it.
type Learned struct {
	Provider string            `json:"provider"`
	Tenant   string            `json:"tenant,omitempty"`
	Model    string            `json:"model"`
	Thread   string            `json:"thread,omitempty"` // "" = all of the tenant's
	Counts   token.Calibration `json:"counts,omitzero"`
	// Window is the most tokens of a prompt, as ours count, Bytes the most bytes of a
	// request; 0 = not known.
	Window      int       `json:"window,omitempty"`
	WindowUntil time.Time `json:"window_until,omitzero"`
	Bytes       int       `json:"bytes,omitempty"`
	BytesUntil  time.Time `json:"bytes_until,omitzero"`
	Tight
}

// file is where limits are kept: what usage and refusals taught, and nothing of any
// message.
type file struct {
	path    string
	mu      sync.Mutex // of reading and writing
	err     error      // the last failure
	changed time.Time  // of the file, as it is known
	asked   time.Time  // when it was last asked for a change
}

// format is the version of the file.
const format = 1

type sheet struct {
	Format  int       `json:"format"`
	Entries []Learned `json:"lessons"`
}

// read returns what a file holds, and when it was written; nothing for none.
func read(path string) (s sheet, changed time.Time, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sheet{}, changed, nil
	}
	if err == nil {
		if err = json.Unmarshal(data, &s); err == nil && s.Format != format {
			err = fmt.Errorf("format is %d, want %d", s.Format, format)
		}
	}
	if err != nil {
		return sheet{}, changed, fmt.Errorf("read learned limits: %w", err)
	}
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	s.Entries = s.Entries[:min(len(s.Entries), maxSubjects)]
	return s, changed, nil
}

// write makes s the content of a file, and returns when that was.
func (s sheet) write(path string) (changed time.Time, err error) {
	data, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		changed, err = replace(path, append(data, '\n'))
	}
	if err != nil {
		err = fmt.Errorf("write learned limits: %w", err)
	}
	return changed, err
}

// TightBudgets returns of which models most of the budget went to system prompt and
// tools when they were last asked, as a file has it.
func TightBudgets(path string) ([]Learned, error) {
	s, _, err := read(path)
	return slices.DeleteFunc(s.Entries, func(k Learned) bool { return k.Overhead == 0 }), err
}

// Refusals returns what refusals taught that is in force, as a file has it.
func Refusals(path string, now time.Time) ([]Learned, error) {
	s, _, err := read(path)
	return slices.DeleteFunc(s.Entries, func(k Learned) bool { return !k.inForce(now) }), err
}

func (k Learned) inForce(now time.Time) bool {
	return k.Window > 0 && now.Before(k.WindowUntil) || k.Bytes > 0 && now.Before(k.BytesUntil)
}

// Forget takes back what refusals taught about a model, "" for all models, and returns
// of how many subjects. A proxy that uses the file forgets it too, within seconds. What
// usage taught about counts stays: usage corrects it.
func Forget(path, model string) (n int, err error) {
	s, _, err := read(path)
	if err != nil {
		return 0, err
	}
	for i := range s.Entries {
		k := &s.Entries[i]
		if (model == "" || k.Model == model) && (k.Window > 0 || k.Bytes > 0) {
			k.Window, k.WindowUntil, k.Bytes, k.BytesUntil = 0, time.Time{}, 0, time.Time{}
			n++
		}
	}
	if n > 0 {
		_, err = s.write(path)
	}
	return n, err
}

// Keep reads the limits of a file, if there is one, and from now on writes it when they
// change enough to matter. It is a cache: one that cannot be read is
// an error, and is written anew all the same.
func (l *LearnedLimits) Keep(path string) error {
	s, changed, err := read(path)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = &file{path: path, changed: changed}
	l.known.Clear()
	for _, k := range s.Entries {
		x := Limits{Applied: k.Counts, learned: k.Counts, tight: k.Tight}
		x.window, x.bytes = k.bounds()
		l.set(k.subject(), x)
	}
	return err
}

func (k Learned) subject() Subject { return Subject{k.Provider, k.Tenant, k.Model, k.Thread} }

// bounds are those of what was learned. One without an end is of a time when a single refusal
// taught it.
func (k Learned) bounds() (window, bytes bound) {
	if !k.WindowUntil.IsZero() {
		window = bound{most: max(k.Window, 0), until: k.WindowUntil}
	}
	if !k.BytesUntil.IsZero() {
		bytes = bound{most: max(k.Bytes, 0), until: k.BytesUntil}
	}
	return window, bytes
}

// lookAgain is how often the file is asked whether somebody else changed it.
const lookAgain = 2 * time.Second

// refresh takes over which limits somebody else took back in the file.
func (l *LearnedLimits) refresh(now time.Time) {
	l.mu.Lock()
	f := l.file
	l.mu.Unlock()
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.asked) < lookAgain {
		return
	}
	f.asked = now
	info, err := os.Stat(f.path)
	if err != nil || info.ModTime().Equal(f.changed) {
		return
	}
	s, changed, err := read(f.path)
	if err != nil { // it is written anew
		return
	}
	f.changed = changed
	in := map[Subject]Learned{}
	for _, k := range s.Entries {
		in[k.subject()] = k
	}
	for at := range l.known.All() {
		l.changes(at, func(x *Limits) { x.window, x.bytes = in[at].bounds() })
	}
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
	changed, err := sheet{format, l.sorted()}.write(f.path)
	if err != nil {
		f.err = err
		return
	}
	f.changed = changed
}

func (l *LearnedLimits) sorted() []Learned {
	all, now := []Learned{}, l.now()
	for s, x := range l.known.All() {
		k := Learned{Provider: s.Provider, Tenant: s.Tenant, Model: s.Model, Thread: s.Thread, Counts: x.learned, Tight: x.tight}
		if k.Window = x.window.at(now); k.Window > 0 {
			k.WindowUntil = x.window.until
		}
		if k.Bytes = x.bytes.at(now); k.Bytes > 0 {
			k.BytesUntil = x.bytes.until
		}
		if x.learned.Seen > 0 || k.inForce(now) || x.tight != (Tight{}) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Learned) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Thread, b.Thread))
	})
	return all
}

// replace writes a file in one step, and returns when it was written: whoever reads it
// sees the old or the new.
func replace(path string, data []byte) (changed time.Time, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return changed, err
	}
	_, err = f.Write(data)
	if info, statErr := f.Stat(); err == nil && statErr == nil {
		changed = info.ModTime()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return changed, errors.Join(err, os.Remove(f.Name()))
	}
	return changed, nil
}
