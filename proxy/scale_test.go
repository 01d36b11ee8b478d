//go:build unix

package proxy_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// TestScaleNodes measures three nodes over one database against one node over a file.
func TestScaleNodes(t *testing.T) {
	scaling(t)
	c := newNodes(t, 3, durable...)
	one := newNodes(t, 0)
	p := serving(t, c.all[0].path, one.up.url, 200_000)
	p.args = append(p.args, "--recall", "off")
	one.all, one.urls = []*process{p}, []string{p.start()}
	defer p.kill()
	for _, x := range []struct {
		name string
		c    *nodes
	}{{"three nodes, PostgreSQL", c}, {"one node, SQLite", one}} {
		for _, kb := range []int{60, 600} {
			mixed(t, x.name, x.c, kb)
		}
		hot(t, x.name, x.c)
	}
}

// TestScaleStore measures the database's own share: cold threads, appends against bare
// inserts, and many threads stored.
func TestScaleStore(t *testing.T) {
	threads := scaling(t)
	c := newNodes(t, 0, durable...)
	s, err := postgres.Open(t.Context(), c.server.URL("postgres"), postgres.Options{})
	check(t, err)
	defer func() { check(t, s.Close()) }()
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
	check(t, err)
	defer func() { check(t, file.Close()) }()
	for name, s := range map[string]store.Store{"PostgreSQL": s, "SQLite": file} {
		cold(t, name, s, 1_000)
		cold(t, name, s, 100_000)
	}
	inserts(t, c, s)
	stored(t, c, s, threads/100)
	stored(t, c, s, threads)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// quantiles are the median and the 99th percentile.
func quantiles(all []time.Duration) string {
	slices.Sort(all)
	ms := func(q float64) float64 { return float64(all[int(q*float64(len(all)-1))].Microseconds()) / 1000 }
	return fmt.Sprintf("%d requests, p50 %.1f ms, p99 %.1f ms", len(all), ms(0.5), ms(0.99))
}

// mixed sends requests of eight conversations of so many kB, four at once, to any node,
// and the same to the provider, for what is added.
func mixed(t *testing.T, name string, c *nodes, kb int) {
	t.Helper()
	var mu sync.Mutex
	var direct, through, added []time.Duration
	var wg sync.WaitGroup
	begun := time.Now()
	for w := range 4 {
		wg.Go(func() {
			for n := range 2 {
				k := &dialogue{thread: fmt.Sprintf("mixed %s %d/%d/%d", name, kb, w, n)}
				for range kb * 1000 / 1300 {
					k.ask()
					k.said()
				}
				for range 12 {
					k.ask()
					one, two := timed(t, c, c.up.url, k), timed(t, c, c.any(), k)
					mu.Lock()
					direct, through, added = append(direct, one), append(through, two), append(added, two-one)
					mu.Unlock()
					k.said()
				}
			}
		})
	}
	wg.Wait()
	n := len(through)
	t.Logf("| %s, conversations of %d kB, four at once | %s | direct: %s | added: %s | %.0f requests a second |",
		name, kb, quantiles(through), quantiles(direct), quantiles(added), float64(n)/time.Since(begun).Seconds())
}

func timed(t *testing.T, c *nodes, url string, k *dialogue) time.Duration {
	begun := time.Now()
	if err := c.send(t.Context(), url, k); err != nil {
		t.Error(err)
	}
	return time.Since(begun)
}

// hot sends 50 requests a second of one thread to all nodes.
func hot(t *testing.T, name string, c *nodes) {
	t.Helper()
	k := &dialogue{thread: "hot " + name}
	for range 40 {
		k.ask()
		k.said()
	}
	k.ask()
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 300 {
		<-tick.C
		wg.Go(func() {
			took := timed(t, c, c.any(), k)
			mu.Lock()
			all = append(all, took)
			mu.Unlock()
		})
	}
	wg.Wait()
	t.Logf("| %s, one thread at 50 requests a second | %s |", name, quantiles(all))
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
	t.Logf("| %s, a thread of %d messages: written in %.1f ms | read whole: %s | read for a client that has them: %s |",
		name, n, float64(wrote.Microseconds())/1000, whole, having)
}

// inserts compares appends with inserts of the same rows and nothing else, eight at once.
func inserts(t *testing.T, c *nodes, s *postgres.Store) {
	t.Helper()
	const seconds, workers = 4, 8
	es := longTalk(1000)
	run := func(f func(w, n int) error) float64 {
		ctx, cancel := context.WithTimeout(t.Context(), seconds*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		var mu sync.Mutex
		total := 0
		for w := range workers {
			wg.Go(func() {
				n := 0
				for ; n < len(es) && ctx.Err() == nil; n++ {
					if err := f(w, n); err != nil {
						t.Error(err)
						return
					}
				}
				mu.Lock()
				total += n
				mu.Unlock()
			})
		}
		begun := time.Now()
		wg.Wait()
		return float64(total) / time.Since(begun).Seconds()
	}
	prepared, err := postgres.Open(t.Context(), c.server.URL("postgres")+"&default_query_exec_mode=cache_statement", postgres.Options{})
	check(t, err)
	defer func() { check(t, prepared.Close()) }()
	bare := run(bareInserts(t, c.server.URL("postgres"), es, workers))
	for _, x := range []struct {
		name string
		s    *postgres.Store
	}{{"as behind a pooler", s}, {"statements prepared", prepared}} {
		appends := run(func(w, n int) error {
			_, err := x.s.Append(t.Context(), store.Key{Thread: fmt.Sprint(x.name, w)}, store.Batch{Tip: es[n].Parent, Entries: es[n : n+1], Now: time.Now()})
			return err
		})
		t.Logf("| appends of one message, eight at once, %s | %.0f a second; bare inserts of the same rows %.0f a second: %.0f %% |", x.name, appends, bare, appends/bare*100)
	}
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
	t.Logf("| %d threads of four messages stored (generated in %.0f s, %s) | head: %s | append: %s |", n, made.Seconds(), size, quantiles(heads), quantiles(appends))
}
