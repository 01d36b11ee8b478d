package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Dump writes every prompt of every step to FOLDER/POLICY-BUDGET.jsonl, one
// line a step: {"id", "step", "prompt_tokens", "request"}, by id, then step.
// Runs write parts in a folder beside; Finish joins them, so that a file that
// is there is whole. Safe for concurrent use.
type Dump struct {
	dir   string
	mu    sync.Mutex
	parts map[string][]*part // by name of the file
}

// part is the prompts of one run. A nil part takes nothing.
type part struct {
	id, path string
	file     *os.File
	w        *bufio.Writer
}

// line is one step of a dump.
type line struct {
	ID      string          `json:"id"`
	Step    int             `json:"step"`
	Tokens  int             `json:"prompt_tokens"`
	Request json.RawMessage `json:"request"`
}

const partsFolder = ".parts"

// NewDump makes the folder.
func NewDump(dir string) (*Dump, error) {
	if err := os.MkdirAll(filepath.Join(dir, partsFolder), 0o755); err != nil {
		return nil, fmt.Errorf("dump prompts: %w", err)
	}
	return &Dump{dir: dir, parts: map[string][]*part{}}, nil
}

func (d *Dump) part(key, run, policy string, budget int) *part {
	p := &part{id: run, path: filepath.Join(d.dir, partsFolder, key+".jsonl")}
	name := fmt.Sprintf("%s-%d.jsonl", policy, budget)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parts[name] = append(d.parts[name], p)
	return p
}

// done reports whether the prompts of the run are written.
func (p *part) done() bool {
	if p == nil {
		return true
	}
	_, err := os.Stat(p.path)
	return err == nil
}

// watch writes each step; nil when nothing is wanted.
func (p *part) watch() Watch {
	if p == nil {
		return nil
	}
	return func(step int, body []byte, tokens int) error {
		if p.file == nil {
			f, err := os.Create(p.path + ".new")
			if err != nil {
				return fmt.Errorf("dump prompts: %w", err)
			}
			p.file, p.w = f, bufio.NewWriterSize(f, 1<<16)
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(line{p.id, step, tokens, body}); err != nil {
			return fmt.Errorf("dump prompts: %w", err)
		}
		_, err := p.w.Write(b.Bytes())
		return err
	}
}

// close ends the part; it stands only if the replay did not fail.
func (p *part) close(failed error) error {
	if p == nil || p.file == nil {
		return failed
	}
	err := errors.Join(failed, p.w.Flush(), p.file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(p.path+".new"))
	}
	return os.Rename(p.path+".new", p.path)
}

// Finish joins the parts and returns the files, by name.
func (d *Dump) Finish() ([]string, error) {
	var files []string
	for name, parts := range d.parts {
		slices.SortFunc(parts, func(a, b *part) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.path, b.path)) })
		path := filepath.Join(d.dir, name)
		if err := assemble(path, parts); err != nil {
			return nil, fmt.Errorf("dump prompts: %w", err)
		}
		files = append(files, path)
	}
	slices.Sort(files)
	return files, os.RemoveAll(filepath.Join(d.dir, partsFolder))
}

// assemble moves parts to one file.
func assemble(path string, parts []*part) (err error) {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err = errors.Join(err, p.moveTo(f)); err != nil {
			return errors.Join(err, f.Close(), os.Remove(path+".new"))
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// moveTo appends the part to a file. A run without steps at its budget has none.
func (p *part) moveTo(w io.Writer) error {
	if !p.done() {
		return nil
	}
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close(), os.Remove(p.path))
}
