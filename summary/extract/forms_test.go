package extract_test

import (
	"slices"
	"strings"
	"testing"
)

// What users write into a form is no rule by itself: a reason, the label of a value, a day on which they
// leave, a case without what is to be done in it. A rule with a label, a case or a day is one.
//
// SPEC: B2
func TestAnswersToFormsAreNoRules(t *testing.T) {
	for text, stands := range map[string]bool{
		"Let's start with the charger.\n\n1) Cancel order #W9373487\n- Reason: No longer needed": false,
		"Reason for cancellation: I must stay home.":                                             false,
		"Reason: ordered by mistake, I must have clicked twice.":                                 false,
		"Reason: I don't need it any more.":                                                      false,
		"Motivo: ya no lo necesito, nunca lo usé.":                                               false,
		"No longer needed.":                                  false,
		"It's no longer needed.":                             false,
		"I don't want it anymore.":                           false,
		"Name: Ana":                                          false,
		"Leave on May 5.":                                    false,
		"Leave Oslo on May 5, and return May 9.":             false,
		"leave May 5, return May 9":                          false,
		"If you can't remove just the boots from #W5481803.": false,
		"In case you cannot reach 10 GB.":                    false,
		"If the flag is still used, never mind.":             false,
		"If you need anything, don't hesitate to ask.":       false,
		"Next, let's update order #W5481803:\n- Remove the Boots\n- Keep the Kettle": false,
		"Let's update the loader:\n- Keep load.go as it is":                          true,
		"Let's update order #W5481803:\n- Never touch my address":                    true,
		"Note: never call me.":                                                   true,
		"Cabin: must be economy":                                                 true,
		"Use port 8080.":                                                         true,
		"We no longer want Redis in the cache.":                                  true,
		"Leave the folder vendor/ alone until Monday.":                           true,
		"Leave src/db.go as it is.":                                              true,
		"If the tests in ci.yml fail stop and ask me.":                           true,
		"If the build of main is red, don't push.":                               true,
		"If the file is larger than 10 MB the limit must be 5 seconds.":          true,
		"If you can't remove the boots from #W5481803 leave the order as it is.": true,
	} {
		s := summarize(t, script(t, "assistant: Please fill in the form.\n---\nuser: "+text))
		if got := slices.ContainsFunc(s.Facts, isRule); got != stands {
			t.Errorf("%s: a rule is %t, %+v", text, got, s.Facts)
		}
		if s.Task == nil || !strings.Contains(s.Task.Text, text[:4]) {
			t.Errorf("%s: no request", text)
		}
	}
}
