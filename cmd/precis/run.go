package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
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

// app is one run of the program.
type app struct {
	stdin  io.Reader
	out    *sink     // standard output, byte for byte
	page   io.Writer // standard output for people, coloured on a terminal
	stderr io.Writer // for people; colours are taken out unless it is a terminal
	// isTerm says that standard error is a terminal: progress may be shown.
	isTerm bool
	db     string // --db
	models string // --models
	thread string // --thread
	whose  string // --tenant
	json   bool   // --json
	ran    bool   // the command line was understood
	// volatile says that the log of this run is in memory only.
	volatile bool
}

// sink remembers the first error of a writer.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

// terminal says whether a stream is a terminal.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// run is the program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &sink{w: stdout}
	people := colorprofile.NewWriter(stderr, os.Environ())
	a := &app{
		stdin: stdin, out: out, page: &colorprofile.Writer{Forward: out, Profile: colorprofile.Detect(stdout, os.Environ())},
		stderr: people, isTerm: terminal(stderr) && people.Profile > colorprofile.NoTTY,
	}
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
		a.compactCommand(), a.threadCommand(), a.planCommand(), a.expandCommand(), a.readCommand(),
		a.grepCommand(), a.describeCommand(), a.countCommand(), a.policyCommand(), a.doctorCommand(),
		a.mcpCommand(), a.tenantCommand(), a.modelCommand(), a.dbCommand(),
		a.serveCommand(), a.wrapCommand(), a.replayCommand(), a.discoverCommand(),
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

// want is the check of a command's arguments.
func want(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			path, _, _ := strings.Cut(c.UseLine(), " [flags]")
			return fmt.Errorf("run %s: got %s, want: %s", c.CommandPath(), many(len(args), "argument"), path)
		}
		return nil
	}
}

// threadFlag adds --thread to a command.
func (a *app) threadFlag(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&a.thread, "thread", "", "`key`, or its beginning (default: the last updated)")
	return c
}

// note tells people something beside the result.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.stderr, faint("note: "+clean(fmt.Sprintf(format, args...))))
}

// progress shows what is being done while it takes time, on a terminal only.
// Its end is an empty text.
func (a *app) progress(text string) {
	if a.isTerm {
		fmt.Fprint(a.stderr, "\r\x1b[K"+text)
	}
}
