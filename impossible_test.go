package precis_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
)

// The numbers of a budget that is impossible are written as those of all reports.
func TestImpossibleNumbersAreGrouped(t *testing.T) {
	text := (&precis.ImpossibleError{Budget: 4000, System: 1_234_567, Tools: 999, LastUser: 0, Floor: 1_235_999}).Error()
	for _, want := range []string{" 4,000 tokens", " 1,234,567,", " 999,", " 0 ", " 433 ", " 1,235,999"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", text, want)
		}
	}
}
