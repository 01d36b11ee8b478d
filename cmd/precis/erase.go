package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

func eraseCommand(th *threads) *cobra.Command {
	var reason string
	var yes bool
	cmd := th.namedFlag(&cobra.Command{
		Use: "erase MESSAGE", Short: "remove what one message said, for good",
		Long: `Erase removes what a message said from the conversation and from all that was
made of it: other forms of the message, artifacts, what plans and summaries say of
it in any version, cached summaries, the answer it was the echo of, and what the
model looked up. Forks and parents that have the message lose it, too; another
conversation that holds the same words keeps them, and its plans. A tombstone with
the time, the login name and the reason stays, and stands in the next prompt.

It cannot be undone: without --yes it only says what would go, with the records of
plans that may quote the message: they leave every version, and what they had left
out is in the prompt again until the next compaction. The freed pages of
the database are overwritten. Copies elsewhere stay: backups, the agent's own
session file, other messages that quote this one.`,
		Example: "  precis erase '#12' --thread KEY --reason 'a password'\n  precis erase '#12' --thread KEY --reason 'a password' --yes", Args: arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		SuggestFor: []string{"forget", "delete", "remove"},
		RunE: func(c *cobra.Command, args []string) error {
			if th.thread == "" {
				return usage("precis thread list names them", "erase %s: say of which conversation with --thread", args[0])
			}
			if reason == "" {
				return usage("say why with --reason: it stays in the tombstone", "erase %s: no reason", args[0])
			}
			return th.with(c.Context(), func(s store.Store) error { return erase(c.Context(), th, s, args[0], reason, yes) })
		},
	}, "`key`, or its beginning")
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
	e, err := th.engineOn(s)
	if err != nil {
		return err
	}
	defer e.Close()
	x := erasure{Thread: h.Key.Thread, Message: place.Index + 1, ID: entry.ID, Erased: yes || entry.Erased, Before: entry.Erased, Records: []string{}}
	records, versions, err := e.Quoting(ctx, h.Key.Thread, entry.ID)
	if err != nil {
		return err
	}
	x.Versions = versions
	for i := range records {
		x.Records = append(x.Records, records[i].ID)
	}
	if yes {
		if err := e.Erase(ctx, h.Key.Thread, entry.ID, artifact.Tombstone{At: time.Now(), By: login(), Reason: reason}); err != nil {
			return err
		}
	}
	if th.json {
		return th.object(x)
	}
	fmt.Fprintf(th.page, "%s of %s, %s, %s\n", ref.Message(x.Message), term.Clean(x.Thread), recall.RoleOf(entry.Message), x.became(yes))
	if versions > 0 {
		fmt.Fprint(th.page, th.paper.Paragraph(x.quoted(yes)))
	}
	return nil
}

// erasure is what an erasure did, or would do, for programs.
type erasure struct {
	Thread  string    `json:"thread"`
	Message int       `json:"message"`
	ID      thread.ID `json:"id"`
	Erased  bool      `json:"erased"`
	// Before reports that it had been erased by an earlier erasure.
	Before bool `json:"erased_before"`
	// Records leave every version of the plan, as they may quote the message; Versions
	// counts those that hold any.
	Records  []string `json:"records"`
	Versions int      `json:"plan_versions"`
}

// became is what the erasure made of the message.
func (x *erasure) became(yes bool) string {
	switch {
	case x.Before:
		return "is erased already: its tombstone stays as it is"
	case yes:
		return "was erased"
	}
	return "would be erased: --yes does it"
}

// quoted is what goes out of plans with the message.
func (x *erasure) quoted(yes bool) string {
	verb, does := "would leave", "would be"
	if yes {
		verb, does = "left", "is"
	}
	named := strings.Join(x.Records[:min(len(x.Records), 8)], ", ")
	if more := len(x.Records) - 8; more > 0 {
		named += fmt.Sprintf(" and %s more", term.Comma(more))
	}
	return fmt.Sprintf("%s that may quote it %s the plan, %s of it: %s. What that had left out %s in the prompt again until the next compaction, which replaces it; neither plan undo nor plan restore brings it back.",
		term.Count(len(x.Records), "record"), verb, term.Count(x.Versions, "version"), named, does)
}
