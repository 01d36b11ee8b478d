package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

const grepTool = "precis_grep"

// lookups are the tools with which a model reads what its prompt leaves out.
// read is the name that the policy's pointers give the second.
func lookups(read string) []codec.Tool {
	return []codec.Tool{
		{Name: grepTool, Description: "Search all of this conversation, shown or not. Returns the lines that match a regular expression.", Schema: json.RawMessage(
			`{"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"]}`)},
		{Name: read, Description: "Read what was left out of this conversation, by its id.", Schema: json.RawMessage(
			`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)},
	}
}

// looksUp reports whether a tool is one of the lookups, under any policy.
func looksUp(tool string) bool {
	return tool == grepTool || tool == "precis_read" || tool == "read_artifact"
}

// lookup answers a call from the log. What goes wrong is an answer, too: the
// model may try something else.
func lookup(ctx context.Context, st store.Store, key store.Key, tool, args string) string {
	text, err := find(ctx, st, key, tool, args)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// find reads the log. Whatever is found is bounded: it has to fit the prompt.
func find(ctx context.Context, st store.Store, key store.Key, tool, args string) (string, error) {
	var in struct{ Pattern, ID string }
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return "", err
	}
	r, err := recall.Open(ctx, st, key, time.Now())
	if err != nil {
		return "", err
	}
	if tool != grepTool {
		page, err := r.Read(ctx, in.ID, recall.Range{Max: 4 << 10})
		return page.Text, err
	}
	pattern, err := regexp.Compile(in.Pattern)
	if err != nil {
		return "", err
	}
	found, err := r.Grep(ctx, recall.Query{Pattern: pattern, Max: 8, Width: 160})
	if errors.Is(err, recall.ErrMiss) {
		return "no line matches", nil
	}
	var out strings.Builder
	for _, h := range found.Hits {
		fmt.Fprintf(&out, "%s %s, line %d: %s\n", h.Ref, cmp.Or(h.Tool, string(h.Role)), h.Line, h.Text)
	}
	return out.String(), err
}
