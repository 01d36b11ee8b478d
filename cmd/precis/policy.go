package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/policy"
)

func (a *app) policyCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "list the policies", Args: want(0, 0),
		RunE: func(*cobra.Command, []string) error { return a.policyList() },
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "print every number of a policy, as JSON", Args: want(1, 1),
		Example:           "  precis policy show balanced",
		ValidArgsFunction: cobra.FixedCompletions(policy.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := policyNamed(args[0])
			if err != nil {
				return err
			}
			return a.object(p)
		},
	}
	return group("policy", "how a conversation is compacted", `A policy is data: when compaction starts, what is kept, which strategies run in
which order.`, list, show)
}

func (a *app) policyList() error {
	if a.json {
		var all []policy.Policy
		for _, n := range policy.Names() {
			p, err := policy.Named(n)
			if err != nil {
				return err
			}
			all = append(all, p)
		}
		return a.object(all)
	}
	for _, n := range policy.Names() {
		p, err := policy.Named(n)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.page, "%s\n%s", strong(n), wrap(strings.Fields(p.About), "  "))
	}
	return nil
}

// policyNamed is a preset, or a usage error that names those there are.
func policyNamed(name string) (policy.Policy, error) {
	p, err := policy.Named(name)
	if err != nil {
		return p, usage("there are "+strings.Join(policy.Names(), ", "), "%w", err)
	}
	return p, nil
}
