//go:build unix

package postgres_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// The drill of docs/operating.md: a base backup and the archived log are restored to a time,
// over a blob store that is newer. What was acknowledged before that time is there and sound,
// what came later is not, and what the blob store has of it is collected.
//
// SPEC: V1, B14
func TestRestoreToATime(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts two servers")
	}
	server := testpostgres.Start(t, "fsync=on", "wal_level=replica", "archive_mode=on", "archive_timeout=60",
		"archive_command=cp %p ../archive/%f")
	archive, err := server.Folder("archive")
	noError(t, err)
	_, err = postgres.Migrate(t.Context(), server.URL("postgres"))
	noError(t, err)
	objects := t.TempDir()
	opened := func(url string) *postgres.Store {
		blobs, err := blob.Open(t.Context(), objects)
		noError(t, err)
		s, err := postgres.Open(t.Context(), url, postgres.Options{Blobs: blobs, BlobSize: 100})
		noError(t, err)
		t.Cleanup(func() { noError(t, s.Close()) })
		return s
	}
	s := opened(server.URL("postgres"))
	before, after := store.Key{Thread: "before"}, store.Key{Thread: "after"}
	whole(t, s, store.Key{Thread: "in the backup"}, now, "first")
	backup, err := server.Backup("backup")
	noError(t, err)
	es := whole(t, s, before, now, "second")
	at, err := server.Query(t.Context(), "postgres", `SELECT clock_timestamp()`)
	noError(t, err)
	whole(t, s, after, now, "third")
	_, err = s.Append(t.Context(), before, store.Batch{Tip: es[1].ID, Entries: chain(es[1].ID, noise("later")), Now: now})
	noError(t, err)
	last, err := server.Query(t.Context(), "postgres", `SELECT pg_walfile_name(pg_switch_wal())`)
	noError(t, err)
	deadline := time.Now().Add(time.Minute)
	for archived := ""; archived < last; {
		if time.Now().After(deadline) {
			failed, err := server.Query(t.Context(), "postgres", `SELECT last_failed_wal FROM pg_stat_archiver`)
			t.Fatalf("%s is not archived after a minute; last failed: %q, %v", last, failed, err)
		}
		time.Sleep(50 * time.Millisecond)
		archived, err = server.Query(t.Context(), "postgres", `SELECT coalesce(max(last_archived_wal), '') FROM pg_stat_archiver`)
		noError(t, err)
	}
	script, err := filepath.Abs("../../examples/nodes/restore.sh")
	noError(t, err)
	port, err := testpostgres.FreePort()
	noError(t, err)
	// Of a time that the archive does not reach the server ends, and the script with it.
	if err := server.Script(t.Context(), script, backup, archive, "2100-01-01 00:00:00+00", filepath.Join(server.Dir, "never"), fmt.Sprint(port)); err == nil {
		t.Error("restored to a time that has not come")
	}
	data := filepath.Join(server.Dir, "restored")
	noError(t, server.Script(t.Context(), script, backup, archive, at, data, fmt.Sprint(port)))
	t.Cleanup(func() { noError(t, server.StopAt(data)) })

	r := opened(fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port))
	found, n, err := r.Check(t.Context())
	noError(t, err)
	if len(found) != 0 || n != 14 {
		t.Errorf("%d pieces of content, found %v", n, found)
	}
	have, err := r.Load(t.Context(), before)
	noError(t, err)
	if len(have) != 2 {
		t.Errorf("%d messages", len(have))
	}
	_, err = r.Load(t.Context(), after)
	isError(t, err, store.ErrNotFound)
	left := len(files(t, objects))
	_, err = r.Collect(t.Context(), time.Now().Add(time.Minute))
	noError(t, err)
	if n := len(files(t, objects)); left != 16 || n != 10 {
		t.Errorf("%d objects of %d", n, left)
	}
	_, err = r.Append(t.Context(), before, store.Batch{Tip: es[1].ID, Entries: chain(es[1].ID, "it goes on"), Now: now})
	noError(t, err)
}
