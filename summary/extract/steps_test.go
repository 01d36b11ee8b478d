package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// What the agent says is needed, and changes at once, is told with the change; what it only says of the
// look that it takes as it says so is no decision.
//
// SPEC: B2, B18
func TestStepsThatWereTakenAtOnce(t *testing.T) {
	const edit, ok = "\n---\ncall edit {\"path\":\"a.py\",\"old_string\":\"raise\",\"new_string\":\"return None\"}", "\n---\nresult: ok"
	const need = "We need to update the test to expect `0.0` instead of `np.nan`."
	for _, c := range []struct{ name, log, want, without string }{
		{"changed at once", "assistant: " + need + edit + ok, "- " + need + " (#2), a change followed in #NEXT", ""},
		{"changed by a command", "assistant: " + need + "\n---\ncall bash {\"command\":\"sed -i s/np.nan/0.0/ a_test.py\"}\n---\nresult: ", "- " + need + " (#2), a change followed in #NEXT", ""},
		{"not changed", "assistant: " + need + edit + "\n---\nresult: Error: no such file", "- " + need + " (#2)", "followed"},
		{"looked", "assistant: " + need + "\n---\ncall read {\"path\":\"a.py\"}" + ok, "- " + need + " (#2)", "followed"},
		{"changed later", "assistant: " + need + "\n---\ncall read {\"path\":\"a.py\"}" + ok + "\n---\nassistant: I see." + edit + ok, "- " + need + " (#2)", "followed"},
		{"a choice", "assistant: I'll use a queue instead of a table." + edit + ok, "- I'll use a queue instead of a table. (#2)", "followed"},
		{"names the tool", "assistant: The file is in `src`. Let's use find_file to see where it is.\n---\ncall find_file {\"name\":\"fields.py\"}" + ok, "", "## Decisions"},
		{"names its argument", "assistant: Let's set the cursors around 1475.\n---\ncall goto {\"line\":1475}" + ok, "", "## Decisions"},
		{"names another value", "assistant: Let's set the limit to 30 seconds.\n---\ncall goto {\"line\":1475}" + ok, "- Let's set the limit to 30 seconds. (#2)", ""},
		{"changes it", "assistant: Let's set the limit to 30 seconds.\n---\ncall edit {\"path\":\"a.py\",\"old_string\":\"20\",\"new_string\":\"30\"}" + ok, "- Let's set the limit to 30 seconds. (#2)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := append([]message.Message{message.TextOf(message.User, "Fix the test.")}, script(t, c.log)...)
			both := slices.Concat(ms[:1], []message.Message{{Role: message.Assistant, Parts: slices.Concat(ms[1].Parts, ms[2].Parts)}}, ms[3:])
			for next, ms := range map[string][]message.Message{"#4": ms, "#3": both} { // in messages apart, and in one
				want := strings.ReplaceAll(c.want, "#NEXT", next)
				text, _, _ := strings.Cut(wording.Text(summarize(t, ms), 0, nil)+"\n", "## Findings")
				text, _, _ = strings.Cut(text, "\n## Identifiers")
				if !strings.Contains(text, want) || c.without != "" && strings.Contains(text, c.without) {
					t.Errorf("want %q, not %q, in\n%s", want, c.without, text)
				}
			}
		})
	}
}
