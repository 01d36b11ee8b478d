package main

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/replay"
)

// load reads the runs of comma-separated files and folders, only those of the
// sources if any are given, at most limit a source (0 = all).
func load(data string, only []string, limit int) ([]replay.Run, error) {
	c := replay.Corpus{Paths: strings.Split(data, ","), Parse: openai.ParseMessage, Limit: limit}
	refs, _, err := c.Scan()
	if err != nil {
		return nil, err
	}
	if len(only) > 0 {
		refs = slices.DeleteFunc(refs, func(r replay.Ref) bool { return !slices.Contains(only, r.Source) })
	}
	var runs []replay.Run
	for r, err := range c.Runs(refs) {
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}
