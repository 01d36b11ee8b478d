package precis_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sealed"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// What a conversation externalizes is sealed in the file, keeps the sensitivity
// and the life its tool was declared with, comes back by itself only where the
// gate is open, opens after a rotation of keys, and expires.
//
// SPEC: L15, L16
func TestSealedArtifacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	file, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ring, err := seal.Generate()
	if err != nil {
		t.Fatal(err)
	}
	var bus event.Bus
	told := record(t, &bus)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	open := func(s store.Store) *precis.Engine {
		return newWith(t, precis.Options{
			Store: s, Policy: policyOf(t, "ladder"), Now: func() time.Time { return now }, Events: &bus,
			Tools: map[string]tool.Policy{
				"fetch_report": {Durability: tool.NonReplayable},
				"read_vault":   {Durability: tool.NonReplayable, Sensitivity: "confidential", TTL: time.Hour},
			},
		})
	}
	safe := sealed.Over(file, ring)
	history := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	for i := range 11 {
		name := []string{"fetch_report", "read_vault"}[i%2]
		history = append(history, round(i, name, fmt.Sprintf(`{"n":%d}`, i), "looking", lines(i, 90))...)
	}
	in := precis.Input{Thread: "t", Messages: history, Meter: token.Truncate(), Budget: 16_000}
	first, err := open(safe).Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	key := store.Key{Thread: "t"}
	list, err := safe.ArtifactList(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	var secret, plain string
	for _, a := range list {
		if a.KeyID == "" || a.Created.IsZero() {
			t.Errorf("artifact %s is not sealed or has no time: %+v", a.ID, a)
		}
		switch {
		case a.Sensitivity == artifact.Confidential && a.TTL == time.Hour:
			secret = a.ID
		case a.Tool == "fetch_report":
			plain = a.ID
		}
	}
	if secret == "" || plain == "" {
		t.Fatalf("artifacts: %+v", list)
	}
	raw, err := file.Artifact(t.Context(), key, secret)
	if err != nil || bytes.Contains(raw.Content, []byte("of the report on host-")) {
		t.Errorf("the file holds the words: %v", err)
	}
	if ring, err = ring.Rotate(); err != nil {
		t.Fatal(err)
	}
	safe = sealed.Over(file, ring)
	in.Messages = append(history, round(20, "look", `{}`, "I need "+secret+" and "+plain, "ok")...)
	turn, err := open(safe).Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(turn.Rehydrated) != 1 || turn.Rehydrated[0].Artifact != plain {
		t.Errorf("came back: %+v", turn.Rehydrated)
	}
	if len(turn.RehydrationSkipped) != 1 || turn.RehydrationSkipped[0].Artifact != secret || turn.RehydrationSkipped[0].Reason != rehydrate.Sensitivity {
		t.Errorf("held back: %+v", turn.RehydrationSkipped)
	}
	if n := count(told(), event.BlockedSensitivity); n != 1 {
		t.Errorf("%d events tell of the gate", n)
	}
	if n, err := safe.Expire(t.Context(), "", now.Add(2*time.Hour)); err != nil || n == 0 {
		t.Errorf("expired %d, %v", n, err)
	}
	if _, err := safe.Artifact(t.Context(), key, secret); !errors.Is(err, store.ErrErased) {
		t.Errorf("after its time: %v", err)
	}
	if _, err := safe.Artifact(t.Context(), key, plain); err != nil {
		t.Errorf("without an end: %v", err)
	}
	if first.Plan.Version != 1 || !strings.Contains(fmt.Sprint(pointers(first.Plan)), secret) {
		t.Errorf("plan %d points to %v", first.Plan.Version, pointers(first.Plan))
	}
}
