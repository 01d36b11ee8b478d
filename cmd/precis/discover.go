package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/discover/audit"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

const discoverLong = `Discover finds the sessions that Claude Code, Codex, pi, opencode and gemini-cli
left on this machine and says what each cost, how often its agent compacted and
what that lost, and what policies of precis would have kept and cost in its
place. It only reads, keeps nothing, and sends nothing anywhere. What was said
in a session is not shown unless --content asks for it.

It looks where the agents keep their sessions, or where CLAUDE_CONFIG_DIR,
CODEX_HOME, PI_CODING_AGENT_DIR, XDG_DATA_HOME, OPENCODE_DB and GEMINI_CLI_HOME
say; --root looks in other folders instead.

Policies are tried on sessions that are longer than the budget, by default 85 %
of what the model's window leaves beside the reply, or that their agent
compacted. System prompt and tools, which few session files hold, are left out:
the numbers are of the conversation alone.`

// discovery holds the flags of discover.
type discovery struct {
	roots            []string
	days             int
	budget, policies string
	limit, steps     int
	content          bool
}

func discoverCommand(std *streams) *cobra.Command {
	var d discovery
	c := &cobra.Command{
		Use: "discover", Short: "what the sessions on this machine cost, lost, and would have kept",
		Long: discoverLong, Args: arguments(0, 0),
		Example: "  precis discover\n  precis discover --days 0 --policy balanced,ladder --limit 20\n  precis discover --root ~/backup/sessions --json | jq .totals",
		RunE:    func(c *cobra.Command, _ []string) error { return discoverSessions(c.Context(), std, d) },
	}
	f := c.Flags()
	f.StringArrayVar(&d.roots, "root", nil, "look in a `folder` or file instead of the agents' own (repeatable)")
	f.IntVar(&d.days, "days", 30, "sessions that changed in so many `days`; 0 is all")
	f.StringVar(&d.policies, "policy", "balanced", "`names` of policies to try, with commas: "+strings.Join(policy.Names(), ", "))
	budgetVar(f, &d.budget, "`tokens` of a request (default: by each session's model)")
	f.IntVar(&d.limit, "limit", 20, "try policies on so many `sessions`, the last changed first; 0 is none")
	f.IntVar(&d.steps, "steps", 1000, "replay so many `requests` of a session, its first")
	f.BoolVar(&d.content, "content", false, "show what was said: first messages, values lost and used again")
	complete(c, "policy", policy.Names())
	return c
}

// discoverSessions reads and tries the sessions that the flags name.
func discoverSessions(ctx context.Context, std *streams, d discovery) error {
	o, err := d.options()
	if err != nil {
		return err
	}
	o.Progress = std.progress
	defer std.progress("")
	found, err := audit.Run(ctx, o)
	if err != nil {
		return err
	}
	std.progress("")
	if std.json {
		return std.object(found)
	}
	fmt.Fprint(std.page, found.Text(std.paper))
	return nil
}

// options checks the flags.
func (d discovery) options() (o audit.Options, err error) {
	o = audit.Options{Days: d.days, Limit: d.limit, Steps: d.steps, Content: d.content, Open: inMemory}
	for _, name := range strings.Split(d.policies, ",") {
		p, err := policyNamed(name)
		if err != nil {
			return o, err
		}
		o.Policies = append(o.Policies, p)
	}
	if err := errors.Join(atLeast("days", d.days, 0), atLeast("limit", d.limit, 0), atLeast("steps", d.steps, 1)); err != nil {
		return o, err
	}
	if o.Budget, err = budgetFlag(d.budget); err != nil {
		return o, err
	}
	// Without a home folder the environment may still name places.
	o.Home, _ = os.UserHomeDir()
	if len(d.roots) == 0 {
		o.Places = discover.Places(discover.Env{Home: o.Home, GOOS: runtime.GOOS, Getenv: os.Getenv})
	}
	for _, dir := range d.roots {
		o.Places = append(o.Places, discover.Place{Dir: dir, Asked: true})
	}
	return o, nil
}

// inMemory is an engine on a store of its own, and what closes both.
func inMemory(_ context.Context, p policy.Policy) (*precis.Engine, func() error, error) {
	s := memory.New()
	e, err := precis.New(precis.Options{Store: s, Policy: p})
	if err != nil {
		return nil, nil, err
	}
	return e, func() error { e.Close(); return s.Close() }, nil
}
