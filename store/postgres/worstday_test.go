//go:build linux

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/internal/tests3"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/thread"
)

// smallDisk mounts a disk of so many megabytes, or skips the test where that is not allowed.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "precis-disk-") // not t.TempDir, which the server's user cannot enter
	noError(t, err)
	t.Cleanup(func() { noError(t, os.Remove(dir)) })
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes), "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	return dir
}

// The disk of the database is full: whoever writes is told so, nothing that was acknowledged
// is lost, what is there can be read as long as the server runs, and with room again
// everything goes on.
//
// SPEC: V1, V9, B14
func TestDiskOfTheDatabaseFull(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	attack := hostile.Begin(t, "fulldisks", 1, 5)
	disk := smallDisk(t, 256)
	t.Setenv("TMPDIR", disk)
	server := testpostgres.Start(t, "fsync=on", "min_wal_size=32MB", "max_wal_size=32MB", "shared_buffers=16MB")
	_, err := postgres.Migrate(t.Context(), server.URL("postgres"))
	noError(t, err)
	s, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Patience: 200 * time.Millisecond})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	k, ballast := store.Key{Thread: "main"}, filepath.Join(disk, "ballast")
	var acknowledged []thread.Entry
	write := func() error {
		tip := thread.ID("")
		if n := len(acknowledged); n > 0 {
			tip = acknowledged[n-1].ID
		}
		es := chain(tip, noise(fmt.Sprint(len(acknowledged))))
		if _, err := s.Append(t.Context(), k, store.Batch{Tip: tip, Entries: es, Now: now}); err != nil {
			return err
		}
		acknowledged = append(acknowledged, es...)
		return nil
	}
	full, gone, crashed := 0, 0, 0
	for range attack.N {
		for range 20 {
			noError(t, write())
		}
		fill(t, ballast)
		failed := 0
		for n := 0; failed < 5 && n < 20_000; n++ {
			switch err := write(); {
			case err == nil:
			case errors.Is(err, postgres.ErrFull):
				full, failed = full+1, failed+1
			case errors.Is(err, postgres.ErrUnavailable):
				gone, failed = gone+1, failed+1
			default:
				t.Fatal(err)
			}
		}
		if failed == 0 {
			t.Fatal("the disk was never full")
		}
		noError(t, os.Remove(ballast))
		if err := s.Ping(t.Context()); err != nil { // it stops where it cannot write its log
			crashed++
			server.Kill()
			noError(t, server.Run())
		}
		err := write() // what failed may have been written
		for try := 0; errors.Is(err, postgres.ErrUnavailable) && try < 100; try++ {
			time.Sleep(50 * time.Millisecond)
			err = write()
		}
		noError(t, err)
		es, err := s.Load(t.Context(), k)
		noError(t, err)
		for i, e := range acknowledged {
			if i >= len(es) || es[i].ID != e.ID {
				t.Fatalf("message %d of %d is lost", i, len(acknowledged))
			}
		}
	}
	attack.Found("%d acknowledged appends, none lost; refused %d times as full, %d times as gone; the server stopped %d times", len(acknowledged), full, gone, crashed)
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	noError(t, err)
	defer func() { _ = f.Close() }() // it could not be written whole: that is the point
	piece := make([]byte, 1<<16)
	for err == nil {
		_, err = f.Write(piece)
	}
}

// The blob store is slow, cuts connections and stops answering: what was acknowledged can
// be read whole, no reader gets another conversation, what is small waits for nothing, and
// a call ends when its context does.
//
// SPEC: V1, V9, B14
func TestBlobStoreSlow(t *testing.T) {
	attack := hostile.Begin(t, "slowblobs", 10, 300)
	shared, server := server, tests3.Start(t)
	to := fmt.Sprintf("127.0.0.1:%d", server.Port)
	c := cuttingAt(t, to)
	blobs, err := blob.Open(t.Context(), strings.Replace(server.URL(), to, c.listener.Addr().String(), 1))
	noError(t, err)
	s := open(t, postgres.Options{Blobs: blobs})
	var wg sync.WaitGroup
	kept, refused := make([]int, 4), make([]int, 4)
	text := func(w, n int) string {
		return noise(fmt.Sprint(w, "/", n, "a")) + noise(fmt.Sprint(w, "/", n, "b")) + noise(fmt.Sprint(w, "/", n, "c"))
	}
	done := make(chan struct{})
	for w := range kept {
		wg.Go(func() {
			tip, k := thread.ID(""), store.Key{Thread: fmt.Sprint("thread ", w)}
			for n := 0; n < attack.N; n++ {
				es := chain(tip, text(w, kept[w]))
				if _, err := s.Append(t.Context(), k, store.Batch{Tip: tip, Entries: es, Now: now}); err != nil {
					refused[w]++
					continue
				}
				tip, kept[w] = es[0].ID, kept[w]+1
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	for n := 0; ; n++ {
		select {
		case <-done:
		case <-time.After(10 * time.Millisecond):
			c.set([]time.Duration{0, 2 * time.Millisecond, 8 * time.Millisecond}[n%3], false)
			if n%5 == 4 {
				c.cut(0.5)
			}
			continue
		}
		break
	}
	c.set(0, false)
	total, no := 0, 0
	for w := range kept {
		es, err := s.Load(t.Context(), store.Key{Thread: fmt.Sprint("thread ", w)})
		if kept[w] == 0 && errors.Is(err, store.ErrNotFound) {
			continue
		}
		noError(t, err)
		for n := range kept[w] {
			if n >= len(es) || es[n].Message.Parts[0].Text != text(w, n) {
				t.Fatalf("thread %d: message %d of %d is lost", w, n, kept[w])
			}
		}
		total, no = total+kept[w], no+refused[w]
	}
	if total == 0 {
		t.Error("nothing was written: this test proves nothing")
	}
	// It stops answering altogether.
	if blobs, err = blob.Open(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	hurried, err := postgres.Open(t.Context(), shared.URL("postgres"), postgres.Options{Blobs: blobs, BlobPatience: 100 * time.Millisecond})
	noError(t, err)
	defer func() { noError(t, hurried.Close()) }()
	server.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	k := store.Key{Thread: "during"}
	_, err = s.Append(ctx, k, store.Batch{Entries: chain("", text(9, 9)), Now: now})
	if err == nil || ctx.Err() == nil {
		t.Errorf("what could not be written was acknowledged: %v", err)
	}
	_, err = s.Append(t.Context(), k, store.Batch{Entries: chain("", "small"), Now: now})
	noError(t, err)
	_, err = hurried.Append(t.Context(), store.Key{Thread: "hurried"}, store.Batch{Entries: chain("", text(9, 9)), Now: now})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call without a deadline of its own ends with %v", err)
	}
	server.Continue()
	attack.Found("%d large messages acknowledged, all of them read whole; %d refused; %s", total, no, c)
}
