package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// program measures the program from start to exit, and its size.
func program(r *run) ([]table, error) {
	binary, err := r.build()
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, fmt.Errorf("measure the program: %w", err)
	}
	session := filepath.Join(r.tmp, "session.jsonl")
	text := testsessions.ClaudeCode(testsessions.Session(1, testsessions.Options{Messages: 1000}).Messages)
	if err := os.WriteFile(session, text, 0o644); err != nil {
		return nil, fmt.Errorf("write a session: %w", err)
	}
	small := filepath.Join(r.tmp, "small.txt")
	if err := os.WriteFile(small, []byte("a few words"), 0o644); err != nil {
		return nil, fmt.Errorf("write a text: %w", err)
	}
	known := filepath.Join(r.tmp, "known.db")
	t := table{name: "program", head: []string{"what", "wall time", "processor time"}}
	for _, c := range []struct {
		what  string
		fresh bool
		args  []string
	}{
		{"`precis --version`", false, []string{"--version"}},
		{"`precis count` of a few words", false, []string{"count", "--text", small}},
		{fmt.Sprintf("`precis compact --budget 32k`, a session of 1,000 messages (%s KB)", whole(float64(len(text)>>10))), true, []string{"compact", session, "--budget", "32k", "--db", known}},
		{"the same again, from the database", false, []string{"compact", session, "--budget", "32k", "--db", known}},
	} {
		took, err := r.measure(process{binary, c.args, known, c.fresh}, 11, nil)
		if err != nil {
			return nil, err
		}
		t.row(c.what, since(median(took.walls)), since(median(took.cpus)))
	}
	t.note = fmt.Sprintf("The program is %.1f MB (stripped).", float64(info.Size())/1e6)
	return []table{t}, nil
}

// memory measures what open conversations keep on the heap, and what a process
// that only counts takes.
func memory(r *run) ([]table, error) {
	t := table{name: "memory", head: []string{"open conversations", "messages each", "text each", "heap each"}}
	sizes := []int{100, 1000}
	if r.short {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		open := 2000 / n
		size, each, err := conversations(r, open, n)
		if err != nil {
			return nil, err
		}
		t.row(whole(float64(open)), whole(float64(n)), fmt.Sprintf("%s KB", whole(float64(size>>10))), fmt.Sprintf("%s KB", whole(each/1024)))
	}
	return []table{t}, nil
}

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// conversations opens some of n messages in an engine over a database: the bytes
// of the last one's text, and what each keeps on the heap beside a first one.
func conversations(r *run, open, n int) (size int, each float64, err error) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(r.tmp, fmt.Sprintf("memory%d.db", n)), sqlite.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = st.Close() }()
	engine, err := precis.New(precis.Options{Store: st})
	if err != nil {
		return 0, 0, err
	}
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil {
		return 0, 0, err
	}
	before := 0.0
	for i := range open + 1 {
		ms := testsessions.Session(uint64(i), testsessions.Options{Messages: n}).Messages
		if _, err := engine.Prepare(ctx, precis.Input{Thread: fmt.Sprint(i), Messages: ms, Model: m, Meter: meter, Budget: 32_000}); err != nil {
			return 0, 0, err
		}
		size = 0
		for _, x := range ms {
			for _, p := range x.Parts {
				size += len(p.Body())
			}
		}
		if i == 0 {
			before = heap()
		}
	}
	each = (heap() - before) / float64(open)
	runtime.KeepAlive(engine)
	return size, each, nil
}
