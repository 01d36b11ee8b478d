package discover

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/internal/unpack"
)

// MaxBytes is the most of one session that is read.
const MaxBytes = 256 << 20

var (
	// ErrLarge is wrapped when a session is larger than MaxBytes.
	ErrLarge = errors.New("too large")
	// ErrChoice is wrapped when a path holds not one session but none or several.
	ErrChoice = errors.New("not one session")

	errIrregular = errors.New("not a regular file")
)

// Load reads what a path holds for package transcript: a file as it is, unpacked if gzip
// packed it; of opencode's database or folder, and of any folder, the one session in it as
// its export would write it; of a database of several, that of DATABASE#SESSION.
func Load(ctx context.Context, path string) ([]byte, error) {
	if db, id, ok := strings.Cut(path, "#"); ok && isDatabase(db) {
		return databaseExport(ctx, db, id)
	}
	if f, ok := stored(path); ok {
		return f.load(ctx)
	}
	if !isFolder(path) && !isDatabase(path) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return Unpacked(data)
	}
	found, faults := Find(ctx, []Place{{Dir: path, Asked: true}}, time.Time{})
	switch {
	case len(found) == 1:
		return found[0].load(ctx)
	case len(faults) > 0:
		return nil, fmt.Errorf("open %s: %s", faults[0].Path, faults[0].Why)
	}
	holds := "none"
	if len(found) > 0 {
		holds = fmt.Sprintf("%d sessions", len(found))
	}
	return nil, fmt.Errorf("open %s: %w: it holds %s", path, ErrChoice, holds)
}

// Unpacked returns data as it is, or what gzip packed in it, which must not be more than
// MaxBytes.
func Unpacked(data []byte) ([]byte, error) { return unpacked(data, MaxBytes) }

func unpacked(data []byte, most int64) ([]byte, error) {
	if !unpack.Packed(data) {
		return data, nil
	}
	r, err := unpack.Reader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpack gzip: %w", err)
	case int64(len(out)) > most:
		return nil, fmt.Errorf("unpack gzip: %w: more than %d MB", ErrLarge, most>>20)
	}
	return out, nil
}

// stored finds the session of a path within opencode's folder: its own file, or
// the folder of its messages.
func stored(path string) (Found, bool) {
	dir, name := filepath.Split(filepath.Clean(path))
	dir = filepath.Clean(dir)
	switch {
	case filepath.Base(filepath.Dir(dir)) == "session" && isFolder(filepath.Join(dir, "..", "..", "message")):
		return Found{Path: path, ID: strings.TrimSuffix(name, ".json")}, true
	case filepath.Base(dir) == "message" && isFolder(path):
		files, _ := filepath.Glob(filepath.Join(glob(dir), "..", "session", "*", name+".json")) // the pattern is well formed
		if len(files) == 1 {
			return Found{Path: files[0], ID: name}, true
		}
	}
	return Found{}, false
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (f Found) load(ctx context.Context) ([]byte, error) {
	switch {
	case f.ID == "":
		return readFile(f.Path, MaxBytes)
	case isDatabase(f.Path):
		return databaseExport(ctx, f.Path, f.ID)
	}
	return folderExport(f.Path, f.ID)
}

// readFile reads a regular file of at most limit bytes. A pipe would wait for its other end.
func readFile(path string, limit int64) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, large(info.Size())
	}
	return io.ReadAll(io.LimitReader(file, limit))
}

func large(n int64) error {
	return fmt.Errorf("%w: %d MB, more than %d", ErrLarge, n>>20, int64(MaxBytes)>>20)
}

// export is a session as opencode's own export writes it, being put together.
type export struct {
	info     json.RawMessage
	messages []exported
	bytes    int64
}

type exported struct {
	id      string
	created float64
	info    json.RawMessage
	parts   []json.RawMessage
}

// grow counts what is read and says when it is too much.
func (e *export) grow(n int) error {
	if e.bytes += int64(n); e.bytes > MaxBytes {
		return large(e.bytes)
	}
	return nil
}

func (e *export) encode() []byte {
	var b bytes.Buffer
	b.WriteString(`{"info":`)
	b.Write(valid(e.info))
	b.WriteString(`,"messages":[`)
	for i, m := range e.messages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n")
		if m.parts == nil {
			b.Write(valid(m.info))
			continue
		}
		b.WriteString(`{"info":`)
		b.Write(valid(m.info))
		b.WriteString(`,"parts":[`)
		for j, p := range m.parts {
			if j > 0 {
				b.WriteByte(',')
			}
			b.Write(valid(p))
		}
		b.WriteString("]}")
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

// valid is a record that is JSON, or, so that it is missed by nobody, the text
// that it is instead.
func valid(raw json.RawMessage) json.RawMessage {
	if json.Valid(raw) {
		return raw
	}
	text, err := json.Marshal(string(raw))
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}

// folderExport puts a session together from opencode's older folder: a file a
// session, a message and a part.
func folderExport(session, id string) ([]byte, error) {
	root := filepath.Join(filepath.Dir(session), "..", "..")
	info, err := readFile(session, MaxBytes)
	if err != nil {
		return nil, err
	}
	e := export{info: info}
	err = jsonFiles(filepath.Join(root, "message", id), func(name string, data []byte) error {
		m := exported{id: name, info: data, parts: []json.RawMessage{}}
		var peek struct {
			Time struct {
				Created float64 `json:"created"`
			} `json:"time"`
		}
		_ = json.Unmarshal(data, &peek) // the reader will say what is wrong with it
		m.created = peek.Time.Created
		err := jsonFiles(filepath.Join(root, "part", name), func(_ string, part []byte) error {
			m.parts = append(m.parts, part)
			return e.grow(len(part))
		})
		if err != nil {
			return err
		}
		e.messages = append(e.messages, m)
		return e.grow(len(data))
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(e.messages, func(a, b exported) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	return e.encode(), nil
}

// jsonFiles calls f for the files of a folder in the order of their names,
// which are made to sort by time. A folder that is not there has none.
func jsonFiles(dir string, f func(name string, data []byte) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range entries {
		name, ok := strings.CutSuffix(d.Name(), ".json")
		if !ok || d.IsDir() {
			continue
		}
		data, err := readFile(filepath.Join(dir, d.Name()), MaxBytes)
		if err != nil {
			return err
		}
		if err := f(name, data); err != nil {
			return err
		}
	}
	return nil
}
