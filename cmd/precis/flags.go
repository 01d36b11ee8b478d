package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/transcript"
)

// group is a command that only holds others.
func group(use, short, long string, sub ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs, RunE: subcommands,
	}
	c.AddCommand(sub...)
	return c
}

// subcommands shows what a group has; any other word is an error.
func subcommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	return usage(c.CommandPath()+" --help shows what there is", "unknown command %q for %q", args[0], c.CommandPath())
}

// arguments checks how many arguments a command gets, and that none is empty, as one of a
// variable of the shell that is not set.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if at := slices.Index(args, ""); at >= 0 && at < most {
			return fmt.Errorf("run %s: %s is empty", c.CommandPath(), strings.Trim(strings.Fields(c.Use)[1:][at], "[]"))
		}
		return counted(least, most)(c, args)
	}
}

// counted checks how many arguments a command gets.
func counted(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			path, _, _ := strings.Cut(c.UseLine(), " [flags]")
			wrong := fmt.Sprintf("%s too many", term.Count(len(args)-most, "argument"))
			if names := strings.Fields(c.Use)[1:]; len(args) < least {
				wrong = "missing " + strings.Join(names[min(len(args), len(names)):min(least, len(names))], " and ")
			}
			return fmt.Errorf("run %s: %s, want: %s", c.CommandPath(), wrong, path)
		}
		return nil
	}
}

// complete offers the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values []string) {
	// The flag was declared just before: it exists.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// noneEmpty refuses a flag that is given as an empty text, as by a variable of the shell that is
// not set, or as one of spaces: what holds without the flag is not what was meant. The tenant ""
// is the default one.
func noneEmpty(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		if err == nil && flag.Name != "tenant" && empty(flag) {
			err = emptyFlag(flag)
		}
	})
	return err
}

func emptyFlag(flag *pflag.Flag) error {
	return usage("leave --"+flag.Name+" out, or give it a value", "read --%s: it is empty", flag.Name)
}

// misread is the error of a flag of a command whose value cannot be read.
func misread(command string, of *pflag.InvalidValueError) error {
	flag := of.GetFlag()
	if strings.TrimSpace(of.GetValue()) == "" {
		return emptyFlag(flag)
	}
	hint := command + " --help shows how"
	switch flag.Value.Type() {
	case "duration":
		hint = "write it as 30s, 5m or 24h"
	case "bool":
		hint = fmt.Sprintf("write --%s, or --%s=false", flag.Name, flag.Name)
	}
	return usage(hint, "read --%s: %w", flag.Name, unlike(flag, of.GetValue(), of.Unwrap()))
}

// unlike says what a text is not that a flag does not take; err is the flag's own reason.
func unlike(flag *pflag.Flag, value string, err error) error {
	switch flag.Value.Type() {
	case "duration":
		return fmt.Errorf("%q is no such time", value)
	case "bool":
		return fmt.Errorf("%q is neither true nor false", value)
	case "stringSlice":
		return fmt.Errorf("%q is no list: %w", value, err)
	}
	return fmt.Errorf("%q is no such number", value)
}

// soughtFlags take a text that is looked for; spaces can be.
var soughtFlags = []string{"grep", "look-for"}

// empty reports whether a flag's value is an empty text, or a list that holds one or nothing.
func empty(flag *pflag.Flag) bool {
	blank := func(text string) bool {
		return text == "" || !slices.Contains(soughtFlags, flag.Name) && strings.TrimSpace(text) == ""
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		all := list.GetSlice()
		return len(all) == 0 || slices.ContainsFunc(all, blank)
	}
	return flag.Value.Type() == "string" && blank(flag.Value.String())
}

// atLeast refuses a number of a flag that is below what it may be.
func atLeast(flag string, n, least int) error {
	if n < least {
		return usage("leave it out for the default", "--%s %d: want %d or more", flag, n, least)
	}
	return nil
}

// formatFlag declares --format.
func formatFlag(c *cobra.Command, to *string, usage string) {
	c.Flags().StringVar(to, "format", "auto", usage)
	complete(c, "format", formats())
}

// formats are the values of --format.
func formats() []string { return append([]string{"auto"}, transcript.Formats()...) }

// checkFormat refuses a --format that there is none of.
func checkFormat(name string) error {
	if !slices.Contains(formats(), name) {
		return usage("there are "+strings.Join(formats(), ", "), "read --format: unknown format %q", name)
	}
	return nil
}

// exclusive declares flags of which a command takes one at most.
func exclusive(c *cobra.Command, names ...string) {
	c.MarkFlagsMutuallyExclusive(names...) // a shell then offers no second one
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		switch given := givenOf(c, names); {
		case len(given) > 1:
			return usage("give one of them", "run %s: %s exclude each other", c.CommandPath(), english.WordSeries(given, "and"))
		case before != nil:
			return before(c, args)
		}
		return nil
	}
}

// givenOf are those of some flags that a command line gives.
func givenOf(c *cobra.Command, names []string) (given []string) {
	for _, name := range names {
		if c.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	return given
}

// setupNamed is a preset or what a policy file says, or a usage error.
func setupNamed(name string) (policyfile.Setup, error) { return setupOf(name, "%w") }

// setupOf is setupNamed with errors as format has them.
func setupOf(name, format string) (policyfile.Setup, error) {
	if policyfile.IsPath(name) {
		s, err := policyfile.Read(name)
		if err != nil {
			return s, usage("precis policy show NAME --toml prints a file to begin with", format, err)
		}
		return s, nil
	}
	p, err := policy.Named(name)
	if err != nil {
		return policyfile.Setup{}, usage("there are "+strings.Join(policy.Names(), ", ")+", or the file of one of your own", format, err)
	}
	return policyfile.Setup{Policy: p}, nil
}

// policyNamed is the policy of a setup.
func policyNamed(name string) (policy.Policy, error) {
	s, err := setupNamed(name)
	return s.Policy, err
}

// policyFlag declares --policy.
func policyFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "policy", "balanced", "`name` of a policy: "+strings.Join(policy.Names(), ", ")+"; or a file (precis policy --help)")
}

// completePolicy offers presets and files for --policy.
func completePolicy(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(policy.Names(), cobra.ShellCompDirectiveDefault)) // declared before
}

// budgetVar declares --budget.
func budgetVar(f *pflag.FlagSet, to *string, help string) {
	f.StringVarP(to, "budget", "b", "", help)
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
