package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// run is the program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	std := newStreams(stdin, stdout, stderr)
	db := &database{streams: std}
	a := &app{threads: &threads{database: db}, modelTable: &modelTable{std: std}}
	root := commands(a)
	std.again = func(text string) string { return a.asInvoked(root, text) }
	fitHelp(root, a.paper)
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
		if ended.beside != nil {
			a.warn(explain(ended.beside))
		}
		return ended.code
	}
	var f *failure
	if !a.ran && !errors.As(err, &f) {
		err = misspelt(at, err)
		a.json = a.json || slices.Contains(args, "--json") // parsing may not have come so far
	}
	f = explain(err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		f = &failure{exitFailed, errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted")), ""}
	}
	a.tell(f)
	return f.code
}

// commands is the tree of commands.
func commands(a *app) *cobra.Command {
	path, err := defaultPath()
	if err != nil {
		path = "(no data folder)"
	}
	root := &cobra.Command{
		Use: "precis", Version: version(), Short: "make a long agent conversation fit a budget",
		Long: fmt.Sprintf(about, path), Example: example,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			a.ran = true
			return noneEmpty(c.Flags())
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.PersistentFlags().StringVar(&a.db, "db", "", "database: a `path`, or postgres://… (default: $PRECIS_DB, or a file in the data folder)")
	root.PersistentFlags().StringVar(&a.blobs, "blobs", "", "where a PostgreSQL database keeps what is large: a `folder`, or s3://bucket/prefix (default: $PRECIS_BLOBS, or in itself)")
	root.PersistentFlags().StringVar(&a.key, "key", "", "key `file` of a sealed database (default: $PRECIS_KEY)")
	root.PersistentFlags().StringVar(&a.whose, "tenant", "", "whose conversations, where a proxy keeps several users'")
	root.PersistentFlags().StringVar(&a.models, "models", "", "`file` of models (default: of precis model refresh)")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON for programs: an object, or an array from what lists")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpCommand(helpCommand())
	root.AddCommand(repeats(databaseFlags,
		compactCommand(a), threadCommand(a.threads), planCommand(a.threads), expandCommand(a.threads), pinCommand(a.threads), unpinCommand(a.threads), eraseCommand(a.threads), readCommand(a.threads),
		findCommand(a.threads), grepCommand(a.threads), describeCommand(a.threads), doctorCommand(a), mcpCommand(a.threads), limitsCommand(a.database), dbCommand(a.database),
	)...)
	root.AddCommand(
		countCommand(a), policyCommand(a.streams), tenantCommand(a.streams), modelCommand(a), keyCommand(a.database),
		serveCommand(a), wrapCommand(a), installCommand(a.streams), uninstallCommand(a.streams), statusCommand(a.streams), handoverCommand(a), statuslineCommand(a.threads),
		replayCommand(a.streams), discoverCommand(a.streams), inspectCommand(a), manCommand(a.streams), licensesCommand(a.streams), versionCommand(a.streams), updateCommand(a.streams),
	)
	root.InitDefaultHelpCmd()
	completionWords(root)
	return root
}

// misspelt is a usage error with the nearest commands as its hint.
func misspelt(at *cobra.Command, err error) error {
	command := at.CommandPath()
	if value := (*pflag.InvalidValueError)(nil); errors.As(err, &value) {
		return misread(command, value)
	}
	why, near, _ := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	all := strings.Fields(near)
	var name string
	if _, err := fmt.Sscanf(why, "unknown command %q", &name); err == nil {
		all = append(all, within(at.Root(), name)...)
	}
	if len(all) == 0 {
		return usage(command+" --help shows how", "%w", err)
	}
	return usage("did you mean "+strings.Join(all, ", ")+"?", "%s", why)
}

// within are the commands of groups that have the name: plan undo for undo.
func within(root *cobra.Command, name string) (found []string) {
	for _, group := range root.Commands() {
		for _, c := range group.Commands() {
			if c.Name() == name && c.IsAvailableCommand() {
				found = append(found, group.Name()+" "+name)
			}
		}
	}
	return found
}
