package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// steps replays every step of every run.
func (j *job) steps(ctx context.Context, runs []replay.Run) error {
	dir, err := os.MkdirTemp("", "corpus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := replay.Options{Budgets: j.sizes, Workers: j.workers, Done: j.advance}
	if o.Judge, err = j.judge(); err != nil {
		return err
	}
	for _, name := range j.names {
		p, err := j.policy(name, dir)
		if err != nil {
			return err
		}
		o.Policies = append(o.Policies, p)
	}
	var d *dump
	if j.dump != "" {
		if d, err = newDump(j.dump, j.model); err != nil {
			return err
		}
		o.Watch = d.watch
	}
	rows, err := replay.Compare(ctx, runs, o)
	if d != nil {
		err = errors.Join(err, d.close())
	}
	if err != nil {
		return err
	}
	if j.json {
		return printJSON(j.out, rows)
	}
	return replay.Print(j.out, rows)
}

func (j *job) judge() (replay.Judge, error) {
	judge := replay.Judge{Count: j.input.Meter.Message, Fixed: j.input.Meter.Overhead.Request, Common: map[string]bool{}}
	if j.meter == "chars4" {
		judge.Count, judge.Fixed = replay.Chars4, 0
	}
	if j.common == "" {
		return judge, nil
	}
	b, err := os.ReadFile(j.common)
	if err != nil {
		return judge, err
	}
	var values []string
	if err := json.Unmarshal(b, &values); err != nil {
		return judge, fmt.Errorf("parse %s: %w", j.common, err)
	}
	for _, v := range values {
		judge.Common[v] = true
	}
	return judge, nil
}

// policy is a baseline, or a preset on a store of its own for each run.
func (j *job) policy(name, dir string) (replay.Policy, error) {
	for _, b := range replay.Baselines {
		if b.Name == name {
			return b, nil
		}
	}
	p, err := policy.Named(name)
	if err != nil {
		return replay.Policy{}, err
	}
	open := func(ctx context.Context) (*precis.Engine, func() error, error) {
		s, stop, err := j.open(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		e, err := precis.New(precis.Options{Store: s, Policy: p})
		if err != nil {
			return nil, nil, errors.Join(err, stop())
		}
		return e, stop, nil
	}
	return replay.Engine(name, open, j.input), nil
}

// open makes a fresh store under dir and what removes it.
func (j *job) open(ctx context.Context, dir string) (store.Store, func() error, error) {
	if j.memory {
		s := memory.New()
		return s, s.Close, nil
	}
	own, err := os.MkdirTemp(dir, "run-")
	if err != nil {
		return nil, nil, err
	}
	s, err := sqlite.Open(ctx, filepath.Join(own, "precis.db"), sqlite.Options{Readers: 1})
	if err != nil {
		return nil, nil, err
	}
	return s, func() error { return errors.Join(s.Close(), os.RemoveAll(own)) }, nil
}

// dump writes every prompt as a request body. Lines of one run keep their
// order; runs follow each other as they are done.
type dump struct {
	dir, model string
	mu         sync.Mutex
	files      map[string]*os.File
}

// dumped is one line of a dump.
type dumped struct {
	ID      string          `json:"id"`
	Step    int             `json:"step"` // index of the assistant message about to be produced
	Tokens  int             `json:"prompt_tokens"`
	Request json.RawMessage `json:"request"`
}

func newDump(dir, model string) (*dump, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &dump{dir: dir, model: model, files: map[string]*os.File{}}, nil
}

func (d *dump) watch(run, policy string, budget int) replay.Watch {
	name := fmt.Sprintf("%s-%d.jsonl", policy, budget)
	return func(step int, p replay.Prompt, tokens int) error {
		body, err := openai.Codec{}.Encode(&codec.Request{Model: d.model}, p.Messages)
		if err != nil {
			return err
		}
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(dumped{run, step, tokens, body}); err != nil {
			return err
		}
		return d.write(name, line.Bytes())
	}
}

func (d *dump) write(name string, line []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.files[name]
	if !ok {
		var err error
		if f, err = os.Create(filepath.Join(d.dir, name)); err != nil {
			return err
		}
		d.files[name] = f
	}
	_, err := f.Write(line)
	return err
}

func (d *dump) close() error {
	var errs []error
	for _, f := range d.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
