package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/unpack"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Corpus reads recorded runs: sessions and requests of all formats of package
// transcript, one a file, and rows {"id", "messages"}, one a line, optionally
// with "source"; all of them plain or as .gz; and folders of them.
type Corpus struct {
	Paths []string
	// Parse reads a message of a row.
	Parse func(json.RawMessage) (message.Message, error)
	// Limit is the most runs taken of a source; 0 is all.
	Limit int
}

// Ref locates a run.
type Ref struct {
	path   string
	row    int    // counted from 0; -1 is the whole file
	id     string // unique in the corpus
	Source string
	Size   int // bytes
	// session says that it is an agent's session file, whose records may be
	// parts of one reply.
	session bool
}

// ErrNoRuns is wrapped where a named file holds no conversation.
var ErrNoRuns = errors.New("no recorded run")

// Scan lists the runs, in the order of the paths, files of a folder by name.
// skipped names the files of folders that hold none.
func (c Corpus) Scan() (refs []Ref, skipped []string, err error) {
	count, ids := map[string]int{}, map[string]int{}
	for _, path := range c.Paths {
		files, folder, err := filesOf(path)
		if err != nil {
			return nil, nil, fmt.Errorf("read corpus: %w", err)
		}
		for _, f := range files {
			found, err := c.scanFile(f)
			switch {
			case err != nil && folder && errors.Is(err, ErrNoRuns):
				skipped = append(skipped, f)
				continue
			case err != nil:
				return nil, nil, fmt.Errorf("read corpus %s: %w", f, err)
			}
			for _, r := range found {
				if count[r.Source]++; c.Limit > 0 && count[r.Source] > c.Limit {
					continue
				}
				if ids[r.id]++; ids[r.id] > 1 {
					r.id = fmt.Sprintf("%s#%d", r.id, ids[r.id])
				}
				refs = append(refs, r)
			}
		}
	}
	if len(refs) == 0 {
		return nil, skipped, fmt.Errorf("read corpus: %w in %s", ErrNoRuns, strings.Join(c.Paths, ", "))
	}
	return refs, skipped, nil
}

// extensions of files that a folder is searched for.
var recordings = []string{".jsonl", ".json", ".jsonl.gz", ".json.gz"}

func filesOf(path string) (files []string, folder bool, err error) {
	st, err := os.Stat(path)
	if err != nil || !st.IsDir() {
		return []string{path}, false, err
	}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && slices.ContainsFunc(recordings, func(x string) bool { return strings.HasSuffix(p, x) }) {
			files = append(files, p)
		}
		return err
	})
	return files, true, err
}

// row is a line of a file of runs.
type row struct {
	ID       string            `json:"id"`
	Source   string            `json:"source"`
	Messages []json.RawMessage `json:"messages"`
}

// isRow tells a row from a message and from a line of a session file.
func isRow(l []byte) (row, bool) {
	var r row
	return r, json.Unmarshal(l, &r) == nil && r.ID != "" && len(r.Messages) > 0
}

// named is the name of a file without folder and extensions.
func named(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	return base
}

func (c Corpus) scanFile(path string) (refs []Ref, err error) {
	n := 0
	var torn error
	err = eachLine(path, func(l []byte) bool {
		r, ok := isRow(l)
		switch {
		case ok:
			refs = append(refs, Ref{path: path, row: n, id: r.ID, Source: cmp.Or(r.Source, named(path)), Size: len(l)})
		case len(refs) > 0 && !json.Valid(l):
			torn = fmt.Errorf("row %d is not JSON", n+1)
		}
		n++
		return len(refs) > 0 && torn == nil // rows without messages are passed over
	})
	if err := errors.Join(err, torn); err != nil || len(refs) > 0 {
		return refs, err
	}
	t, size, err := whole(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRuns, err)
	}
	return []Ref{{path: path, row: -1, id: cmp.Or(t.Session, named(path)), Source: t.Format, Size: size, session: isSession(t.Format)}}, nil
}

func isSession(format string) bool {
	return format == transcript.ClaudeCode || format == transcript.Codex || format == transcript.Pi
}

// whole reads a file as one conversation.
func whole(path string) (*transcript.Transcript, int, error) {
	r, err := open(path)
	if err != nil {
		return nil, 0, err
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, 0, err
	}
	t, err := transcript.Read(data, "")
	return t, len(data), err
}

// Runs reads runs one after the other. Records that are never sent to a model
// are left out.
func (c Corpus) Runs(refs []Ref) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for len(refs) > 0 {
			n := 1
			for n < len(refs) && refs[n].path == refs[0].path {
				n++
			}
			if !c.runsOf(refs[:n], yield) {
				return
			}
			refs = refs[n:]
		}
	}
}

// runsOf reads those of one file and reports whether to go on.
func (c Corpus) runsOf(refs []Ref, yield func(Run, error) bool) bool {
	if refs[0].row < 0 {
		t, _, err := whole(refs[0].path)
		if err != nil {
			return yield(Run{}, fmt.Errorf("read corpus: %w", err))
		}
		ms := slices.DeleteFunc(slices.Clone(t.Messages), func(m message.Message) bool { return m.Meta })
		r := refs[0]
		return yield(Run{ID: r.id, Source: r.Source, Messages: ms, System: t.System, Tools: t.Tools, Ref: r}, nil)
	}
	n, more := 0, true
	err := eachLine(refs[0].path, func(l []byte) bool {
		if n == refs[0].row {
			more = yield(c.parse(l, refs[0]))
			refs = refs[1:]
		}
		n++
		return more && len(refs) > 0
	})
	if err != nil {
		return yield(Run{}, fmt.Errorf("read corpus: %w", err))
	}
	return more
}

func (c Corpus) parse(l []byte, ref Ref) (Run, error) {
	v, _ := isRow(l) // it was one when it was listed
	r := Run{ID: ref.id, Source: ref.Source, Ref: ref, Messages: make([]message.Message, len(v.Messages))}
	for i, raw := range v.Messages {
		m, err := c.Parse(raw)
		if err != nil {
			return r, fmt.Errorf("read run %s: message %d: %w", ref.id, i, err)
		}
		r.Messages[i] = m
	}
	return r, nil
}

// eachLine calls f with the lines of a file until it returns false. A line is
// valid until f returns.
func eachLine(path string, f func(l []byte) bool) error {
	r, err := open(path)
	if err != nil {
		return err
	}
	b := bufio.NewReaderSize(r, 1<<20)
	for {
		l, err := b.ReadBytes('\n')
		if l = bytes.TrimSpace(l); len(l) > 0 && !f(l) {
			return r.Close()
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, r.Close())
		}
	}
}

// open opens a file, unpacked.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := unpack.Reader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return unpacked{r, f}, nil
}

type unpacked struct {
	io.Reader
	io.Closer
}
