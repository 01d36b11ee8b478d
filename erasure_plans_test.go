package precis_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token"
)

// What is erased stands in no version of a plan, in no prompt of this process or of
// another that had the conversation in memory, and in no byte of the file.
//
// SPEC: V1, V10
func TestErasureReachesPlans(t *testing.T) {
	const secret = "hunter2-4711"
	quoted := false
	for _, policy := range []string{"balanced", "session", "ladder", "timeline"} {
		t.Run(policy, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.db")
			st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, policy)})
			other := newWith(t, precis.Options{Store: st, Policy: policyOf(t, policy)})
			ms := work(60, 10)
			ms = append([]message.Message{
				ms[0], message.TextOf(message.Assistant, "Yes?"),
				message.TextOf(message.User, "Never use the token "+secret+" in tests/auth.go."), message.TextOf(message.Assistant, "I will not."),
			}, ms[1:]...)
			for n := 21; n < len(ms)-4; n += 2 {
				for _, x := range []*precis.Engine{e, other} {
					if _, err := x.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms[:n], Meter: token.Truncate(), Budget: 4_000}); err != nil {
						t.Fatal(err)
					}
				}
			}
			k := store.Key{Thread: "t"}
			quoted = quoted || inPlans(t, st, k, secret)
			if err := e.Erase(t.Context(), "t", idOf(ms, 2), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
				t.Fatal(err)
			}
			if inPlans(t, st, k, secret) {
				t.Error("a plan quotes what was erased")
			}
			for _, x := range []*precis.Engine{e, other} {
				for n := len(ms) - 4; n <= len(ms); n += 2 {
					turn, err := x.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms[:n], Meter: token.Truncate(), Budget: 4_000})
					if err != nil {
						t.Fatal(err)
					}
					if !strings.Contains(printed(turn.Messages), "erased") && turn.Outcome != precis.Compacted {
						t.Errorf("the prompt of %d messages shows no tombstone", n)
					}
					if strings.Contains(printed(turn.Messages), secret) {
						t.Errorf("the prompt of %d messages shows what was erased, in process %v", n, x == e)
					}
				}
			}
			if inPlans(t, st, k, secret) {
				t.Error("a plan made after the erasure quotes it")
			}
			for _, file := range []string{path, path + "-wal"} {
				if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(secret)) {
					t.Errorf("%s holds it", filepath.Ext(file))
				}
			}
		})
	}
	if !quoted {
		t.Error("no plan quoted it before")
	}
}

// inPlans reports whether any version of a thread's plan holds a text.
func inPlans(t *testing.T, s store.Store, k store.Key, text string) bool {
	t.Helper()
	vs, err := s.PlanVersions(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vs {
		p, err := s.PlanAt(t.Context(), k, v.Version)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

// The plan that is left after an erasure counts the tombstone in the place of what the
// message said, as the next request does, however often the message is erased.
//
// SPEC: V1, V10
func TestErasureCountsTheTombstone(t *testing.T) {
	for _, at := range []int{3, 100} { // left out, and in the prompt
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
		in := request("t", work(120, 10), 4_000)
		in.Meter = token.Meter{}
		in.Messages[at].Parts[0].Text += strings.Repeat(" and what else was said of it", 100)
		turn := prepared(t, e, in)
		if turn.Plan == nil {
			t.Fatal(turn.Outcome, turn.Compacted)
		}
		for range 2 {
			if err := e.Erase(t.Context(), "t", idOf(in.Messages, at), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
				t.Fatal(err)
			}
			p, err := st.Plan(t.Context(), store.Key{Thread: "t"})
			if err != nil {
				t.Fatal(err)
			}
			in.Mode.NoCompact = true
			next := prepared(t, e, in)
			if next.Original >= turn.Original || p.Original != next.Original || p.Compacted != next.Compacted {
				t.Errorf("message %d: the plan counts %d and %d tokens, the next request has %d and %d, and had %d", at, p.Original, p.Compacted, next.Original, next.Compacted, turn.Original)
			}
		}
	}
}

// A write that fails after an erasure is reported, and takes no record out of a plan that
// does not quote what was erased.
//
// SPEC: V1, V9
func TestFailedErasureLeavesThePlan(t *testing.T) {
	st := &uncommitting{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	turn := prepared(t, e, request("t", work(120, 10), 4_000))
	last := turn.Thread.At(turn.Thread.Len() - 1).ID
	if turn.Plan == nil {
		t.Fatal(turn.Outcome, turn.Compacted)
	}
	before := len(turn.Plan.Records)
	for _, fails := range []int32{1, 0} {
		st.fails.Store(fails)
		err := e.Erase(t.Context(), "t", last, artifact.Tombstone{At: time.Now(), Reason: "asked"})
		if failed := errors.Is(err, errDisk); failed != (fails > 0) || err != nil && !failed {
			t.Errorf("%d writes fail: %v", fails, err)
		}
		p, err := st.Plan(t.Context(), store.Key{Thread: "t"})
		if err != nil || before == 0 || len(p.Records) != before {
			t.Fatalf("%d writes fail: %d records of %d are left: %v", fails, len(p.Records), before, err)
		}
	}
}

// uncommitting is a store whose next commits fail.
type uncommitting struct {
	store.Store
	fails atomic.Int32
}

func (s *uncommitting) Commit(ctx context.Context, k store.Key, p *plan.Plan, as []artifact.Artifact) error {
	if s.fails.Add(-1) >= 0 {
		return errDisk
	}
	return s.Store.Commit(ctx, k, p, as)
}
