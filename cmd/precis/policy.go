package main

import (
	"encoding/json"
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
	var budget string
	show := &cobra.Command{
		Use: "show NAME", Short: "print every number of a policy, as it is at a budget", Args: want(1, 1),
		Example:           "  precis policy show session\n  precis policy show balanced --budget 32k --json",
		ValidArgsFunction: cobra.FixedCompletions(policy.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(_ *cobra.Command, args []string) error { return a.policyShow(args[0], budget) },
	}
	show.Flags().StringVar(&budget, "budget", "", "tokens, like 32k; by default the budget its design was drawn for")
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

func (a *app) policyShow(name, budget string) error {
	p, err := policyNamed(name)
	if err != nil {
		return err
	}
	n := 0
	if budget != "" {
		if n, err = tokens(budget); err != nil {
			return err
		}
	}
	e := p.At(n, 0)
	if a.json {
		return a.object(e)
	}
	fmt.Fprintf(a.page, "%s\n%s\n", strong(p.Name), paragraph(p.About))
	fmt.Fprint(a.page, effective(e))
	fmt.Fprint(a.page, heading("Strategies, in order"), rungTable(e.Rungs))
	return nil
}

// effective are the numbers of a policy at its budget, a line each.
func effective(e policy.Effective) string {
	p, t := e.Policy, table{}
	tokens := func(name string, n int) {
		if n > 0 {
			t.add(faint(name), commas(n)+" tokens")
		}
	}
	tokens("budget", e.Budget)
	tokens(compacts(p), e.Trigger)
	tokens("down to", e.Target)
	t.add(faint("shares"), fmt.Sprintf("soft %g, low %g, of %s", p.Soft, p.Low, base(p)))
	if p.Economy {
		t.add(faint("below the budget"), "compacts only where that pays")
	}
	tokens("off first, system", e.Reserves.System)
	tokens("off first, reply", e.Reserves.Output)
	tokens("off first, safety", e.Reserves.Safety)
	tokens("kept free", e.Safety)
	tokens("for what comes back", e.Reserve)
	tokens("recent, kept whole", e.Recent)
	t.add(faint("recent turns"), fmt.Sprint(p.RecentTurns))
	tokens("a summary, at most", e.Summary)
	if p.SummaryRatio > 0 {
		t.add(faint("against its span"), fmt.Sprintf("%g", p.SummaryRatio))
	}
	t.add(faint("lines of the log"), fmt.Sprintf("%g of a summary", p.VerbatimShare))
	t.add(faint("first message"), map[bool]string{true: "kept verbatim", false: "not pinned"}[p.PinFirst])
	t.add(faint("style"), p.Style+", reads back with "+p.Recall)
	return t.String()
}

// compacts says on which side of the number compaction starts.
func compacts(p policy.Policy) string {
	if p.Inclusive {
		return "compacts from"
	}
	return "compacts above"
}

func base(p policy.Policy) string {
	if p.ExcludeOverhead {
		return "the room for messages"
	}
	return "the budget"
}

// rungTable lists strategies with the numbers they have.
func rungTable(rungs []policy.Rung) string {
	var t table
	for i, r := range rungs {
		data, err := json.Marshal(r)
		if err != nil {
			return err.Error()
		}
		_, numbers, _ := strings.Cut(strings.Trim(string(data), "{}"), ",")
		if numbers == "" {
			numbers = "no numbers of its own"
		}
		t.add(fmt.Sprint(i+1), r.Strategy, faint(strings.NewReplacer(`"`, "", ",", ", ", ":", " ", "_", " ").Replace(numbers)))
	}
	return t.String()
}

// policyNamed is a preset, or a usage error that names those there are.
func policyNamed(name string) (policy.Policy, error) {
	p, err := policy.Named(name)
	if err != nil {
		return p, usage("there are "+strings.Join(policy.Names(), ", "), "%w", err)
	}
	return p, nil
}
