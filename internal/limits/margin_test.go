package limits

import (
	"testing"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// Counts that prove right narrow the margin, and are made anew a few times only.
//
// SPEC: L12, V4 · P11
func TestCertaintyGrows(t *testing.T) {
	var l LearnedLimits
	s := Subject{Provider: "p", Model: "claude-opus-4-5"}
	m, _ := model.Lookup(s.Model)
	meter, err := bpe.Meter(m)
	if err != nil {
		t.Fatal(err)
	}
	first := meter.Calibrated(l.Of(s).Applied).Margin
	changes := 0
	for i := range 200 {
		before := l.Of(s).Applied
		l.Observe(s, 10_000+i, 10_050+i)
		if l.Of(s).Applied != before {
			changes++
		}
	}
	if last := meter.Calibrated(l.Of(s).Applied).Margin; first < .1 || last > .05 {
		t.Errorf("the margin was %v and is %v", first, last)
	}
	if changes > 9 {
		t.Errorf("every count was made anew %d times", changes)
	}
}
