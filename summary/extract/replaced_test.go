package extract_test

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
)

// What a user wants done to an order in the place of what was asked before withdraws that, also without a
// word in common where the agent had asked back. What is asked beside it, of another order or of other work
// does not. Neither is a rule.
//
// SPEC: B2, B18
func TestWishesThatTakeThePlaceOfOthers(t *testing.T) {
	const exchange, asks = "user: I'd like to exchange the sneakers of order #W7449508.", "\n---\nassistant: That size is not available. What would you like to do?\n---\nuser: "
	for said, replaced := range map[string]bool{
		exchange + asks + "Then please refund them to my gift card.":                                                                                              true,
		exchange + "\n---\nassistant: It costs $20 more.\n---\nuser: Hmm, then I want my money back for order #W7449508 instead.":                                 true,
		exchange + asks + "Then I want a full refund for order #W7449508.":                                                                                        true,
		"user: Ich möchte die Schuhe aus #W7449508 umtauschen." + asks + "Dann lieber stornieren, bitte.":                                                         true,
		exchange + asks + "Please refund the hat of order #W1234567, too.":                                                                                        false,
		exchange + "\n---\nassistant: It is done.\n---\nuser: Then please cancel order #W1234567.":                                                                false,
		exchange + asks + "Then please cancel order #W1234567.":                                                                                                   false,
		exchange + "\n---\ncall exchange_order {\"id\":\"#W7449508\"}\n---\nresult: {\"status\": \"exchanged\"}" + asks + "In that case, please cancel the rest.": false,
		exchange + asks + "Yes, please go ahead. Then please cancel the hat of order #W7449508.":                                                                  false,
		exchange + asks + "Yes. After that, rather refund the hat of order #W7449508.":                                                                            false,
		exchange + asks + "Then please exchange them for size 9 instead.":                                                                                         false,
		"user: Fix the login of app2024." + asks + "Then please cancel the build instead.":                                                                        false,
	} {
		s := summarize(t, script(t, said))
		if got := s.Requests[0].Status == summary.Withdrawn; got != replaced || len(s.Requests) != 2 {
			t.Errorf("%s: withdrawn %t, %+v", said, got, s.Requests)
		}
		if slices.ContainsFunc(s.Facts, isRule) {
			t.Errorf("%s: a rule, %+v", said, s.Facts)
		}
	}
}
