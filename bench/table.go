package main

import (
	"fmt"
	"os"
	"strings"
)

// table is one result: rows under a head, or only a note.
type table struct {
	name string // of its place in the documents
	note string
	head []string
	rows [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// markdown is the note and the table.
func (t table) markdown() string {
	var b strings.Builder
	if t.note != "" {
		b.WriteString(t.note + "\n")
	}
	if len(t.head) == 0 {
		return b.String()
	}
	if t.note != "" {
		b.WriteByte('\n')
	}
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	b.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
	for _, r := range t.rows {
		line(r)
	}
	return b.String()
}

// embed writes the tables into a document, each between its markers:
//
//	<!-- bench NAME -->
//	<!-- /bench -->
//
// What the document has no place for is left out.
func embed(path string, ts []table) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	text := string(data)
	for _, t := range ts {
		if text, err = place(text, t); err != nil {
			return fmt.Errorf("write table %s into %s: %w", t.name, path, err)
		}
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func place(text string, t table) (string, error) {
	const last = "<!-- /bench -->"
	first := "<!-- bench " + t.name + " -->\n"
	before, rest, ok := strings.Cut(text, first)
	if !ok {
		return text, nil
	}
	_, after, ok := strings.Cut(rest, last)
	if !ok {
		return "", fmt.Errorf("no %s after %q", last, strings.TrimSpace(first))
	}
	return before + first + t.markdown() + last + after, nil
}
