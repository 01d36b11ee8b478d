package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
)

// The help of every command fits a terminal, from 40 columns up, but for examples and
// words that are longer than a line.
func TestHelpFits(t *testing.T) {
	for _, columns := range []int{40, 60, 80} {
		std := newStreams(&bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{})
		root := commands(&app{threads: &threads{database: &database{streams: std}}, modelTable: &modelTable{std: std}})
		fitHelp(root, term.Page{Columns: columns})
		var each func(c *cobra.Command)
		each = func(c *cobra.Command) {
			var b bytes.Buffer
			c.SetOut(&b)
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(b.String(), c.Example, "")
			for line := range strings.Lines(text) {
				long := slices.ContainsFunc(strings.Fields(line), func(w string) bool { return ansi.StringWidth(w) > 16 }) || strings.Contains(line, c.UseLine()) || strings.Contains(line, "--help\" for more")
				if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > columns && !long {
					t.Errorf("%s at %d: %d columns: %q", c.CommandPath(), columns, w, line)
				}
			}
			for _, sub := range c.Commands() {
				each(sub)
			}
		}
		each(root)
	}
}
