package recall_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// movedOut opens a thread of n messages, of each of which an artifact was taken.
func movedOut(t testing.TB, n int) *recall.Reader {
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

// BenchmarkMovedOut searches what was moved out, and makes the view of what a requester may see: both
// ask of each message which artifacts were taken from it, so eight times the messages take eight
// times as long.
func BenchmarkMovedOut(b *testing.B) {
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
		for _, n := range []int{1_000, 8_000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				r := movedOut(b, n)
				for b.Loop() {
					if err := f(r); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
