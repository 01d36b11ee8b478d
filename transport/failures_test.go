package transport_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

// unkept is a store that keeps no answers.
type unkept struct{ store.Store }

func (u unkept) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if k.IsAnswers() {
		return store.Head{}, errors.New("disk on fire")
	}
	return u.Store.Append(ctx, k, b)
}

// What failed is told in the words that the proxy has for it.
//
// SPEC: B7, V9
func TestFailuresAreToldAsWhatTheyAre(t *testing.T) {
	for name, c := range map[string]struct {
		budget int
		store  store.Store
		want   []string
	}{
		"impossible": {10, memory.New(), []string{`msg="compaction failed; the request goes as it came"`, "stage=impossible", "budget is impossible"}},
		"answer":     {8_000, unkept{memory.New()}, []string{`msg="answer is not logged; the conversation goes on"`, "stage=record", "disk on fire"}},
	} {
		up := newProvider(t)
		o := options(t, c.store)
		var log bytes.Buffer
		o.Budget, o.Log = c.budget, slog.New(slog.NewTextHandler(&log, nil))
		if _, got := post(t, transport.New(o), up.url+apis[1].path, apis[1].body(2)); got != apis[1].answer {
			t.Errorf("%s: answer %q", name, got)
		}
		for _, want := range c.want {
			if strings.Count(log.String(), want) != 1 {
				t.Errorf("%s: %q is not told once:\n%s", name, want, log.String())
			}
		}
	}
}

// The answer to a request that no budget fits is logged like any other.
//
// SPEC: V1, V4
func TestAnswerToAnImpossibleRequestIsLogged(t *testing.T) {
	up, s := newProvider(t), memory.New()
	o := options(t, s)
	o.Budget, o.Log = 10, slog.New(slog.DiscardHandler)
	if _, got := post(t, transport.New(o), up.url+apis[1].path, apis[1].body(2)); got != apis[1].answer {
		t.Fatalf("answer %q", got)
	}
	heads, err := s.Heads(t.Context(), "")
	if err != nil || len(heads) != 1 {
		t.Fatalf("%v: %+v", err, heads)
	}
	if answers, err := s.Load(t.Context(), heads[0].Key.Answers()); err != nil || len(answers) == 0 {
		t.Errorf("%v: %d answers", err, len(answers))
	}
}
