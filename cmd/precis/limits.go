package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

const limitsLong = `Limits are what the proxy learned about the size of prompts when providers refused
some. The window that a refusal states counts for a model once it was stated twice,
or four times where it is far below what is known of the model or was accepted
before; it expires after a day, or when more is accepted. Forget takes it back at
once, also while the proxy runs.`

func limitsCommand(db *database) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "list the limits that are in force", Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return db.withLimits(c.Context(), func(at limits.Place) error { return limitsList(db, at) })
		},
	}
	forget := &cobra.Command{
		Use: "forget [MODEL]", Short: "take back what refusals taught about a model, or about all", Args: arguments(0, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return db.withLimits(c.Context(), func(at limits.Place) error { return limitsForget(db, at, strings.Join(args, "")) })
		},
	}
	return group("limits", "what refusals taught the proxy about models", limitsLong, list, forget)
}

// withLimits hands f the place of the learned limits: beside a file, in a PostgreSQL
// database.
func (d *database) withLimits(ctx context.Context, f func(limits.Place) error) error {
	path, err := d.path()
	if err != nil {
		return err
	}
	if !postgres.IsURL(path) {
		return f(limits.File(path + limitsSuffix))
	}
	return d.with(ctx, func(s store.Store) error { return f(proxy.SharedLimits(s)) })
}

func limitsList(db *database, at limits.Place) error {
	all, err := limits.Refusals(at, time.Now())
	if err != nil {
		return err
	}
	if db.json {
		return db.object(append([]limits.Learned{}, all...))
	}
	if len(all) == 0 {
		db.note("no limits are in force")
		return nil
	}
	t := term.Table{Right: []bool{false, false, false, true, true, false}}
	t.Add(term.Faint("model"), term.Faint("provider"), term.Faint("thread"), term.Faint("tokens"), term.Faint("bytes"), term.Faint("until"))
	for _, k := range all {
		until := k.WindowUntil
		if k.BytesUntil.After(until) {
			until = k.BytesUntil
		}
		t.Add(term.Clean(k.Model), term.Clean(k.Provider), term.Clean(k.Thread), limit(k.Window), limit(k.Bytes), until.Local().Format(time.DateTime))
	}
	fmt.Fprint(db.page, db.paper.Table(&t))
	return nil
}

func limit(n int) string {
	if n == 0 {
		return "-"
	}
	return term.Comma(n)
}

func limitsForget(db *database, at limits.Place, model string) error {
	n, err := limits.Forget(at, model)
	if err != nil {
		return err
	}
	if db.json {
		return db.object(map[string]int{"forgotten": n})
	}
	_, err = fmt.Fprintln(db.out, term.Count(n, "limit")+" forgotten")
	return err
}
