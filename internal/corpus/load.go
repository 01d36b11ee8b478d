package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay"
)

// row is one recorded run: a line of a .jsonl.gz file.
type row struct {
	ID       string            `json:"id"`
	Source   string            `json:"source"`
	Messages []json.RawMessage `json:"messages"`
}

// load reads the runs of a directory (every *.jsonl.gz) or of comma-separated
// files, only those of the sources if any are given, at most limit a source
// (0 = all).
func load(data string, only []string, limit int) ([]replay.Run, error) {
	var runs []replay.Run
	count := map[string]int{}
	for _, path := range files(data) {
		err := scan(path, func(r row) error {
			if len(r.Messages) == 0 || len(only) > 0 && !slices.Contains(only, r.Source) || limit > 0 && count[r.Source] >= limit {
				return nil
			}
			count[r.Source]++
			ms, err := decode(r.Messages)
			if err != nil {
				return fmt.Errorf("run %s: %w", r.ID, err)
			}
			runs = append(runs, replay.Run{ID: r.ID, Source: r.Source, Messages: ms})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", path, err)
		}
	}
	return runs, nil
}

func files(data string) []string {
	var out []string
	for p := range strings.SplitSeq(data, ",") {
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			list, _ := filepath.Glob(filepath.Join(p, "*.jsonl.gz")) // the pattern is well formed
			out = append(out, list...)
			continue
		}
		out = append(out, p)
	}
	return out
}

func scan(path string, f func(row) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(z, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 1 {
			var v row
			if err := json.Unmarshal(line, &v); err != nil {
				return err
			}
			if err := f(v); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func decode(raw []json.RawMessage) ([]message.Message, error) {
	ms := make([]message.Message, len(raw))
	for i, r := range raw {
		m, err := openai.ParseMessage(r)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		ms[i] = m
	}
	return ms, nil
}
