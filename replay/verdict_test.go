package replay

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// A yes is right when its prompt stood until it was paid back, a no when the run
// ended before that.
//
// SPEC: B10, B5
func TestHindsight(t *testing.T) {
	var s Score
	for n, p := range []Priced{{}, {"pays", true, 2}, {}, {"soon", false, 9}, {"pays", true, 3}, {"late", false, 2}, {"forced", true, -1}, {"late", false, 1}} {
		s.noteVerdict(p, n)
		s.Steps++
	}
	s.judgeOpen()
	want := map[string]Judged{"pays": {2, 1}, "soon": {1, 1}, "late": {2, 0}, "forced": {1, 0}}
	for v, j := range want {
		if s.Verdicts[v] != j {
			t.Errorf("%s: %+v, want %+v", v, s.Verdicts[v], j)
		}
	}
}

// What left the prompt is looked for by the words of the step, and by those with the names
// that the prompt shows; what the searches find is held against the log.
//
// SPEC: B8, B10
func TestSeek(t *testing.T) {
	ms := []message.Message{
		message.TextOf(message.User, "the harbour master is reached at pier-4711-x"),
		message.TextOf(message.Assistant, strings.Repeat("filler of no matter ", 400)),
		message.TextOf(message.User, "go on to berth-99-q"),
		message.TextOf(message.Assistant, "calling the harbour master at pier-4711-x and berth-99-q"),
	}
	x := NewIndex(Run{ID: "a", Messages: ms}, Judge{Count: func(m message.Message) int { return len(said(m)) / 4 }})
	var asked []string
	p := Policy{Name: "forgets", Start: func(context.Context, Setup) (Step, func() error, error) {
		return func(_ context.Context, h []message.Message) (Prompt, error) {
			return Prompt{Messages: h[len(h)-1:], Find: func(_ context.Context, about string) []int {
				asked = append(asked, about)
				if strings.Contains(about, "berth") {
					return []int{0}
				}
				return []int{-1, 1}
			}}, nil
		}, nil, nil
	}}
	s, err := x.Replay(t.Context(), p, 500, nil)
	if err != nil || s.Search != (Tally{1, 0}) || s.Named != (Tally{1, 1}) {
		t.Errorf("%+v %+v %v", s.Search, s.Named, err)
	}
	for i, about := range asked {
		if !strings.Contains(about, "harbour") || strings.Contains(about, "4711") || strings.Contains(about, "berth-99-q") != (i == 1) {
			t.Errorf("searched for %q", about)
		}
	}
}
