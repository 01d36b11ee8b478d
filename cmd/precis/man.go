package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/internal/term"
)

// manCommand writes the manual pages of all commands, from their own help.
func manCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "write the manual pages into a folder", Hidden: true, Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			pages := map[string]string{}
			manual(c.Root(), pages)
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fail("", "write manual: %w", err)
			}
			for name, text := range pages {
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(text), 0o644); err != nil {
					return fail("", "write manual: %w", err)
				}
			}
			std.note("%s in %s", term.Count(len(pages), "page"), args[0])
			return nil
		},
	}
}

// manual writes the page of a command and those of the commands below it.
func manual(c *cobra.Command, pages map[string]string) {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"precis\" \"Précis\"\n", strings.ToUpper(name))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n%s\n.fi\n", name, roff(c.Short), roff(c.UseLine()))
	long := c.Long
	if home, err := os.UserHomeDir(); err == nil { // of whoever made the pages
		long = strings.ReplaceAll(long, home, "~")
	}
	section(&b, "DESCRIPTION", long)
	options(&b, "OPTIONS", c.NonInheritedFlags())
	options(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	section(&b, "EXAMPLES", c.Example)
	var also []string
	if c.HasParent() {
		also = append(also, strings.ReplaceAll(c.Parent().CommandPath(), " ", "-")+"(1)")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "completion" {
			also = append(also, strings.ReplaceAll(sub.CommandPath(), " ", "-")+"(1)")
			manual(sub, pages)
		}
	}
	section(&b, "SEE ALSO", strings.Join(also, "\n"))
	pages[name+".1"] = b.String()
}

func section(b *strings.Builder, title, text string) {
	if text != "" {
		fmt.Fprintf(b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
	}
}

func options(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		head := "--" + f.Name
		if f.Shorthand != "" {
			head = "-" + f.Shorthand + ", " + head
		}
		if value != "" {
			head += " " + value
		}
		if said := !ofMachine(f.Name) && !strings.Contains(about, "default"); said && !saysNothing[f.DefValue] {
			about += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(head), roff(about))
	})
}

// saysNothing are the defaults that say nothing.
var saysNothing = map[string]bool{"": true, "false": true, "0": true, "[]": true}

// ofMachine reports whether the default of a flag depends on the machine.
func ofMachine(flag string) bool { return flag == "workers" || strings.HasPrefix(flag, upstreamFlag) }

var lineStart = regexp.MustCompile(`(?m)^([.'])`)

// roff writes text so that nothing in it is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return lineStart.ReplaceAllString(text, `\&$1`)
}
