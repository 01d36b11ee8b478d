package main

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

const dbLong = `Db looks after the database file, also while a proxy or an agent uses it.

Nothing in it goes by itself. "retain" takes out whole conversations that are
older than you say, with all that was made of them; each leaves a line that says
when and why. What a newer fork shares stays. "vacuum" gives the space back.`

func (a *app) dbCommand() *cobra.Command {
	size := &cobra.Command{
		Use: "size", Short: "say how large the database is, and what takes the space", Args: want(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return a.withFile(c.Context(), a.dbSize) },
	}
	vacuum := &cobra.Command{
		Use: "vacuum", Short: "give back the space that nothing uses, in small steps", Args: want(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return a.withFile(c.Context(), a.dbVacuum) },
	}
	var older string
	var dry bool
	retain := &cobra.Command{
		Use: "retain --older-than AGE", Short: "take out conversations that were last used longer ago", Args: want(0, 0),
		Example: "  precis db retain --older-than 90d --dry-run\n  precis db retain --older-than 90d && precis db vacuum",
		RunE: func(c *cobra.Command, _ []string) error {
			age, err := days(older)
			if err != nil {
				return err
			}
			return a.withFile(c.Context(), func(ctx context.Context, s *sqlite.Store) error { return a.dbRetain(ctx, s, age, dry) })
		},
	}
	retain.Flags().StringVar(&older, "older-than", "", "`age` of what goes: 90d, 26w, 36h")
	retain.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return group("db", "size, space and age of the database", dbLong, size, vacuum, retain)
}

// withFile runs f on the database as the file that it is.
func (a *app) withFile(ctx context.Context, f func(context.Context, *sqlite.Store) error) error {
	return a.with(ctx, func(s store.Store) error {
		file, ok := s.(*sqlite.Store)
		if !ok {
			return fail("", "open store: it is no file")
		}
		return f(ctx, file)
	})
}

// days reads an age: Go's durations, and days and weeks.
func days(s string) (time.Duration, error) {
	const day = 24 * time.Hour
	for unit, length := range map[string]time.Duration{"d": day, "w": 7 * day} {
		n, err := strconv.ParseFloat(strings.TrimSuffix(s, unit), 64)
		if strings.HasSuffix(s, unit) && err == nil && n > 0 && n*float64(length) < 1<<62 {
			return time.Duration(n * float64(length)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, nil
	}
	return 0, usage("write days, weeks or hours: 90d, 26w, 36h", "read --older-than: %q is no age", s)
}

// sizes is the size of a database for programs, in bytes.
type sizes struct {
	File    int64 `json:"file"`
	Log     int64 `json:"log"`
	Free    int64 `json:"free"`
	Content int64 `json:"content"`
	Stored  int64 `json:"stored"`
	Threads int   `json:"threads"`
	Entries int   `json:"messages"`
	Retired int   `json:"retired"`
}

func (a *app) dbSize(ctx context.Context, s *sqlite.Store) error {
	z, err := s.Size(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.object(sizes(z))
	}
	t := table{right: []bool{false, true}}
	t.add("what", "bytes", "")
	t.add("database", commas(int(z.File)), many(z.Threads, "thread")+", "+many(z.Entries, "message"))
	t.add("write-ahead log", commas(int(z.Log)), "folded into the database by itself")
	t.add("not used", commas(int(z.Free)), "precis db vacuum gives it back")
	t.add("content", commas(int(z.Content)), "kept in "+commas(int(z.Stored)))
	if z.Retired > 0 {
		t.add("taken out", "", many(z.Retired, "thread"))
	}
	fmt.Fprint(a.page, t.String())
	return nil
}

func (a *app) dbVacuum(ctx context.Context, s *sqlite.Store) error {
	freed, err := s.Vacuum(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.object(map[string]int64{"freed": freed})
	}
	_, err = fmt.Fprintf(a.out, "%s given back\n", many(int(freed), "byte"))
	return err
}

func (a *app) dbRetain(ctx context.Context, s *sqlite.Store, age time.Duration, dry bool) error {
	now := time.Now()
	before := now.Add(-age)
	r, err := s.Old(ctx, before)
	if err == nil && !dry {
		r, err = s.Retire(ctx, before, artifact.Tombstone{At: now, By: login(), Reason: artifact.ReasonExpired})
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.object(map[string]any{"threads": r.Threads, "messages": r.Messages, "before": before.UTC(), "dry_run": dry})
	}
	verb := "taken out"
	if dry {
		verb = "would be taken out"
	}
	_, err = fmt.Fprintf(a.out, "%s with %s %s: last used before %s\n", many(r.Threads, "thread"), many(r.Messages, "message"), verb, stamp(before))
	return err
}

// login is the name a tombstone gives, "" where the system does not tell.
func login() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
