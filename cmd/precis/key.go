package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

const keyLong = `Key makes and changes the file of keys with which a database is sealed: messages,
plans, summaries, artifacts and names stand in it encrypted then. Every command
takes the file with --key FILE, or from the variable PRECIS_KEY.

A database that is made with a key is sealed. "precis db seal" seals one that is
there already. What stays readable in a sealed file stands in docs/security.md.

To change keys: "precis key rotate" adds a key that seals from now on. Give the new
file to every program that uses the database, on every node, and restart all of them: one
with the old file cannot read what the others write, and seals with the old key. Then
"precis db seal" moves every database to the new key, and after that "precis key remove
ID" takes the old one out.

Keep a copy of the file, apart from the database: without it nothing that is sealed
can ever be read again.`

// keyEnv names the key file where --key does not.
const keyEnv = "PRECIS_KEY"

func keyCommand(db *database) *cobra.Command {
	create := &cobra.Command{
		Use: "new [FILE]", Short: "make a key file", Args: arguments(0, 1),
		Example: "  precis key new ~/.precis.key\n  export PRECIS_KEY=~/.precis.key",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				db.key = args[0]
			}
			return keyNew(db)
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "the keys of the file, without their secrets", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return db.withKeys(func(r *seal.Keyring) error { return keyList(db.streams, r) })
		},
	}
	rotate := &cobra.Command{
		Use: "rotate", Short: "add a key that seals from now on", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return db.changeKeys((*seal.Keyring).Rotate, func(old string) string {
				return "restart whatever uses the database, on every node, with this file; then precis db seal, then precis key remove " + old
			})
		},
	}
	remove := &cobra.Command{
		Use: "remove ID", Short: "take an old key out, once no database needs it", Args: arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			return db.changeKeys(func(r *seal.Keyring) (*seal.Keyring, error) { return r.Remove(args[0]) },
				func(string) string { return "what it sealed cannot be read any more" })
		},
	}
	repeats("key", list, rotate, remove)
	return group("key", "the keys that seal a database", keyLong, create, list, rotate, remove)
}

// keyPath is the key file, "" where none was named.
func (d *database) keyPath() string {
	switch {
	case d.noKey:
		return ""
	case d.key != "":
		return d.key
	}
	return os.Getenv(keyEnv)
}

// keys are those that seal the database, nil where no file was named.
func (d *database) keys() (*seal.Keyring, error) {
	path := d.keyPath()
	if path == "" {
		return nil, nil
	}
	r, err := seal.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail("precis key new "+term.Quote(path)+" makes one", "%w", err)
	}
	if err != nil {
		return nil, fail("name the file that precis key new made, with --key FILE or "+keyEnv, "%w", err)
	}
	return r, nil
}

// withKeys runs f on the keys that there must be.
func (d *database) withKeys(f func(*seal.Keyring) error) error {
	r, err := d.keys()
	if err != nil {
		return err
	}
	if r == nil {
		return usage("name it with --key FILE or "+keyEnv+"; precis key new FILE makes one", "find key file: none is named")
	}
	return f(r)
}

func keyNew(d *database) error {
	path := d.keyPath()
	if path == "" {
		return usage("precis key new FILE", "make key file: no file is named")
	}
	r, err := seal.Generate()
	if err == nil {
		err = r.CreateFile(path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fail("precis key rotate adds a key to it; or choose another name", "%w", err)
	}
	if err != nil {
		return err
	}
	d.note("keep a copy of %s apart from the database: without it nothing that is sealed can be read", path)
	if d.json {
		return d.object(map[string]string{"file": path, "key": r.Primary()})
	}
	_, err = fmt.Fprintf(d.out, "%s: key %s\n", path, r.Primary())
	return err
}

func keyList(std *streams, r *seal.Keyring) error {
	type line struct {
		ID    string `json:"id"`
		Seals bool   `json:"seals"`
	}
	var all []line
	t := term.Table{}
	t.Add("key", "")
	for _, k := range r.Keys() {
		use := "opens what it sealed"
		if k.Primary {
			use = "seals"
		} else if k.Retired {
			use = "retired"
		}
		all = append(all, line{k.ID, k.Primary})
		t.Add(k.ID, use)
	}
	if std.json {
		return std.object(map[string]any{"keys": all})
	}
	fmt.Fprint(std.page, std.paper.Table(&t))
	return nil
}

// changeKeys writes the ring that change returns into the file, and notes what then says, which
// is told the key that sealed before.
func (d *database) changeKeys(change func(*seal.Keyring) (*seal.Keyring, error), then func(old string) string) error {
	return d.withKeys(func(r *seal.Keyring) error {
		next, err := change(r)
		if err == nil {
			err = next.ReplaceFile(d.keyPath())
		}
		if errors.Is(err, seal.ErrKey) {
			return fail("precis key list shows the keys", "%w", err)
		}
		if err != nil {
			return err
		}
		d.note("%s", d.again(then(r.Primary())))
		return keyList(d.streams, next)
	})
}

// sealCommand is precis db seal.
func sealCommand(db *database) *cobra.Command {
	return &cobra.Command{
		Use: "seal", Short: "seal the database, or move a sealed one to the newest key", Args: arguments(0, 0),
		Long: `Seal encrypts everything in the database that was said, with the newest key of the
key file; in one that is sealed it moves what older keys sealed. It writes the file
anew, for which it needs as much space again. Stop what uses the database first.

A PostgreSQL database is sealed from its beginning: the first program to open an empty
one with a key does that. There seal moves what older keys sealed, while nodes run, once
all of them were restarted with the new key file: see precis key --help.

What the disk held before is not overwritten by it: where that matters, seal from the
beginning, or keep the database on an encrypted disk.`,
		Example: "  precis key new ~/.precis.key\n  precis db seal --key ~/.precis.key",
		RunE: func(c *cobra.Command, _ []string) error {
			return db.withKeys(func(r *seal.Keyring) error {
				path, err := db.found()
				if err != nil {
					return err
				}
				n, err := db.sealAt(c.Context(), path, r)
				if err != nil {
					return err
				}
				if db.json {
					return db.object(map[string]any{"first": n.First, "contents": n.Contents, "key": r.Primary()})
				}
				_, err = fmt.Fprintf(db.out, "%s sealed with key %s: all of the database is sealed with it now\n", term.Count(n.Contents, "piece")+" of content", r.Primary())
				return err
			})
		},
	}
}

// sealAt seals a file; in a PostgreSQL database that is sealed it moves what older keys
// sealed.
func (d *database) sealAt(ctx context.Context, path string, r *seal.Keyring) (n sqlite.Resealed, err error) {
	if !postgres.IsURL(path) {
		return sqlite.Seal(ctx, path, sqlite.Options{Keys: r})
	}
	s, err := d.openURL(ctx, path, false)
	if err != nil {
		return n, err
	}
	n.Contents, err = s.Reseal(ctx, r)
	return n, errors.Join(err, s.Close())
}
