package main

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
)

const dbLong = `Db maintains the database, a file or PostgreSQL, also while a proxy or an agent
uses it.

Nothing is deleted unless you ask for it. "retain" deletes whole conversations
that are older than you say, with everything made from them; each leaves a record
of when and why. What a newer fork shares stays. "vacuum" gives the space back.

A backup is a copy: "copy" makes it, adds to it later, and brings it back.`

func dbCommand(db *database) *cobra.Command {
	size := &cobra.Command{
		Use: "size", Short: "say how large the database is, and what takes the space", Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return db.inspecting(c.Context(), func(ctx context.Context, s store.Maintained) error { return dbSize(ctx, db.streams, s) })
		},
	}
	vacuum := &cobra.Command{
		Use: "vacuum", Short: "give back the space that nothing uses, in small steps", Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return db.maintain(c.Context(), func(ctx context.Context, s store.Maintained) error { return dbVacuum(ctx, db.streams, s) })
		},
	}
	var older string
	var dry bool
	retain := &cobra.Command{
		Use: "retain --older-than AGE", Short: "delete old conversations", Args: arguments(0, 0),
		Example: "  precis db retain --older-than 90d --dry-run\n  precis db retain --older-than 90d && precis db vacuum",
		RunE: func(c *cobra.Command, _ []string) error {
			age, err := days(older)
			if err != nil {
				return err
			}
			return db.maintain(c.Context(), func(ctx context.Context, s store.Maintained) error { return dbRetain(ctx, db.streams, s, age, dry) })
		},
	}
	retain.Flags().StringVar(&older, "older-than", "", "delete what was last used longer ago than this `age`: 90d, 26w, 36h")
	retain.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	return group("db", "size, space, age, schema and copies of the database", dbLong, size, vacuum, retain, migrateCommand(db), copyCommand(db), sealCommand(db))
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
	return 0, usage("write days, weeks or hours: 90d, 26w, 36h", "--older-than %q: not an age", s)
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

func dbSize(ctx context.Context, std *streams, s store.Maintained) error {
	z, err := s.Size(ctx)
	if err != nil {
		return err
	}
	if std.json {
		return std.object(sizes(z))
	}
	t := term.Table{Right: []bool{false, true}}
	t.Add("what", "bytes", "")
	t.Add("database", term.Comma(int(z.File)), term.Count(z.Threads, "thread")+", "+term.Count(z.Entries, "message")+", those that forks share once")
	if z.Log+z.Free > 0 {
		t.Add("write-ahead log", term.Comma(int(z.Log)), "SQLite folds it into the database")
		t.Add("unused", term.Comma(int(z.Free)), std.again("precis db vacuum gives it back"))
	}
	t.Add("content", term.Comma(int(z.Content)), "compressed to "+term.Comma(int(z.Stored)))
	if z.Retired > 0 {
		t.Add("deleted", "", term.Count(z.Retired, "thread"))
	}
	fmt.Fprint(std.page, std.paper.Table(&t))
	return nil
}

func dbVacuum(ctx context.Context, std *streams, s store.Maintained) error {
	freed, err := s.Vacuum(ctx)
	if err != nil {
		return err
	}
	if std.json {
		return std.object(map[string]int64{"freed": freed})
	}
	_, err = fmt.Fprintf(std.out, "%s given back\n", term.Count(int(freed), "byte"))
	return err
}

func dbRetain(ctx context.Context, std *streams, s store.Maintained, age time.Duration, dry bool) error {
	now := time.Now()
	before := now.Add(-age)
	r, err := s.Old(ctx, before)
	if err == nil && !dry {
		r, err = s.Retire(ctx, before, artifact.Tombstone{At: now, By: login(), Reason: artifact.ReasonExpired})
	}
	if err != nil {
		return err
	}
	if std.json {
		return std.object(map[string]any{"threads": r.Threads, "messages": r.Messages, "before": before.UTC(), "dry_run": dry})
	}
	verb := "deleted"
	if dry {
		verb = "would be deleted"
	}
	_, err = fmt.Fprintf(std.out, "%s with %s %s: last used before %s\n", term.Count(r.Threads, "thread"), term.Count(r.Messages, "message"), verb, term.Stamp(before))
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
