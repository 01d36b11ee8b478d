package precis_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token"
)

// noise is text that does not get smaller by compression, so that it stands in the file
// as it is.
func noise(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('!' + r.IntN(94))
	}
	return string(b)
}

// What one message said stands in many places of the file: the message in its forms, an
// artifact, records of plans, cached summaries, an answer, what the model looked up. After
// it was erased nothing of it is in the database, in the log beside it or in an unused page,
// while the file is open and others read it.
//
// SPEC: V1
func TestErasedIsInNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	open := func() *sqlite.Store {
		st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	st, other := open(), open()
	r := rand.New(rand.NewPCG(4, 2))
	secret := noise(r, 40_000)
	var passages []string
	for at := 0; at+24 <= len(secret); at += 400 {
		passages = append(passages, secret[at:at+24])
	}
	traces := func() int {
		t.Helper()
		seen, err := sqlite.Traces(t.Context(), path, passages)
		if err != nil {
			t.Fatal(err)
		}
		return len(seen)
	}

	history := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	for i := range 11 {
		out := lines(i, 90)
		if i == 3 {
			out = secret
		}
		history = append(history, round(i, "fetch_report", fmt.Sprintf(`{"n":%d}`, i), "looking", out)...)
	}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "ladder")})
	prepare := func() string {
		t.Helper()
		turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: history, Meter: token.Truncate(), Budget: 16_000})
		if err != nil {
			t.Fatal(err)
		}
		return printed(turn.Messages)
	}
	prepare()
	at := -1
	for i, m := range history {
		if strings.Contains(printed([]message.Message{m}), passages[0]) {
			at = i
		}
	}
	id, k := idOf(history, at), store.Key{Thread: "t"}
	head, err := st.Head(t.Context(), k)
	if err != nil || head.PlanVersion == 0 {
		t.Fatalf("%+v, %v", head, err)
	}
	variant := store.Batch{Tip: head.Tip, Variants: []store.Variant{{ID: id, Raw: []byte(secret[:12_000])}}, Now: time.Now()}
	if _, err := st.Append(t.Context(), k, variant); err != nil {
		t.Fatal(err)
	}
	if err := st.PutSummary(t.Context(), "", "key", []byte(secret[6_000:18_000]), time.Now()); err != nil {
		t.Fatal(err)
	}
	list, err := st.ArtifactList(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	external := false
	for _, a := range list {
		external = external || a.Source == id
	}
	if n := traces(); !external || n < len(passages)/2 {
		t.Fatalf("%d of %d passages to erase, an artifact: %v", n, len(passages), external)
	}
	if _, err := other.Load(t.Context(), k); err != nil {
		t.Fatal(err)
	}

	if err := e.Erase(t.Context(), "t", id, artifact.Tombstone{At: time.Now(), Reason: "a password"}); err != nil {
		t.Fatal(err)
	}
	if n := traces(); n > 0 {
		t.Errorf("%d of %d passages still stand in the files", n, len(passages))
	}
	for range 2 { // the client sends it again
		if p := prepare(); strings.Contains(p, passages[0]) || !strings.Contains(p, "a password") {
			t.Error("the prompt shows it, or no tombstone")
		}
		history = append(history, round(20, "look", `{}`, "and", "ok")...)
	}
	if n := traces(); n > 0 {
		t.Errorf("%d of %d passages are back", n, len(passages))
	}
}
