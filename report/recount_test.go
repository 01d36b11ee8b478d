package report_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// A plan that was counted for another model is told in the counts of the turn: what the
// records free is what the prompt is smaller by, and messages are as large as they are in it.
//
// SPEC: B12
func TestReportIsInOneUnit(t *testing.T) {
	exact, err := bpe.Counter("o200k")
	if err != nil {
		t.Fatal(err)
	}
	meter, coarse := token.Meter{Counter: exact}, token.Meter{Counter: token.Heuristic, Factor: 1.5, Margin: 0.15}
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := precis.Input{Thread: "t", Messages: testsessions.Session(7, testsessions.Options{Messages: 60}).Messages, Budget: 12_000, Meter: coarse}
	if _, err := e.Prepare(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	in.Meter = meter
	turn, err := e.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if turn.Version() != 1 || turn.Compacted == turn.Original {
		t.Fatalf("plan %d, %d of %d tokens", turn.Version(), turn.Compacted, turn.Original)
	}
	r, freed := report.Of(turn), 0
	for _, a := range r.Actions {
		freed += a.Saves
	}
	if diff := freed - (r.Original - r.Compacted); diff < -len(r.Records) || diff > len(r.Records) {
		t.Errorf("%d tokens freed of %d, %d are left", freed, r.Original, r.Compacted)
	}
	for _, l := range r.Largest {
		if want := meter.Message(in.Messages[l.Number-1]); l.Tokens != want {
			t.Errorf("#%d has %d tokens, want %d", l.Number, l.Tokens, want)
		}
	}
}
