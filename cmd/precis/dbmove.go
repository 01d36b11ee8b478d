package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/doctor"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/transfer"
)

// migrateCommand is precis db migrate.
func migrateCommand(db *database) *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "bring a PostgreSQL database's schema up to date", Args: arguments(0, 0),
		Long: `Migrate makes the schema in a new PostgreSQL database, or brings an older one up to
date. Run it once before the nodes of a new version start: those of this version and
of the one before work with it, and go on meanwhile. A file needs no migration, it is
brought up to date when it is opened.`,
		Example: "  precis db migrate --db postgres://precis@db.internal/precis",
		RunE: func(c *cobra.Command, _ []string) error {
			url, err := db.path()
			if err != nil {
				return err
			}
			if !postgres.IsURL(url) {
				return usage("name it with --db postgres://user@host/database", "migrate %s: not a PostgreSQL database", url)
			}
			ran, err := postgres.Migrate(c.Context(), url)
			if err != nil {
				return err
			}
			if db.json {
				return db.object(map[string]any{"migrations": append([]postgres.Migrated{}, ran...)})
			}
			for _, m := range ran {
				fmt.Fprintf(db.out, "migrated to version %d\n", m.Version)
			}
			if len(ran) == 0 {
				_, err = fmt.Fprintln(db.out, "the schema is up to date")
			}
			return err
		},
	}
}

// copyCommand is precis db copy.
func copyCommand(db *database) *cobra.Command {
	move := mover{database: db}
	cmd := &cobra.Command{
		Use: "copy FROM TO", Short: "copy all conversations to another database, and compare", Args: arguments(2, 2),
		Long: `Copy copies all conversations from one database to another, files or PostgreSQL, and
reads each back and compares it: messages and their other forms, every version of
the plan, what was taken out, what was erased. Both may be in use meanwhile, as long as
nobody else writes the same conversations to TO.

Of two PostgreSQL databases each has a place of its own for what is large: --blobs is
that of TO, --from-blobs that of FROM.

To move: copy while everything runs, stop the programs, copy again, which takes what
is new only, and start them with --db TO. A key seals a TO that is new, and opens a FROM
that is sealed. Not copied are caches, and the records of
conversations that "retain" deleted.

To back up: copy to a file of its own, again and again. To restore a file: stop the
programs, move the old file away with its -wal and -shm, and copy the backup to where
it was. A TO that holds other conversations under the same names is refused.

A FROM that is damaged ends the copy. With --salvage it goes on: of a conversation that
cannot be read whole, the messages before the damage are copied, and the plans before
it; what is lost is told. FROM stays as it is.`,
		Example: "  precis db copy precis.db backup.db\n  precis db copy precis.db postgres://precis@db.internal/precis\n  precis db copy --salvage damaged.db saved.db",
		RunE: func(c *cobra.Command, args []string) error {
			return move.between(c.Context(), args[0], args[1])
		},
	}
	repeats("blobs key", cmd) // FROM and TO name the databases
	cmd.Flags().BoolVar(&move.salvage, "salvage", false, "copy what can be read of a FROM that is damaged")
	cmd.Flags().StringVar(&move.fromBlobs, "from-blobs", "", "where FROM keeps what is large: a `folder`, or s3://bucket/prefix (default: that of --blobs)")
	return cmd
}

// mover is one copy between two databases.
type mover struct {
	*database
	salvage   bool
	fromBlobs string // --from-blobs
}

// checkApart refuses databases that would keep what is large in one place, where vacuum of
// either removes what only the other names.
func (m *mover) checkApart(from, to string) error {
	if m.fromBlobs != "" && !postgres.IsURL(from) {
		return usage("leave --from-blobs out", "copy %s: a file keeps everything itself", shown(from))
	}
	at := m.blobsAt()
	if at == "" || !postgres.IsURL(from) || !postgres.IsURL(to) || m.fromBlobs != "" && !blob.Same(m.fromBlobs, at) {
		return nil
	}
	return usage("name that of FROM with --from-blobs, and another one for TO with --blobs", "copy %s: FROM and TO would keep what is large in one place, %s", shown(from), at)
}

// between copies from the database at one path to that at another.
func (m *mover) between(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil && !postgres.IsURL(from) {
		return fail("name a database that is there", "copy from: %w", err)
	}
	if sameFile(from, to) {
		return usage("name another database as TO", "copy %s: FROM and TO are the same database", shown(from))
	}
	if err := m.checkApart(from, to); err != nil {
		return err
	}
	source, err := m.source().openSource(ctx, from)
	switch {
	case m.salvage && corrupt(err):
		return fail(doctor.Unreadable, "%w", err)
	case slices.ContainsFunc([]error{sqlite.ErrReadOnly, sqlite.ErrNoFile, sqlite.ErrAlien}, func(e error) bool { return errors.Is(err, e) }):
		return fail("FROM must be a database of precis", "%w", err)
	case err != nil:
		return err
	}
	target, err := m.openAny(ctx, to)
	if slices.ContainsFunc([]error{sqlite.ErrReadOnly, sqlite.ErrNoFile, sqlite.ErrAlien}, func(e error) bool { return errors.Is(err, e) }) {
		err = fail("choose another place for TO", "%w", err)
	}
	if err != nil {
		return errors.Join(err, source.Close())
	}
	return errors.Join(m.copy(ctx, source, target, m.salvage), target.Close(), source.Close())
}

// source is how FROM is opened.
func (m *mover) source() *database {
	d := *m.database
	d.blobs = cmp.Or(m.fromBlobs, d.blobs)
	return &d
}

// openSource opens a database to be copied from, which may be in the clear although there
// is a key: then that is for the copy.
func (d *database) openSource(ctx context.Context, path string) (store.Maintained, error) {
	s, err := d.openFrom(ctx, path)
	if !errors.Is(err, sqlite.ErrClear) && !errors.Is(err, postgres.ErrClear) {
		return s, err
	}
	clear := *d
	clear.noKey = true
	return clear.openFrom(ctx, path)
}

// openFrom opens a database for reading only where it cannot be written.
func (d *database) openFrom(ctx context.Context, path string) (store.Maintained, error) {
	s, err := d.openAny(ctx, path)
	if !errors.Is(err, sqlite.ErrReadOnly) {
		return s, err
	}
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	read, err := sqlite.OpenReadOnly(ctx, path, o)
	if err != nil {
		return nil, err // and no store: a nil one would be one
	}
	return read, nil
}

func (d *database) copy(ctx context.Context, from, to store.Maintained, salvage bool) error {
	progress := func(done, of int) { d.progress(fmt.Sprintf("copying thread %d of %d", done, of)) }
	var r transfer.Result
	var err error
	if salvage {
		r, err = transfer.Salvage(ctx, from, to, corrupt, progress)
	} else {
		r, err = transfer.Copy(ctx, from, to, progress)
	}
	if err != nil {
		return err
	}
	if d.json {
		return d.object(r)
	}
	for _, x := range r.Damaged {
		lost := "its newest plan is lost"
		if x.Lost > 0 {
			lost = term.Comma(x.Lost) + " behind them lost, and plans of them"
		}
		fmt.Fprintf(d.out, "%s is damaged: %s saved, %s\n", term.Clean(x.Thread), term.Count(x.Messages, "message"), lost)
	}
	_, err = fmt.Fprintf(d.out, "%s copied, %s compared and equal\n", term.Count(r.Messages, "message")+" and "+term.Count(r.Plans, "plan"), term.Count(r.Verified, "thread"))
	return err
}

// corrupt reports whether an error says that a database is damaged.
func corrupt(err error) bool {
	return errors.Is(err, sqlite.ErrCorrupt) || errors.Is(err, postgres.ErrCorrupt)
}
