package precis_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token"
)

// Two conversations that hold the same messages share nothing but bytes: what is erased in
// one leaves the other's plans and its next prompt as they were.
//
// SPEC: V1, V8
func TestErasureLeavesAnotherConversation(t *testing.T) {
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, st := range map[string]store.Store{"memory": memory.New(), "file": file} {
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
		ms := work(120, 10)
		prompt := func(name string) string {
			return printed(prepared(t, e, precis.Input{Thread: name, Messages: ms, Meter: token.Truncate(), Budget: 4_000}).Messages)
		}
		prompt("one")
		before := prompt("two")
		p, err := st.Plan(t.Context(), store.Key{Thread: "two"})
		if err != nil || len(p.Records) == 0 {
			t.Fatal(name, err)
		}
		if err := e.Erase(t.Context(), "one", idOf(ms, 3), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
			t.Fatal(err)
		}
		after, err := st.Plan(t.Context(), store.Key{Thread: "two"})
		if err != nil || after.Version != p.Version || len(after.Records) != len(p.Records) {
			t.Errorf("%s: %d records of %d are left: %v", name, len(after.Records), len(p.Records), err)
		}
		if prompt("two") != before {
			t.Errorf("%s: the prompt of the other conversation changed", name)
		}
	}
}
