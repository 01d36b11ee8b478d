package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
)

const statuslineLong = `Statusline is a piece for Claude Code's status line. It reads the JSON that Claude
Code gives such a command, and prints what precis left out of the session, and how
full the context is. precis install claude-code --statusline puts it there; a status
line of your own can call it. For a session that it does not know it prints no count,
and for input that is no JSON nothing.`

// statuslineTime bounds it: Claude Code runs it after each answer.
var statuslineTime = time.Second

// statusAsked is what is read of the JSON that Claude Code gives.
type statusAsked struct {
	Session string `json:"session_id"`
	Window  struct {
		Used *float64 `json:"used_percentage"`
	} `json:"context_window"`
}

func statuslineCommand(th *threads) *cobra.Command {
	return &cobra.Command{
		Use: "statusline", Short: "a piece for Claude Code's status line", Long: statuslineLong, Args: arguments(0, 0),
		Example: `  echo '{"session_id":"5f2c"}' | precis statusline`,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), statuslineTime)
			defer cancel()
			asked, err := inTime(ctx, func(context.Context) (a statusAsked, err error) {
				return a, json.NewDecoder(th.stdin).Decode(&a)
			})
			if err != nil {
				return nil
			}
			line := "précis"
			_ = th.reading(ctx, func(s store.Store) error { // without a database there is nothing to say of the session
				said, err := whatLeft(ctx, s, store.Key{Tenant: th.whose, Thread: asked.Session})
				line += said
				return err
			})
			if asked.Window.Used != nil {
				line += fmt.Sprintf(" · context %.0f %%", *asked.Window.Used)
			}
			fmt.Fprintln(th.page, line)
			return nil
		},
	}
}

// whatLeft returns the words for what a thread's plan leaves out, "" without a plan.
func whatLeft(ctx context.Context, s store.Store, k store.Key) (string, error) {
	h, err := s.Head(ctx, k)
	if err != nil || h.PlanVersion == 0 {
		return "", err
	}
	p, err := s.PlanAt(ctx, k, h.PlanVersion)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(": %s left out, %s less", term.Count(covered(p), "message"), term.Count(p.Original-p.Compacted, "token")), nil
}

// covered counts the messages that records of a plan stand for.
func covered(p *plan.Plan) int {
	n := 0
	for _, r := range p.Records {
		if r.Span.Part == 0 {
			n += len(r.Span.IDs)
		}
	}
	return n
}
