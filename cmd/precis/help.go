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

// helpCommand is that of cobra, but an unknown command is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "show what a command does", SilenceUsage: true,
		Long:    "Help shows what a command does, its flags and examples; without COMMAND, which\ncommands there are.",
		Example: "  precis help compact\n  precis help db copy",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			to, rest, err := c.Root().Find(args)
			if err == nil && len(rest) == 0 {
				for _, sub := range to.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			to, rest, err := c.Root().Find(args)
			if err != nil {
				to, rest = c.Root(), args
			}
			if len(rest) > 0 {
				hint := to.CommandPath() + " --help shows what there is"
				if near := to.SuggestionsFor(rest[0]); len(near) > 0 {
					hint = "did you mean " + strings.Join(near, ", ") + "?"
				}
				return usage(hint, "unknown command %q for %q", rest[0], to.CommandPath())
			}
			to.InitDefaultHelpFlag() // it has not run
			return to.Help()
		},
	}
}

// shells are those that commands can be completed in: what one runs for this session, and
// for every one.
var shells = map[string]struct{ now, ever, more string }{
	"bash":       {"source <(precis completion bash)", "precis completion bash > ~/.local/share/bash-completion/completions/precis", " It needs the package\nbash-completion."},
	"zsh":        {"source <(precis completion zsh)", "precis completion zsh > \"${fpath[1]}/_precis\"", ""},
	"fish":       {"precis completion fish | source", "precis completion fish > ~/.config/fish/completions/precis.fish", ""},
	"powershell": {"precis completion powershell | Out-String | Invoke-Expression", "add that line to the file that $PROFILE names", ""},
}

// completionWords has the commands that cobra adds say what they do in the words of the
// others.
func completionWords(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	all, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	all.Short = "print what a shell needs to complete commands, flags and values"
	all.Long = "Completion prints a script for a shell: with it, the tab key completes commands,\nflags, and values like threads, records and models."
	all.Args, all.RunE = cobra.ArbitraryArgs, subcommands
	all.Example = "  source <(precis completion bash)\n  precis completion fish --help"
	for _, c := range all.Commands() {
		s := shells[c.Name()]
		c.Short = "print the script for " + c.Name()
		c.Long = "The script has " + c.Name() + " complete commands, flags and values." + s.more +
			"\n\nFor this session:\n  " + s.now + "\n\nFor every one, from the next on:\n  " + s.ever
		if f := c.Flags().Lookup("no-descriptions"); f != nil {
			f.Usage = "offer values without what they are"
		}
	}
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
