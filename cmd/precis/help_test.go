package main

import (
	"bytes"
	"regexp"
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
		root := helpRoot(columns)
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

// At 80 columns no line of help is longer, examples included; a flag has one default; no
// command keeps the words of the library that reads the command line.
func TestHelpWords(t *testing.T) {
	root := helpRoot(80)
	flag := regexp.MustCompile(`(?m)^ +(-\w, )?--`)
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		var b bytes.Buffer
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for line := range strings.Lines(text) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > 80 {
				t.Errorf("%s: %d columns: %q", c.CommandPath(), w, line)
			}
		}
		for _, one := range flag.Split(text, -1) {
			if strings.Count(strings.Join(strings.Fields(one), " "), "(default") > 1 || strings.Contains(one, "that model") {
				t.Errorf("%s: %s", c.CommandPath(), one)
			}
		}
		if c.Short != "" && c.HasParent() && c.Short[0] < 'a' || strings.Contains(text, "autocompletion") || strings.Contains(text, "any command in the application") {
			t.Errorf("%s: %s", c.CommandPath(), text)
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(root)
}

// Help of what is no command is an error that names what may be meant.
func TestHelpOfNothing(t *testing.T) {
	for line, want := range map[string]string{
		"help nosuch":      "precis --help shows what there is",
		"help compcat":     "did you mean compact?",
		"help plan nosuch": "precis plan --help shows what there is",
		"help":             "", "help plan": "", "help plan show": "", "help help": "", "help completion bash": "",
	} {
		var out, told bytes.Buffer
		code := run(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &told)
		if want == "" && (code != exitOK || out.Len() == 0) || want != "" && (code != exitUsage || out.Len() > 0 || !strings.Contains(told.String(), want)) {
			t.Errorf("%s: exit code %d, %s, %s", line, code, &out, &told)
		}
	}
}

// helpRoot has the help of all commands, as a terminal of so many columns shows it.
func helpRoot(columns int) *cobra.Command {
	std := newStreams(&bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{})
	root := commands(&app{threads: &threads{database: &database{streams: std}}, modelTable: &modelTable{std: std}})
	fitHelp(root, term.Page{Columns: columns})
	return root
}
