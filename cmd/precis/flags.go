package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/token"
)

// version is the module's version, as the build recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
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

// complete offers the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values []string) {
	// The flag was declared just before: it exists.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// policyNamed is a preset, or a usage error that names those there are.
func policyNamed(name string) (policy.Policy, error) {
	p, err := policy.Named(name)
	if err != nil {
		return p, usage("there are "+strings.Join(policy.Names(), ", "), "%w", err)
	}
	return p, nil
}

// budgetFlag reads --budget; 0 where it is not given.
func budgetFlag(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := token.ParseAmount(s)
	if err != nil {
		return 0, usage("write it as 32000, 32k or 0.5m", "--budget %w", err)
	}
	return n, nil
}
