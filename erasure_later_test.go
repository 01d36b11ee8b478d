package precis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// What the model looked up of a message goes with the message, also where it looked from
// a conversation that goes on from the message's.
//
// SPEC: B11, B23
func TestErasureReachesLaterLookUps(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	old := []message.Message{message.TextOf(message.User, "The token is hunter2-4711. Port the billing service.")}
	summary := strings.Repeat("The billing service was ported, and its handlers were tested one by one. ", 5)
	turn := prepared(t, e, request("old", old, 80_000))
	if err := e.RecordReply(t.Context(), turn, []message.Message{message.TextOf(message.Assistant, summary)}); err != nil {
		t.Fatal(err)
	}
	later := prepared(t, e, request("new", []message.Message{message.TextOf(message.User, "You did this:\n"+summary+"\nGo on.")}, 80_000))
	if len(later.Earlier) != 1 || later.Earlier[0].Thread != "old" {
		t.Fatalf("goes on from %v", later.Earlier)
	}
	up := store.Key{Thread: "new"}.Upstream()
	if _, err := st.Append(t.Context(), up, store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.Tool, "earlier1:#1 The token is hunter2-4711.")}), Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := e.Erase(t.Context(), "old", idOf(old, 0), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	es, err := st.Load(t.Context(), up)
	if err != nil || !es[0].Erased {
		t.Errorf("%v: the look-up stands: %v", err, es)
	}
}
