//go:build unix

package sqlite_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store"
)

// BenchmarkSealing does the same with a file in the clear and with a sealed one: a turn of
// two messages is logged behind a thousand, these are read, a plan of a thousand records
// is committed and read. It reports the size of the file that the thousand messages make,
// and the processor time, which waiting for the disk is no part of.
func BenchmarkSealing(b *testing.B) {
	for _, of := range []struct {
		name string
		keys *seal.Keyring
	}{{"clear", nil}, {"sealed", ring(b)}} {
		dir := b.TempDir()
		s := openSealed(b, dir, of.keys)
		r := rand.New(rand.NewPCG(1, 2))
		h, err := s.Append(b.Context(), mainKey, store.Batch{Entries: rounds(r, "", 1000), Now: now})
		noError(b, err)
		es, err := s.Load(b.Context(), mainKey)
		noError(b, err)
		noError(b, s.Commit(b.Context(), mainKey, thousand(es, 1, 0), nil))
		noError(b, s.Close())
		info, err := os.Stat(filepath.Join(dir, "precis.db"))
		noError(b, err)
		s = openSealed(b, dir, of.keys)
		b.Cleanup(func() { noError(b, s.Close()) })
		measure := func(what string, do func() error) {
			b.Run(what+"/"+of.name, func(b *testing.B) {
				began, n := processor(b), 0
				for ; b.Loop(); n++ {
					noError(b, do())
				}
				b.ReportMetric(float64(processor(b)-began)/float64(n), "cpu-ns/op")
				if what == "load" {
					b.ReportMetric(float64(info.Size())/1e6, "MB")
				}
			})
		}
		measure("load", func() error { _, err := s.Load(b.Context(), mainKey); return err })
		measure("plan", func() error { _, err := s.Plan(b.Context(), mainKey); return err })
		version := 1
		measure("commit", func() error {
			version++
			return s.Commit(b.Context(), mainKey, thousand(es, version, version%1000), nil)
		})
		turns := rounds(r, h.Tip, 2000)
		measure("append", func() error {
			if len(turns) == 0 { // they are made outside of what is measured, as far as they last
				turns = rounds(r, h.Tip, 2000)
			}
			h, err = s.Append(b.Context(), mainKey, store.Batch{Tip: h.Tip, Entries: turns[:2], Now: now})
			turns = turns[2:]
			return err
		})
	}
}

// processor is the time that this process has taken of processors.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	noError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
