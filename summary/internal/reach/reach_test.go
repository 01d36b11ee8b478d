package reach

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// positions lists a reach entry by entry.
func positions(r Reach) (at []int) {
	for _, x := range r {
		for i := x.From; i < x.To; i++ {
			at = append(at, i)
		}
	}
	return at
}

// A reach says what the span's ids say one by one, in any order and however often.
func TestReach(t *testing.T) {
	var ms []message.Message
	for i := range 12 {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint(i)))
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var span plan.Span
		var at []int
		for range rapid.IntRange(0, 5).Draw(t, "stretches") {
			from := rapid.IntRange(0, 11).Draw(t, "from")
			to := rapid.IntRange(from, 12).Draw(t, "to")
			for i := from; i < to; i++ {
				span.IDs, at = append(span.IDs, th.At(i).ID), append(at, i)
			}
			if rapid.Bool().Draw(t, "foreign") {
				span.IDs = append(span.IDs, "nowhere")
			}
		}
		r := Of(th, span)
		if got := positions(r); !slices.Equal(got, at) || r.Len() != len(at) {
			t.Fatalf("reach %v has %v, want %v", r, got, at)
		}
		s := Stretch{rapid.IntRange(0, 12).Draw(t, "without from"), rapid.IntRange(0, 12).Draw(t, "without to")}
		rest := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return s.From <= i && i < s.To })
		if left, taken := r.Without(s); !slices.Equal(positions(left), rest) || taken != len(at)-len(rest) {
			t.Fatalf("%v without %v: %v, %d taken, want %v", r, s, left, taken, rest)
		}
		all := r.Union()
		for i := -1; i < 14; i++ {
			if got := all.Holds(i); got != slices.Contains(at, i) {
				t.Fatalf("%v holds %d: %v", all, i, got)
			}
		}
	})
}
