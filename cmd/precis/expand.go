package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
)

func expandCommand(th *threads) *cobra.Command {
	return th.threadFlag(&cobra.Command{
		Use: "expand ID", Short: "put one record's messages, or one message, back whole",
		Long: `Expand takes one record out of the plan, as a new version. What it covered is
whole again from the next prompt on, and is left alone until the budget forces
it. ID is a record (r…); or a message: it comes back with the tool round it
belongs to, and the record keeps the rest of what it covers.`,
		Example: "  precis expand r1c0ffee12345\n  precis expand '#12'", Args: arguments(1, 1), ValidArgsFunction: offered(th.planRecords),
		RunE: func(c *cobra.Command, args []string) error {
			return th.with(c.Context(), func(s store.Store) error { return expand(c.Context(), th, s, args[0]) })
		},
	})
}

func expand(ctx context.Context, th *threads, s store.Store, name string) error {
	r, h, err := th.reader(ctx, s)
	if err != nil {
		return err
	}
	place, err := r.Find(ctx, name)
	if err != nil {
		return missing(err)
	}
	recs := r.Covering(place)
	switch len(recs) {
	case 0:
		if place.Record == nil && place.Artifact == nil {
			return fail("precis plan show lists what is not whole", "expand %s: %s is whole already", name, ref.Message(place.Index+1))
		}
		return fail("precis plan show lists the records", "expand %s: %w", name, precis.ErrNoRecord)
	case 1:
	default:
		var ids []string
		for _, rec := range recs {
			ids = append(ids, rec.ID)
		}
		return fail("take one of "+strings.Join(ids, ", "), "expand %s: %d records cover its parts", name, len(recs))
	}
	e, err := th.engineOn(s)
	if err != nil {
		return err
	}
	defer e.Close()
	before, err := promptOf(ctx, s, h, r.Thread)
	if err != nil {
		return err
	}
	if recs[0].Span.Part == 0 && place.Record == nil {
		made, err := e.ExpandMessage(ctx, h.Key.Thread, r.Thread.At(place.Index).ID)
		if err != nil {
			return err
		}
		return changed(th.streams, before, made, fmt.Sprintf("shows %s and its round whole", ref.Message(place.Index+1)))
	}
	made, err := e.Expand(ctx, h.Key.Thread, recs[0].ID)
	if err != nil {
		return err
	}
	return changed(th.streams, before, made, fmt.Sprintf("is without %s (%s)", recs[0].ID, term.Count(recs[0].Saves, "token")))
}
