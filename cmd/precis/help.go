package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
)

// fitHelp makes the help of all commands fit a page. Examples stay as they are: a
// command line is copied whole.
func fitHelp(root *cobra.Command, p term.Page) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", p.Columns)))
	fitTexts(root, p)
}

func fitTexts(c *cobra.Command, p term.Page) {
	var paragraphs []string
	for text := range strings.SplitSeq(c.Long, "\n\n") {
		paragraphs = append(paragraphs, fitted(text, p))
	}
	c.Long = strings.Join(paragraphs, "\n\n")
	if c.HasParent() {
		indent := strings.Repeat(" ", c.NamePadding()+3)
		c.Short = strings.TrimSpace(p.Wrap(c.Short, indent))
	}
	for _, sub := range c.Commands() {
		fitTexts(sub, p)
	}
}

// fitted is a paragraph; one with indented lines is a list, whose lines stay lines.
func fitted(text string, p term.Page) string {
	if !strings.Contains("\n"+text, "\n  ") {
		return strings.TrimSuffix(p.Wrap(text, ""), "\n")
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if ansi.StringWidth(line) > p.Columns {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			line = strings.TrimSuffix(p.Wrap(line, indent), "\n")
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
