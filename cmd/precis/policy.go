package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
)

func policyCommand(std *streams) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "list the policies", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error { return policyList(std) },
	}
	var budget string
	var asTOML bool
	show := &cobra.Command{
		Use: "show NAME|FILE", Short: "print every number of a policy, as it is at a budget", Args: arguments(1, 1),
		Example:           "  precis policy show session\n  precis policy show balanced --budget 32k --json\n  precis policy show session --toml > mine.toml",
		ValidArgsFunction: cobra.FixedCompletions(policy.Names(), cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			if asTOML {
				return policyFile(std, args[0])
			}
			return policyShow(std, args[0], budget)
		},
	}
	show.Flags().BoolVar(&asTOML, "toml", false, "print a policy file, for --policy FILE")
	check := &cobra.Command{
		Use: "check FILE", Short: "check a policy file", Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return policyCheck(std, args[0]) },
	}
	show.Flags().StringVar(&budget, "budget", "", "tokens, like 32k; by default the budget its design was drawn for")
	return group("policy", "how a conversation is compacted", `A policy is data: when compaction starts, what is kept, which strategies run in
which order. Wherever a policy is named, the file of one of your own may stand
instead, in TOML or, where its name ends in .json, in JSON. It says extends =
"session" and what is to be different; precis policy show NAME --toml prints all
there is to say. Its tables summary (prompt, persona, temperature,
max_output_tokens, max_input_tokens, fallback) and rehydration are for the model
that writes summaries and for what comes back by itself.`, list, show, check)
}

// policyFile prints a policy as a file.
func policyFile(std *streams, name string) error {
	s, err := setupNamed(name)
	if err != nil {
		return err
	}
	data, err := s.TOML()
	if err != nil {
		return err
	}
	_, err = std.out.Write(data)
	return err
}

// policyCheck checks a policy file.
func policyCheck(std *streams, path string) error {
	s, err := policyfile.Read(path)
	if err != nil {
		return usage("precis policy show NAME --toml prints a file to begin with", "%w", err)
	}
	if std.json {
		return std.object(map[string]any{"ok": true, "name": s.Name})
	}
	_, err = fmt.Fprintln(std.out, "ok")
	return err
}

func policyList(std *streams) error {
	if std.json {
		var all []policy.Policy
		for _, n := range policy.Names() {
			p, err := policy.Named(n)
			if err != nil {
				return err
			}
			all = append(all, p)
		}
		return std.object(all)
	}
	for _, n := range policy.Names() {
		p, err := policy.Named(n)
		if err != nil {
			return err
		}
		fmt.Fprintf(std.page, "%s\n%s", term.Strong(n), std.paper.Wrap(p.About, "  "))
	}
	return nil
}

func policyShow(std *streams, name, budget string) error {
	p, err := policyNamed(name)
	if err != nil {
		return err
	}
	n, err := budgetFlag(budget)
	if err != nil {
		return err
	}
	e := p.At(n, 0)
	if std.json {
		return std.object(e)
	}
	fmt.Fprintf(std.page, "%s\n%s\n", term.Strong(p.Name), std.paper.Paragraph(p.About))
	rungs, err := rungTable(e.Rungs)
	if err != nil {
		return err
	}
	paper := term.Page{Columns: std.paper.Columns} // no number is cut
	fmt.Fprint(std.page, paper.Table(effective(e)), term.Heading("Strategies, in order"), paper.Table(rungs))
	return nil
}

// effective are the numbers of a policy at its budget, a line each.
func effective(e policy.Effective) *term.Table {
	p, t := e.Policy, term.Table{}
	tokens := func(name string, n int) {
		if n > 0 {
			t.Add(term.Faint(name), term.Comma(n)+" tokens")
		}
	}
	tokens("budget", e.Budget)
	tokens(compacts(p), e.Trigger)
	tokens("down to", e.Target)
	if p.Economy {
		t.Add("", "precis compact fills the budget the first time: no turn is known to follow")
	}
	t.Add(term.Faint("shares"), fmt.Sprintf("soft %g, low %g, of %s", p.Soft, p.Low, base(p)))
	if p.Economy {
		t.Add(term.Faint("below the budget"), "compacts only where that pays")
	}
	if p.LowAgain > 0 {
		t.Add(term.Faint("low, excerpts left"), fmt.Sprintf("%g, where the lines of the last summary stand as they are", p.LowAgain))
	}
	tokens("off first, system", e.Reserves.System)
	tokens("off first, reply", e.Reserves.Output)
	tokens("off first, safety", e.Reserves.Safety)
	tokens("kept free", e.Safety)
	tokens("for what comes back", e.Reserve)
	tokens("recent, kept whole", e.Recent)
	t.Add(term.Faint("recent turns"), fmt.Sprint(p.RecentTurns))
	tokens("a summary, at most", e.Summary)
	if e.Summary > p.SummaryCap(e.Budget) {
		t.Add(term.Faint("of that"), "what the target leaves beside what is kept whole")
	}
	if p.SummaryRatio > 0 {
		t.Add(term.Faint("against its span"), fmt.Sprintf("%g", p.SummaryRatio))
	}
	t.Add(term.Faint("lines of the log"), fmt.Sprintf("%g of a summary", p.VerbatimShare))
	if p.Economy {
		t.Add(term.Faint("detail"), fmt.Sprintf("%g of the budget, for the agent's own words in blocks", p.Detail))
	}
	t.Add(term.Faint("first message"), map[bool]string{true: "kept verbatim", false: "not pinned"}[p.PinFirst])
	t.Add(term.Faint("style"), p.Style+", reads back with "+p.Recall)
	return &t
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
func rungTable(rungs []policy.Rung) (*term.Table, error) {
	var t term.Table
	for i, r := range rungs {
		data, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		_, numbers, _ := strings.Cut(strings.Trim(string(data), "{}"), ",")
		if numbers == "" {
			numbers = "no numbers of its own"
		}
		t.Add(fmt.Sprint(i+1), r.Strategy, term.Faint(strings.NewReplacer(`"`, "", ",", ", ", ":", " ", "_", " ").Replace(numbers)))
	}
	return &t, nil
}
