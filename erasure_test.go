package precis_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// waiter returns a bus and a func that waits for a proposal.
func waiter() (*event.Bus, chan struct{}) {
	bus, ready := &event.Bus{}, make(chan struct{}, 100)
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			ready <- struct{}{}
		}
	}, event.Options{})
	return bus, ready
}

// A compaction prepared before an erasure is not applied after it.
//
// SPEC: V1, V10, B11
func TestErasedTextDoesNotComeBack(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		bus, ready := waiter()
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "session"), Summarizer: &scribe{}, Background: ahead, Events: bus})
		ms := work(60, 10)
		ms[2].Parts = ms[2].Parts[:len(ms[2].Parts):len(ms[2].Parts)]
		ms = append([]message.Message{ms[0], message.TextOf(message.Assistant, "Yes?"), message.TextOf(message.User, "Never use the token hunter2-4711 in tests/auth.go.")}, ms[1:]...)
		in := precis.Input{Thread: "t", Continue: true, Meter: token.Truncate(), Budget: 4_000}
		in.Messages = ms[:21]
		var turn *precis.Turn
		erased := false
		for n := 21; n < len(ms); n += 2 {
			var err error
			turn, err = e.Prepare(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if turn.Outcome == precis.Compacted {
				break
			}
			if !erased && turn.Compacted > 2_000 {
				if ahead {
					<-ready
				}
				if err := e.Erase(t.Context(), "t", idOf(ms, 2), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
					t.Fatal(err)
				}
				erased = true
			}
			in.Messages = ms[n : n+2]
		}
		if !erased || turn.Outcome != precis.Compacted {
			t.Fatal(erased, turn.Outcome)
		}
		for _, m := range turn.Messages {
			for _, p := range m.Parts {
				if strings.Contains(p.Body(), "hunter2") {
					t.Errorf("ahead %v: a plan made after the erasure shows it:\n%s", ahead, p.Body())
				}
			}
		}
	}
}

// A message that is erased is not shown again although its answer could not be.
//
// SPEC: V1, L16
func TestErasedIsForgottenAtOnce(t *testing.T) {
	st := &unreadable{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	ms := []message.Message{message.TextOf(message.User, "the key?"), message.TextOf(message.Assistant, "it is under the stone")}
	id := prepared(t, e, request("t", ms, 8_000)).Thread.At(1).ID
	st.fails.Store(true)
	if err := e.Erase(t.Context(), "t", id, artifact.Tombstone{Reason: "asked to"}); !errors.Is(err, errDisk) {
		t.Fatalf("erased: %v", err)
	}
	st.fails.Store(false)
	in := request("t", []message.Message{message.TextOf(message.User, "what was it?")}, 8_000)
	in.Continue = true
	for _, m := range prepared(t, e, in).Messages {
		if strings.Contains(m.Parts[0].Text, "stone") {
			t.Error("what was erased is shown")
		}
	}
}

// What is erased while a request is answered is not kept by that request.
//
// SPEC: V1, L16
func TestErasedMeanwhileIsForgotten(t *testing.T) {
	st := &interrupted{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	ms := []message.Message{message.TextOf(message.User, "the key?"), message.TextOf(message.Assistant, "it is under the stone")}
	id := prepared(t, e, request("t", ms, 8_000)).Thread.At(1).ID
	st.then = func() {
		if err := e.Erase(t.Context(), "t", id, artifact.Tombstone{Reason: "asked to"}); err != nil {
			t.Error(err)
		}
	}
	prepared(t, e, request("t", append(ms, message.TextOf(message.User, "thanks")), 8_000))
	in := request("t", []message.Message{message.TextOf(message.Assistant, "welcome"), message.TextOf(message.User, "what was it?")}, 8_000)
	in.Continue = true
	for _, m := range prepared(t, e, in).Messages {
		if strings.Contains(m.Parts[0].Text, "stone") {
			t.Error("what was erased is shown")
		}
	}
}

// What is erased from the log is erased from the answers, also of a branch.
//
// SPEC: V1, L16
func TestErasedAnswer(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	ms := []message.Message{message.TextOf(message.User, "the key?")}
	secret := message.TextOf(message.Assistant, "the key is under the stone")
	if err := e.RecordReply(t.Context(), prepared(t, e, request("t", ms, 8_000)), []message.Message{secret}); err != nil {
		t.Fatal(err)
	}
	ms = append(ms, message.TextOf(message.Assistant, "the key is under the stone, as ever")) // not its very words
	prepared(t, e, request("t", append(ms, message.TextOf(message.User, "thanks")), 8_000))
	branch := prepared(t, e, request("t", append(ms, message.TextOf(message.User, "which stone?")), 8_000))
	if branch.Key.Thread == "t" {
		t.Fatal("no branch")
	}
	id := branch.Thread.At(1).ID
	if err := e.Erase(t.Context(), branch.Key.Thread, id, artifact.Tombstone{Reason: "asked to"}); err != nil {
		t.Fatal(err)
	}
	es, err := st.Load(t.Context(), store.Key{Thread: "t"}.Answers())
	if err != nil || len(es) != 2 || !es[1].Erased || strings.Contains(es[1].Message.Parts[0].Text, "stone") {
		t.Fatalf("%+v, %v", texts(es), err)
	}
}
