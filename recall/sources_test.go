package recall_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// movedOut opens a thread of n messages, of each of which an artifact was taken.
func movedOut(t *testing.T, n int) *recall.Reader {
	t.Helper()
	s := memory.New()
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("output %d", i)
	}
	es := thread.Extend("", said(texts...))
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	arts := make([]artifact.Artifact, n)
	recs := make([]plan.Record, n)
	for i := range arts {
		arts[i] = artifact.Of(es[i].ID, 1, []byte(texts[i]))
		arts[i].Created, arts[i].Sensitivity = now, artifact.Restricted
		recs[i] = plan.Record{Action: plan.Externalize, Artifact: arts[i].ID, Text: "an output", Span: plan.Span{IDs: []thread.ID{es[i].ID}, Part: 1}}
	}
	_, r := planned(t, s, th, arts, recs...)
	return r
}

// A search of what was moved out, and a view of what a requester may see, ask of each message which
// artifacts were taken from it: eight times the messages do not take sixty-four times as long.
//
// SPEC: L22
func TestArtifactsOfMessagesAreFoundAtOnce(t *testing.T) {
	took := func(n int, f func(*recall.Reader) error) time.Duration {
		r := movedOut(t, n)
		least := time.Hour
		for range 3 {
			start := time.Now()
			if err := f(r); err != nil {
				t.Fatal(err)
			}
			least = min(least, time.Since(start))
		}
		return least
	}
	for name, f := range map[string]func(*recall.Reader) error{
		"grep": func(r *recall.Reader) error {
			_, err := r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile("output"), Source: recall.FromArtifacts})
			return err
		},
		"view": func(r *recall.Reader) error {
			_, err := r.For(artifact.Requester{Tenant: key.Tenant})
			return err
		},
		"search": func(r *recall.Reader) error {
			_, err := r.Search(ctx, recall.Topic{Text: "output", Source: recall.FromArtifacts})
			return err
		},
	} {
		if few, many := took(1_000, f), took(8_000, f); many > 24*few {
			t.Errorf("%s: %v in 1,000 messages, %v in 8,000", name, few, many)
		}
	}
}
