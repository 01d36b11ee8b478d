//go:build unix

package proxy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// scaling skips a test unless PRECIS_SCALE is set, as make bench-scale does: to how many
// threads are stored.
func scaling(t *testing.T) (threads int) {
	t.Helper()
	threads, err := strconv.Atoi(os.Getenv("PRECIS_SCALE"))
	if err != nil {
		t.Skip("make bench-scale")
	}
	return threads
}

// durable are the settings of a server that waits for the disk.
var durable = []string{"fsync=on", "shared_buffers=512MB", "max_wal_size=4GB"}

// TestScaleStore measures the database's own share: cold threads, and many threads stored.
func TestScaleStore(t *testing.T) {
	threads := scaling(t)
	c := newNodes(t, 0, durable...)
	s, err := postgres.Open(t.Context(), c.server.URL("postgres"), postgres.Options{})
	check(t, err)
	defer func() { check(t, s.Close()) }()
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
	check(t, err)
	defer func() { check(t, file.Close()) }()
	t.Log("| what | how many | p50 | p99 |")
	t.Log("|---|---|---|---|")
	for _, n := range []int{1_000, 100_000} {
		cold(t, "PostgreSQL", s, n)
		cold(t, "SQLite", file, n)
	}
	stored(t, c, s, threads/100)
	stored(t, c, s, threads)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// quantiles are three cells of a table: how many, their median and 99th percentile.
func quantiles(all []time.Duration) string {
	return fmt.Sprintf("%d | %.1f ms | %.1f ms", len(all), quantile(all, .5), quantile(all, .99))
}

// quantile is in milliseconds.
func quantile(all []time.Duration, q float64) float64 {
	slices.Sort(all)
	return float64(all[int(q*float64(len(all)-1))].Microseconds()) / 1000
}

// longTalk are so many messages of 600 bytes or so.
func longTalk(n int) []thread.Entry {
	ms := make([]message.Message, n)
	for i := range ms {
		text := strings.Repeat(fmt.Sprintf("line %d of a message. ", i*7919), 25)
		ms[i] = message.TextOf(message.User, text)
		ms[i].Raw, ms[i].Dialect = fmt.Appendf(nil, `{"role":"user","content":%q}`, text), "openai"
	}
	return thread.Extend("", ms)
}

// cold reads a thread of n messages that nobody remembers: whole, and for a client that
// brings its history.
func cold(t *testing.T, name string, s store.Store, n int) {
	t.Helper()
	es := longTalk(n)
	ms := make([]message.Message, n)
	k := store.Key{Thread: fmt.Sprint("cold ", n)}
	begun := time.Now()
	for from := 0; from < n; from += 1000 {
		_, err := s.Append(t.Context(), k, store.Batch{Tip: es[from].Parent, Entries: es[from:min(from+1000, n)], Now: time.Now()})
		check(t, err)
	}
	wrote := time.Since(begun)
	for i := range es {
		ms[i] = es[i].Message
	}
	read := func(f func() ([]thread.Entry, error)) string {
		var all []time.Duration
		for range max(5, 20_000/n) {
			begun := time.Now()
			_, err := f()
			check(t, err)
			all = append(all, time.Since(begun))
		}
		return quantiles(all)
	}
	whole := read(func() ([]thread.Entry, error) { return s.Load(t.Context(), k) })
	having := read(func() ([]thread.Entry, error) { return store.LoadHaving(t.Context(), s, k, ms) })
	t.Logf("| %s: write a thread of %d messages, 1,000 at once | %s |", name, n, quantiles([]time.Duration{wrote}))
	t.Logf("| %s: read all of it | %s |", name, whole)
	t.Logf("| %s: read it for a client that brings it | %s |", name, having)
}

// TestScaleAppends compares appends with inserts of the same rows and nothing else, eight
// at once: with statements that are planned each time, as behind a pooler, and with
// prepared ones.
func TestScaleAppends(t *testing.T) {
	scaling(t)
	c := newNodes(t, 0, durable...)
	t.Log("| appends of one message, eight at once | a second | bare inserts a second | share |")
	t.Log("|---|---|---|---|")
	es := longTalk(2000)
	for _, x := range []struct{ name, mode string }{{"as behind a pooler", "cache_describe"}, {"statements prepared", "cache_statement"}} {
		url := c.server.URL("postgres") + "&default_query_exec_mode=" + x.mode
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		check(t, err)
		name := func(w int) string { return fmt.Sprint(x.name, w) }
		appends := perSecond(t, len(es), func(w, n int) error {
			_, err := s.Append(t.Context(), store.Key{Thread: name(w)}, store.Batch{Tip: es[n].Parent, Entries: es[n : n+1], Now: time.Now()})
			return err
		})
		check(t, s.Close())
		b := newBare(t, url, name(0))
		for w := range workers {
			b.begin(t, w, name(0))
		}
		bare := perSecond(t, len(b.rows), func(w, n int) error { return b.insert(t, w, n) })
		t.Logf("| %s | %.0f | %.0f | %.0f %% |", x.name, appends, bare, appends/bare*100)
	}
}

// workers is how many write at once.
const workers = 8

// perSecond has each worker call f for numbers below n, for four seconds at most, and
// returns how many calls a second that were.
func perSecond(t *testing.T, n int, f func(worker, n int) error) float64 {
	t.Helper()
	end := time.Now().Add(4 * time.Second)
	var wg sync.WaitGroup
	var total atomic.Int64
	begun := time.Now()
	for w := range workers {
		wg.Go(func() {
			for i := 0; i < n && time.Now().Before(end); i++ {
				if err := f(w, i); err != nil {
					t.Error(err)
					return
				}
				total.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(total.Load()) / time.Since(begun).Seconds()
}

// stored fills the database up to n threads, and measures it then.
func stored(t *testing.T, c *nodes, s *postgres.Store, n int) {
	t.Helper()
	begun := time.Now()
	_, err := c.server.Query(t.Context(), "postgres", fmt.Sprintf(`
INSERT INTO threads (id, tenant, name, parent, source, created, tip, len, plan_version, erasures, updated)
SELECT substring(sha256(int8send(0)||convert_to('generated '||i,'UTF8')) for 16), '', convert_to('generated '||i,'UTF8'), '', 'openai',
  '2026-01-01T00:00:00.000000000Z', '\x00', 4, 0, 0, '2026-01-01T00:00:00.000000000Z' FROM generate_series(1, %d) i ON CONFLICT DO NOTHING;
INSERT INTO entries (thread, seq, id, digest, form, tokens, counter, erased, body)
SELECT substring(sha256(int8send(0)||convert_to('generated '||i,'UTF8')) for 16), j, substring(sha256(int8send(i*10+j)) for 16), sha256(int8send(i)), '', 100, 'o200k', false,
  decode(repeat(md5((i*10+j)::text), 20), 'hex') FROM generate_series(1, %[1]d) i, generate_series(0, 3) j ON CONFLICT DO NOTHING;
ANALYZE`, n))
	check(t, err)
	made := time.Since(begun)
	es := longTalk(1000)
	var heads, appends []time.Duration
	for i := range 300 {
		begun := time.Now()
		_, err := s.Head(t.Context(), store.Key{Thread: fmt.Sprintf("generated %d", 1+i*31%n)})
		check(t, err)
		heads = append(heads, time.Since(begun))
		begun = time.Now()
		_, err = s.Append(t.Context(), store.Key{Thread: fmt.Sprintf("among %d", n)}, store.Batch{Tip: es[i].Parent, Entries: es[i : i+1], Now: time.Now()})
		check(t, err)
		appends = append(appends, time.Since(begun))
	}
	size, err := c.server.Query(t.Context(), "postgres", `SELECT pg_size_pretty(pg_database_size('postgres'))`)
	check(t, err)
	t.Logf("| PostgreSQL with %d threads of four messages, %s, generated in %.0f s: read a head | %s |", n, size, made.Seconds(), quantiles(heads))
	t.Logf("| the same: append a message, durable | %s |", quantiles(appends))
}
