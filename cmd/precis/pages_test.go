package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command that a page shows is one that there is, with flags that it has; so is
// every command that a hint names.
func TestPagesShowCommandsThatAre(t *testing.T) {
	std := newStreams(&bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{})
	build := func() *app {
		return &app{threads: &threads{database: &database{streams: std}}, modelTable: &modelTable{std: std}}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	pages = slices.DeleteFunc(append(pages, "../../README.md"), func(p string) bool { return filepath.Base(p) == "format.md" }) // its precis is no program
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandsOn(string(data)) {
			root := commands(build())
			root.InitDefaultCompletionCmd()
			c, rest, err := root.Find(strings.Fields(line)[1:])
			if err == nil && c.Runnable() {
				err = c.ParseFlags(rest)
			}
			if checked++; err != nil && !strings.Contains(err.Error(), "help requested") && !strings.Contains(err.Error(), "needs an argument") {
				t.Errorf("%s shows %q: %v", page, line, err)
			}
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, hint := range regexp.MustCompile(`(?:usage|fail)\("precis ([a-z]+)`).FindAllStringSubmatch(string(data), -1) {
			if c, _, err := commands(build()).Find(hint[1:]); err != nil || !c.HasParent() {
				t.Errorf("%s: a hint names precis %s: %v", file, hint[1], err)
			}
			checked++
		}
	}
	if checked < 60 {
		t.Errorf("%d commands found", checked)
	}
}

// docs/commands.md names every command and every variable of the environment that sets one.
func TestCommandsPageNamesAll(t *testing.T) {
	data, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, name := range []string{dbEnv, blobsEnv, keyEnv, keyVariable, tokenName, "XDG_DATA_HOME"} {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not name %s", name)
		}
	}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if !c.HasSubCommands() && c.Name() != "help" && !regexp.MustCompile(regexp.QuoteMeta(c.CommandPath())+"[ `]").MatchString(page) {
			t.Errorf("the page does not name %s", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(helpRoot(80))
}

// commandsOn are the command lines of precis in the code of a page, without what the shell
// does with them.
func commandsOn(page string) (lines []string) {
	for i, block := range strings.Split(page, "```") {
		if i%2 == 0 {
			for _, code := range regexp.MustCompile("`(precis [a-z][^`]*)`").FindAllStringSubmatch(block, -1) {
				lines = append(lines, code[1])
			}
			continue
		}
		for line := range strings.Lines(block) {
			if line = strings.TrimPrefix(strings.TrimSpace(line), "bin/"); strings.HasPrefix(line, "precis ") {
				lines = append(lines, line)
			}
		}
	}
	for i, line := range lines {
		for _, end := range []string{"  ", " > ", " | ", " &", " #", " 2>", "…", " ..."} {
			line, _, _ = strings.Cut(line, end)
		}
		lines[i] = line
	}
	return lines
}
