package precis_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// An answer is kept as it came until its echo is in the log; then it is no part
// of what is exported any more, whatever words the echo came in.
//
// SPEC: V1
func TestRecord(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	k := store.Key{Thread: "t"}
	ms := []message.Message{message.TextOf(message.User, "How far is it?")}
	waits := func(want string) {
		t.Helper()
		have, err := precis.LastReply(t.Context(), st, k)
		var said []string
		for _, m := range have {
			said = append(said, m.Parts[0].Text)
		}
		if err != nil || strings.Join(said, "|") != want {
			t.Fatalf("waiting: %q, %v; want %q", said, err, want)
		}
	}
	for _, said := range []string{"Nine miles.", "Nine miles, I think."} { // asked again
		turn := prepared(t, e, request("t", ms, 8_000))
		if err := e.RecordReply(t.Context(), turn, []message.Message{message.TextOf(message.Assistant, said)}); err != nil {
			t.Fatal(err)
		}
		waits(said)
	}
	ms = append(ms, message.TextOf(message.Assistant, "Nine miles,  I think."), message.TextOf(message.User, "And back?"))
	turn := prepared(t, e, request("t", ms, 8_000))
	waits("")
	two := []message.Message{message.TextOf(message.Assistant, "As far."), message.TextOf(message.Assistant, "I am sure.")}
	if err := e.RecordReply(t.Context(), turn, two); err != nil {
		t.Fatal(err)
	}
	waits("As far.|I am sure.")
	if hs, err := st.Heads(t.Context(), ""); err != nil || len(hs) != 1 || hs[0].Len != 3 {
		t.Fatalf("the tenant's threads: %v, %v", hs, err)
	}
}

func texts(es []thread.Entry) (out []string) {
	for _, e := range es {
		out = append(out, e.Message.Parts[0].Text)
	}
	return out
}
