//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// call is an operation on one thread, and what it returned.
type call struct {
	kind string // append, commit, head
	text string // of append
	tip  string // of append: what it follows
	plan int    // of commit
}

type result struct {
	err  string // "", stale, or unknown: it may have happened
	tip  string // of head
	plan int    // of head
}

// state of a thread: its tip and the version of its plan.
type state struct {
	tip  string
	plan int
}

// model is what a thread does where nothing fails and nobody else is there.
var model = porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{}} },
	Step: func(st, input, output any) []any {
		s, in, out := st.(state), input.(call), output.(result)
		done := s
		var ok bool
		switch in.kind {
		case "head":
			if out.err == "unknown" || out.tip == s.tip && out.plan == s.plan {
				return []any{s}
			}
			return nil
		case "append":
			ok, done.tip = s.tip == in.tip, in.text
		case "commit":
			ok, done.plan = s.plan == in.plan-1, in.plan
		}
		switch {
		case out.err == "unknown" && ok:
			return []any{s, done}
		case out.err == "unknown":
			return []any{s}
		case (out.err == "") == ok:
			return map[bool][]any{true: {done}, false: {s}}[ok]
		}
		return nil
	},
}

// history runs clients on one thread until the faults end, and checks that what they saw
// is what one client after the other could have seen.
func history(t *testing.T, attack *hostile.Attack, s []store.Store, fault func(n int)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	k := store.Key{Thread: t.Name()}
	_, err := s[0].Append(ctx, k, store.Batch{Now: now})
	noError(t, err)
	var mu sync.Mutex
	var ops []porcupine.Operation
	begun := time.Now()
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil && n < 1000; n++ {
				at := time.Since(begun).Nanoseconds()
				in, out := one(ctx, s[c%len(s)], k, fmt.Sprintf("%d/%d", c, n))
				end := time.Since(begun).Nanoseconds()
				if out.err == "unknown" {
					end = int64(1) << 60 // it may happen at any time from here on
				}
				mu.Lock()
				ops = append(ops, porcupine.Operation{ClientId: c, Input: in, Call: at, Output: out, Return: end})
				mu.Unlock()
				time.Sleep(rand.N(4 * time.Millisecond))
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(ops)
	}
	for n := 0; n < attack.N || count() < 100; n++ {
		fault(n)
	}
	cancel()
	wg.Wait()
	m := model.ToModel()
	unknown := 0
	for _, op := range ops {
		if op.Output.(result).err == "unknown" {
			unknown++
		}
	}
	verdict := porcupine.CheckOperationsTimeout(m, ops, 2*time.Minute)
	attack.Found("%d operations, %d of them with an unknown outcome: linearizable is %s", len(ops), unknown, verdict)
	if verdict != porcupine.Ok {
		t.Errorf("%d operations: %s", len(ops), verdict)
	}
}

// one reads the thread, and then appends, commits, or nothing. Entries are named by their
// ids.
func one(ctx context.Context, s store.Store, k store.Key, text string) (call, result) {
	h, err := s.Head(context.WithoutCancel(ctx), k)
	seen := result{tip: string(h.Tip), plan: h.PlanVersion}
	switch draw := rand.IntN(3); {
	case err != nil:
		return call{kind: "head"}, result{err: "unknown"}
	case draw == 0 || draw == 1 && h.Len == 0:
		return call{kind: "head"}, seen
	case draw == 1:
		err = s.Commit(context.WithoutCancel(ctx), k, &plan.Plan{Base: h.Tip, Version: h.PlanVersion + 1, CreatedAt: now, Policy: text}, nil)
		return call{kind: "commit", plan: h.PlanVersion + 1}, result{err: outcome(err)}
	}
	es := chain(h.Tip, text)
	_, err = s.Append(context.WithoutCancel(ctx), k, store.Batch{Tip: h.Tip, Entries: es, Now: now})
	return call{kind: "append", tip: string(h.Tip), text: string(es[0].ID)}, result{err: outcome(err)}
}

func outcome(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, store.ErrStale):
		return "stale"
	}
	return "unknown"
}

// Connections that are cut and delayed in the middle of writes: every history is one
// that could have happened without.
//
// SPEC: V1, L17, B14
func TestLinearizableWhileConnectionsAreCut(t *testing.T) {
	attack := hostile.Begin(t, "cuts", 20, 400)
	url := clear(t)
	c, through := cutting(t, url)
	var stores []store.Store
	for range 2 {
		s, err := postgres.Open(t.Context(), through, postgres.Options{})
		noError(t, err)
		t.Cleanup(func() { noError(t, s.Close()) })
		stores = append(stores, s)
	}
	history(t, attack, stores, func(n int) {
		c.set([]time.Duration{0, 3 * time.Millisecond, 20 * time.Millisecond}[n%3], n%7 == 6)
		time.Sleep(rand.N(40 * time.Millisecond))
		c.cut(0.7)
		c.set(0, false)
		time.Sleep(rand.N(40 * time.Millisecond))
	})
	t.Log(c)
}

// The server is killed with kill -9 and recovers: every history is one that could have
// happened without.
//
// SPEC: V1, L17, B14
func TestLinearizableWhileTheServerIsKilled(t *testing.T) {
	attack := hostile.Begin(t, "serverkills", 2, 25)
	server := testpostgres.Start(t, "fsync=on")
	url := server.URL("postgres")
	_, err := postgres.Migrate(t.Context(), url)
	noError(t, err)
	var stores []store.Store
	for range 2 {
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		noError(t, err)
		t.Cleanup(func() { noError(t, s.Close()) })
		stores = append(stores, s)
	}
	history(t, attack, stores, func(int) {
		time.Sleep(150*time.Millisecond + rand.N(150*time.Millisecond))
		server.Kill()
		noError(t, server.Run())
		time.Sleep(200 * time.Millisecond)
	})
}

// Many more callers than connections: they wait, and nothing is lost.
//
// SPEC: B14
func TestPoolExhausted(t *testing.T) {
	attack := hostile.Begin(t, "pool", 100, 2000)
	s, err := postgres.Open(t.Context(), clear(t)+"&pool_max_conns=2", postgres.Options{})
	noError(t, err)
	t.Cleanup(func() { noError(t, s.Close()) })
	var wg sync.WaitGroup
	errs := make([]error, attack.N)
	for n := range attack.N {
		wg.Go(func() {
			_, errs[n] = s.Append(t.Context(), store.Key{Thread: fmt.Sprint(n % 10)}, store.Batch{Entries: chain("", fmt.Sprint(n)), Now: now})
		})
	}
	wg.Wait()
	kept, stale := 0, 0
	for _, err := range errs {
		switch {
		case err == nil:
			kept++
		case errors.Is(err, store.ErrStale):
			stale++
		default:
			t.Error(err)
		}
	}
	attack.Found("%d callers at once over 2 connections: %d appended, %d were not first, none failed; %d waits", attack.N, kept, stale, s.Connections().Waits)
	if kept != 10 {
		t.Errorf("%d threads, want 10", kept)
	}
}

// A replica takes over from a server that was killed: with synchronous commit on a
// standby nothing acknowledged is lost. Without, what the standby had not received is.
//
// SPEC: V1, B14
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts four servers")
	}
	for _, synchronous := range []bool{true, false} {
		t.Run(fmt.Sprintf("synchronous %t", synchronous), func(t *testing.T) {
			attack := hostile.Begin(t, "failovers", 200, 5000)
			server := testpostgres.Start(t, "fsync=on", "wal_level=replica", "max_wal_senders=4")
			_, err := postgres.Migrate(t.Context(), server.URL("postgres"))
			noError(t, err)
			replica, err := server.Replica("standby")
			noError(t, err)
			t.Cleanup(replica.Stop)
			if synchronous {
				_, err = server.Query(t.Context(), "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
				noError(t, err)
				_, err = server.Query(t.Context(), "postgres", "SELECT pg_reload_conf()")
				noError(t, err)
				for n := 0; n < 100; n++ {
					is, _ := server.Query(t.Context(), "postgres", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
					if is == "1" {
						break
					}
					time.Sleep(50 * time.Millisecond)
				}
			}
			url := fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?sslmode=disable&target_session_attrs=read-write", server.Port, replica.Port)
			s, err := postgres.Open(t.Context(), url, postgres.Options{Patience: 20 * time.Second})
			noError(t, err)
			defer func() { noError(t, s.Close()) }()
			k := store.Key{Thread: "main"}
			var acknowledged []string
			for n := range attack.N {
				if n == attack.N/2 {
					server.Kill()
					noError(t, replica.Promote())
				}
				h, err := s.Head(t.Context(), k)
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Fatal(err)
				}
				text := fmt.Sprintf("<%d>", n)
				_, err = s.Append(t.Context(), k, store.Batch{Tip: h.Tip, Entries: chain(h.Tip, text), Now: now})
				noError(t, err)
				acknowledged = append(acknowledged, text)
			}
			es, err := s.Load(t.Context(), k)
			noError(t, err)
			said := ""
			for _, e := range es {
				said += e.Message.Parts[0].Text
			}
			lost := 0
			for _, text := range acknowledged {
				if !strings.Contains(said, text) {
					lost++
				}
			}
			attack.Found("synchronous_commit %v on a standby: %d of %d acknowledged appends lost", synchronous, lost, len(acknowledged))
			if synchronous && lost > 0 {
				t.Errorf("lost %d", lost)
			}
		})
	}
}
