package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// A step of a list that the user was to try by hand is perhaps done once the user says that it works, also
// where an earlier summary tells of the step. Praise that holds something against it, and a step that tries
// several things, leave it open.
//
// SPEC: B18
func TestWhatTheUserSaysWorksWasTried(t *testing.T) {
	plan := changed("write", "ok", "path", "plan.md", "content", "- [ ] Split it\n- [ ] Manual test of the app\n- [ ] Manual test of all modes\n- [ ] Ship it\n") +
		"\n---\n" + changed("edit", "ok", "path", "plan.md", "oldText", "- [ ] Split it", "newText", "- [x] Split it")
	for said, tried := range map[string]bool{
		"wow, it works": true, "jesus, everything works, you are a monster": true, "works now, tests pass on my machine": true, "Es funktioniert jetzt!": true, "I tried it and it works. Now do the docs.": true,
		"it works, but the list is empty": false, "does it work?": false, "not all tests pass": false, "make sure it works": false, "How does it know that it works?": false, "Tell me when it works.": false, "great": false,
	} {
		ms := script(t, "user: Do the plan.\n---\n"+plan+"\n---\nassistant: Please try it.\n---\nuser: "+said+"\n---\nassistant: Good.\n---\nuser: Go on with the rest of it.")
		for cut := range ms {
			if cut == 0 || ms[cut].Role == message.Tool {
				continue // within a call and its result
			}
			text := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil)
			if got := strings.Contains(text, "Manual test of the app — unticked in plan.md, perhaps done (#2)"); got != tried {
				t.Errorf("%q, cut at %d: tried %t\n%s", said, cut, got, text)
			}
			if !strings.Contains(text, "Manual test of all modes — unticked in plan.md (#2)") || !strings.Contains(text, "Ship it — unticked in plan.md (#2)") {
				t.Errorf("%q, cut at %d: another step is told as tried\n%s", said, cut, text)
			}
		}
	}
}
