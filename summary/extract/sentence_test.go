package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A figure ends a sentence like any word; the number of an item, or an initial, does not.
func TestSentencesThatEndInAFigure(t *testing.T) {
	for said, want := range map[string]string{
		"A hold must live 14 minutes, not 8. Never touch the docs.":           "- A hold must live 14 minutes, not 8. (#1)\n- Never touch the docs. (#1)",
		"Mail it to J. Doe, never to K. Roe of port 9. Never touch the docs.": "- Mail it to J. Doe, never to K. Roe of port 9. (#1)\n- Never touch the docs. (#1)",
		"1. Fix it. 2. Never push the branch. Call . alone.":                  "\n- 2. Never push the branch. (#1)",
	} {
		if text := wording.Text(summarize(t, script(t, "user: "+said)), 0, nil); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
