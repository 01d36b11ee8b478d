package inspect_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
)

// What a search finds stands in the prompt as the list of messages says.
//
// SPEC: B13
func TestHitsStandAsInTheList(t *testing.T) {
	c := served(t, shown(), inspect.Options{})
	var all inspect.Messages
	c.get("threads/t/messages", &all)
	var found inspect.Hits
	c.get("threads/t/search?q=refund&limit=100", &found)
	seen := map[string]bool{}
	for _, h := range found.Hits {
		seen[h.State] = true
		if want := string(all.Messages[h.Number-1].State); h.State != want {
			t.Errorf("%s is %s in the search, %s in the list", h.Ref, h.State, want)
		}
	}
	if !seen["whole"] || !seen["summarized"] {
		t.Errorf("the hits are %v: the test needs some that left and some that did not", seen)
	}
}
