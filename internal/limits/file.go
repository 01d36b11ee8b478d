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

// Place is where limits are kept: what usage and refusals taught, and nothing of any
// message. Several processes may share one. Its versions differ where its content does.
type Place interface {
	// Read returns what is there, and its version; nothing and "" for nothing.
	Read() (data []byte, version string, err error)
	// Version is the version of what is there now, "" for nothing.
	Version() (string, error)
	// Write replaces what is there in one step.
	Write(data []byte) (version string, err error)
}

// kept is a place that is in use.
type kept struct {
	place   Place
	mu      sync.Mutex // of reading and writing
	err     error      // the last failure
	version string     // of the place, as it is known
	asked   time.Time  // when it was last asked for a change
}

// File is a place in a file.
type File string

// Version implements Place.
func (path File) Version() (string, error) {
	info, err := os.Stat(string(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return versionOf(info), nil
}

// versionOf names a content by when it was written and its size: the clocks of file systems
// are coarse.
func versionOf(info fs.FileInfo) string {
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// Read implements Place.
func (path File) Read() (data []byte, version string, err error) {
	version, err = path.Version()
	if version == "" || err != nil {
		return nil, "", err
	}
	data, err = os.ReadFile(string(path))
	return data, version, err
}

// Write implements Place.
func (path File) Write(data []byte) (version string, err error) {
	return replace(string(path), data)
}

// format is the version of the file.
const format = 1

type sheet struct {
	Format  int       `json:"format"`
	Entries []Learned `json:"lessons"`
}

// read returns what a place holds, and its version; nothing for none.
func read(at Place) (s sheet, version string, err error) {
	data, version, err := at.Read()
	if err == nil && version == "" {
		return sheet{}, "", nil
	}
	if err == nil {
		if err = json.Unmarshal(data, &s); err == nil && s.Format != format {
			err = fmt.Errorf("format is %d, want %d", s.Format, format)
		}
	}
	if err != nil {
		return sheet{}, "", fmt.Errorf("read learned limits: %w", err)
	}
	s.Entries = s.Entries[:min(len(s.Entries), maxSubjects)]
	return s, version, nil
}

// write makes s the content of a place, and returns its version.
func (s sheet) write(at Place) (version string, err error) {
	data, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		version, err = at.Write(append(data, '\n'))
	}
	if err != nil {
		err = fmt.Errorf("write learned limits: %w", err)
	}
	return version, err
}

// TightBudgets returns of which models most of the budget went to system prompt and
// tools when they were last asked, as a place has it.
func TightBudgets(at Place) ([]Learned, error) {
	s, _, err := read(at)
	return slices.DeleteFunc(s.Entries, func(k Learned) bool { return k.Overhead == 0 }), err
}

// Refusals returns what refusals taught that is in force, as a place has it.
func Refusals(at Place, now time.Time) ([]Learned, error) {
	s, _, err := read(at)
	for i := range s.Entries {
		s.Entries[i].end(now)
	}
	return slices.DeleteFunc(s.Entries, func(k Learned) bool { return !k.bounded() }), err
}

// end takes out the bounds that are in force no more.
func (k *Learned) end(now time.Time) {
	if !now.Before(k.WindowUntil) {
		k.Window, k.WindowUntil = 0, time.Time{}
	}
	if !now.Before(k.BytesUntil) {
		k.Bytes, k.BytesUntil = 0, time.Time{}
	}
}

// bounded reports whether refusals taught anything about a subject.
func (k Learned) bounded() bool { return k.Window > 0 || k.Bytes > 0 }

// Forget takes back what refusals taught about a model, "" for all models, and returns
// of how many subjects. A proxy that uses the place forgets it too, within seconds. What
// usage taught about counts stays: usage corrects it.
func Forget(at Place, model string) (n int, err error) {
	s, _, err := read(at)
	if err != nil {
		return 0, err
	}
	for i := range s.Entries {
		k := &s.Entries[i]
		if (model == "" || k.Model == model) && k.bounded() {
			k.Window, k.WindowUntil, k.Bytes, k.BytesUntil = 0, time.Time{}, 0, time.Time{}
			n++
		}
	}
	if n > 0 {
		_, err = s.write(at)
	}
	return n, err
}

// Keep reads the limits of a place, and from now on writes them there when they change
// enough to matter. It is a cache: one that cannot be read is an error, and is written
// anew all the same.
func (l *LearnedLimits) Keep(at Place) error {
	s, version, err := read(at)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = &kept{place: at, version: version}
	l.known.Clear()
	l.own = map[Subject]bool{}
	for _, k := range s.Entries {
		l.adopt(k)
	}
	return err
}

// adopt takes over what another process, or an earlier one, learned about a subject of
// which nothing is known here. The caller holds the lock.
func (l *LearnedLimits) adopt(k Learned) {
	x := Limits{Applied: k.Counts, learned: k.Counts, tight: k.Tight}
	x.window, x.bytes = k.bounds()
	l.set(k.subject(), x)
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

// lookAgain is how often a place is asked whether somebody else changed it.
const lookAgain = 2 * time.Second

// refresh takes over what somebody else learned, or took back, in the place.
func (l *LearnedLimits) refresh(now time.Time) {
	l.mu.Lock()
	f := l.kept
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
	l.merge(f)
}

// merge takes over what the place holds, if that is not what is known of it: of each
// subject but those of which something was learned here that is not written yet.
func (l *LearnedLimits) merge(f *kept) {
	if version, err := f.place.Version(); err != nil || version == f.version {
		return
	}
	s, version, err := read(f.place)
	if err != nil { // it is written anew
		return
	}
	f.version = version
	in := map[Subject]Learned{}
	for _, k := range s.Entries {
		in[k.subject()] = k
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, x := range l.known.All() {
		if !l.own[at] {
			x.window, x.bytes = in[at].bounds()
			l.set(at, x)
		}
		delete(in, at)
	}
	for _, k := range in {
		l.adopt(k)
	}
}

// Flush writes what was learned since it was last written, and returns the last
// failure to write, if that was not returned before.
func (l *LearnedLimits) Flush() error {
	l.write()
	l.mu.Lock()
	f := l.kept
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

// write replaces what the place holds, with what others wrote there meanwhile.
func (l *LearnedLimits) write() {
	l.mu.Lock()
	f := l.kept
	l.mu.Unlock()
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l.merge(f)
	written := l.take()
	version, err := sheet{format, l.sorted()}.write(f.place)
	if err != nil {
		f.err = err
		l.putBack(written)
		return
	}
	f.version = version
}

// take returns what was learned here and is about to be written. What is learned from now
// on may not be in what is written.
func (l *LearnedLimits) take() map[Subject]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.own
	l.own = map[Subject]bool{}
	return taken
}

// putBack takes that it could not be written.
func (l *LearnedLimits) putBack(taken map[Subject]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range taken {
		if _, known := l.known.Peek(s); known {
			l.own[s] = true
		}
	}
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
		if x.learned.Seen > 0 || k.bounded() || x.tight != (Tight{}) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Learned) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Thread, b.Thread))
	})
	return all
}

// replace writes a file in one step, and returns its version: whoever reads it sees the old
// or the new.
func replace(path string, data []byte) (version string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if info, statErr := f.Stat(); err == nil && statErr == nil {
		version = versionOf(info)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return version, nil
}
