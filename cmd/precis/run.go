package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"
)

const about = `Précis makes a long conversation of a language-model agent fit a budget.

Everything that was said is kept in a log that is never changed. A plan says
what a prompt leaves out; the prompt is made of the two. What a plan takes out
can be read, searched and put back at any time.

Exit codes:
  0  done
  1  failed: a store, a network, nothing found
  2  the command line is wrong
  3  the budget is impossible: system prompt, tools and the last user message
     alone exceed it (the message gives the numbers)
  4  the input cannot be read: no such file, no conversation in it

Files:
  ` + "%s" + `
     the log, the plans and what was taken out; --db names another place`

const example = `  precis compact session.jsonl --budget 32k > request.json
  precis compact request.json --to anthropic --json | jq .tokens
  precis grep 'connection refused'
  precis read '#12'
  precis plan undo`

// app is what the commands have: streams, the database, the thread a command is
// about, and what is known of models.
type app struct {
	*threads
	*modelTable
	ran bool // the command line was understood
}

// run is the program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	std := newStreams(stdin, stdout, stderr)
	db := &database{streams: std}
	a := &app{threads: &threads{database: db}, modelTable: &modelTable{std: std}}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	at, err := root.ExecuteContextC(ctx)
	if err == nil && a.out.err != nil {
		err = fail("", "write output: %w", a.out.err)
	}
	if err == nil {
		return exitOK
	}
	var ended *agentEnded
	if errors.As(err, &ended) {
		return ended.code
	}
	var f *failure
	if !a.ran && !errors.As(err, &f) {
		err = misspelt(at.CommandPath(), err)
		a.json = a.json || slices.Contains(args, "--json") // parsing may not have come so far
	}
	f = explain(err)
	a.tell(f)
	return f.code
}

func (a *app) root() *cobra.Command {
	path, err := defaultPath()
	if err != nil {
		path = "(no data folder)"
	}
	root := &cobra.Command{
		Use: "precis", Version: version(), Short: "make a long agent conversation fit a budget",
		Long: fmt.Sprintf(about, path), Example: example,
		SilenceErrors: true, SilenceUsage: true, PersistentPreRun: func(*cobra.Command, []string) { a.ran = true },
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.PersistentFlags().StringVar(&a.db, "db", "", "database `path` (default: in the data folder)")
	root.PersistentFlags().StringVar(&a.whose, "tenant", "", "whose conversations, where a proxy keeps several users'")
	root.PersistentFlags().StringVar(&a.models, "models", "", "`file` of models (default: of precis model refresh)")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object for programs")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		compactCommand(a), threadCommand(a.threads), planCommand(a.threads), expandCommand(a.threads), readCommand(a.threads),
		grepCommand(a.threads), describeCommand(a.threads), countCommand(a), policyCommand(a.streams), doctorCommand(a),
		mcpCommand(a.threads), tenantCommand(a.streams), modelCommand(a), dbCommand(a.database),
		serveCommand(a), wrapCommand(a), replayCommand(a.streams), discoverCommand(a.streams),
	)
	return root
}

// version is the module's version, as the build recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// misspelt is a usage error with the nearest commands as its hint.
func misspelt(command string, err error) error {
	why, near, ok := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if !ok {
		return usage(command+" --help shows how", "%w", err)
	}
	return usage("did you mean "+strings.Join(strings.Fields(near), ", ")+"?", "%s", why)
}

// group is a command that only holds others.
func group(use, short, long string, sub ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return usage(c.CommandPath()+" --help shows what there is", "unknown command %q for %q", args[0], c.CommandPath())
		},
	}
	c.AddCommand(sub...)
	return c
}

// arguments checks how many arguments a command gets.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			path, _, _ := strings.Cut(c.UseLine(), " [flags]")
			return fmt.Errorf("run %s: got %s, want: %s", c.CommandPath(), term.Count(len(args), "argument"), path)
		}
		return nil
	}
}
