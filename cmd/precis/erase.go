package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
)

func eraseCommand(th *threads) *cobra.Command {
	var reason string
	var yes bool
	cmd := th.threadFlag(&cobra.Command{
		Use: "erase MESSAGE", Short: "remove what one message said, for good",
		Long: `Erase removes what a message said from the conversation and from all that was
made of it: other forms of the message, artifacts, what plans and summaries say of
it in any version, cached summaries, the answer it was the echo of, and what the
model looked up. Forks that share the message lose it, too. A tombstone with the
time, the login name and the reason stays, and stands in the next prompt.

It cannot be undone: without --yes it only says what would go. The freed pages of
the database are overwritten. Copies elsewhere stay: backups, the agent's own
session file, other messages that quote this one.`,
		Example: "  precis erase '#12' --thread KEY --reason 'a password'\n  precis erase '#12' --thread KEY --reason 'a password' --yes", Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if th.thread == "" {
				return usage("precis thread list names them", "erase %s: say of which conversation with --thread", args[0])
			}
			if reason == "" {
				return usage("say why with --reason: it stays in the tombstone", "erase %s: no reason", args[0])
			}
			return th.with(c.Context(), func(s store.Store) error { return erase(c.Context(), th, s, args[0], reason, yes) })
		},
	})
	cmd.Flags().StringVar(&reason, "reason", "", "`why`, for the tombstone")
	cmd.Flags().BoolVar(&yes, "yes", false, "erase it; without this, say what would be erased")
	return cmd
}

func erase(ctx context.Context, th *threads, s store.Store, name, reason string, yes bool) error {
	r, h, err := th.reader(ctx, s)
	if err != nil {
		return err
	}
	place, err := r.Find(ctx, name)
	if err != nil {
		return missing(err)
	}
	if place.Record != nil {
		return usage("name a message: #12, or its id", "erase %s: it is a record of the plan", name)
	}
	entry := r.Thread.At(place.Index)
	if yes {
		e, err := precis.New(precis.Options{Store: s, Tenant: th.whose})
		if err != nil {
			return err
		}
		defer e.Close()
		if err := e.Erase(ctx, h.Key.Thread, entry.ID, artifact.Tombstone{At: time.Now(), By: login(), Reason: reason}); err != nil {
			return err
		}
	}
	if th.json {
		return th.object(map[string]any{"thread": h.Key.Thread, "message": place.Index + 1, "id": entry.ID, "erased": yes})
	}
	text := "%s of %s, %s, was erased\n"
	if !yes {
		text = "%s of %s, %s, would be erased: --yes does it\n"
	}
	_, err = fmt.Fprintf(th.out, text, ref.Message(place.Index+1), term.Clean(h.Key.Thread), entry.Message.Role)
	return err
}
