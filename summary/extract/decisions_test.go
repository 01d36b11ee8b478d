package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/summary"
)

// What the agent decides stands as it said it: one thing in place of another also where it
// announces it, a lead or heading with what stands under it, in several languages. What it
// weighs, claims or looks at is no decision.
//
// SPEC: B2, B18
func TestDecisionsAsTheyWereSaid(t *testing.T) {
	for text, want := range map[string][]string{
		"Let me update WP14 to create main-new.ts instead of modifying main.ts:":                                             {"Let me update WP14 to create main-new.ts instead of modifying main.ts:"},
		"Now I need to update line 253 to use `Mapping` instead of `collections.Mapping`:":                                   nil,
		"Instead of fixing each error one by one, let me create helper getters that delegate:":                               {"Instead of fixing each error one by one, let me create helper getters that delegate:"},
		"I need to update the loader to use `Mapping` instead of `collections.Mapping`:":                                     {"I need to update the loader to use `Mapping` instead of `collections.Mapping`:"},
		"I looked at it.\n\nThe fix is:\n1. If it streams, queue the message\n2. Save it later\n\nNext I look at the tests.": {"The fix is: If it streams, queue the message; Save it later"},
		"## Root Cause Analysis\n\nThe message goes in before its result. That order is refused.\n\nAnother paragraph.":      {"Root Cause Analysis The message goes in before its result. That order is refused."},
		"I'll keep the file format, because clients depend on it.":                                                           {"I'll keep the file format, because clients depend on it."},
		"- **Naming**: `InteractiveMode` instead of `TuiRenderer`":                                                           {"**Naming**: `InteractiveMode` instead of `TuiRenderer`"},
		"Now when it is empty, we get 0.0 instead of NaN.":                                                                   nil,
		"So the fix is simple: change line 602 from:\n```\na\n```\nto:\n```\nb\n```":                                         nil,
		"- The wrong calculation (dividing by 1e9 instead of 1e6)":                                                           nil,
		"The PR says the fix is to change line 751 in `query.py`. Let me look at it.":                                        nil,
		"The fix is working. Let me run the tests.":                                                                          nil,
		"Maybe we should use numpy instead of pandas.":                                                                       nil,
		"In Nested fields the schema uses self.parent because it is set there.":                                              nil,
		"I think we should use `handle_simple()` instead of `url()`.\n\nActually, wait. It is called twice then.":            nil,
		"The fix is to update `set_field_name()` in place. But that might break other things.":                               nil,
		"I'll use a queue instead of a table. Actually, that is too slow for us.":                                            nil,
		"I'll use a queue instead of a table. Wait, that also breaks the other mode.":                                        nil,
		"I'll use a queue instead of a table. Wait a minute, that breaks the lock.":                                          nil,
		"I'll use a queue instead of a table. But that would also break the lock.":                                           nil,
		"I'll use a queue instead of a table. Actually, I should also add a test.":                                           {"I'll use a queue instead of a table. Actually, I should also add a test."},
		"I'll use a queue instead of a table. Wait a moment for the server to come up.":                                      {"I'll use a queue instead of a table. Wait a moment for the server to come up."},
		"I'll use a queue instead of a table. Wait for the tests to end.":                                                    {"I'll use a queue instead of a table. Wait for the tests to end."},
		"I'll use a queue instead of a table. Actually, the slow tests pass as well.":                                        {"I'll use a queue instead of a table. Actually, the slow tests pass as well."},
		"The fix is to catch the error. Actually, I'll use the old model instead of the new one.":                            {"Actually, I'll use the old model instead of the new one."},
		"I'll use a queue instead of a table. Should I delete the old files?":                                                {"I'll use a queue instead of a table."},
		"Perfect! The fix is in place. It took a while.":                                                                     nil,
		"Good, the fix is applied. But I notice there's an empty line before the method.":                                    nil,
		"Good! I've reproduced a similar error (a KeyError, but the root cause is the same).":                                nil,
		"But I wonder if we should use the old model instead of the new one.":                                                nil,
		"Let me check if it should inherit from `Wide` instead of `Narrow`:":                                                 nil,
		"Instead of running all of it, let me examine the class first.":                                                      nil,
		"Let me check the tests. I'll use a queue instead of a table.":                                                       {"I'll use a queue instead of a table."},
		"Die Prüfung und die Datei sind da. Ich nehme jetzt die Sperre der Datei statt der Tabelle.":                         {"Die Prüfung und die Datei sind da. Ich nehme jetzt die Sperre der Datei statt der Tabelle."},
		"Voy a mirar el archivo y la prueba. He decidido usar la cola en lugar de la tabla.":                                 {"Voy a mirar el archivo y la prueba. He decidido usar la cola en lugar de la tabla."},
		"我先看一下文件，然后运行测试。我决定用队列而不是数据库表。":                                                                                      {"我先看一下文件，然后运行测试。我决定用队列而不是数据库表。"},
	} {
		s := summarize(t, script(t, "user: Go on.\n---\nassistant: "+text))
		var got []string
		for _, d := range s.Decisions {
			if d.Doubted {
				continue
			}
			got = append(got, d.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

// A list of what happens is no plan; one that the agent says it will do is.
//
// SPEC: B18
func TestPlansAreTheAgents(t *testing.T) {
	for lead, plans := range map[string]bool{"The operations are generated in this order:": false, "Here is my plan:": true} {
		s := summarize(t, script(t, "user: Go on.\n---\nassistant: "+lead+"\n1. Create the model\n2. Add the index\n3. Alter the order"))
		if got := len(s.Plan) > 0; got != plans {
			t.Errorf("%s %v", lead, s.Plan)
		}
	}
}

// A wish for one piece of work is a request with a status and no rule; a value that is set,
// a preference and a demand stand.
//
// SPEC: B2
func TestErrandsAreRequests(t *testing.T) {
	for text, stands := range map[string]bool{
		"I'd like to change the reservation M05KNL from ATL to PHL.":                   false,
		"alright, create a full plan in docs/refactor.md, it needs to cover the modes": false,
		"I want you to move config.ts to src/ without the tests.":                      false,
		"also remember the docs/refactor.md file btw.":                                 false,
		"Oh, I see. In that case, I'd like to book a new ticket to Chicago.":           false,
		"i think your plan already works like this, except for main.ts.":               false,
		"copy the components to modes/interactive, so the old part still works":        false,
		"Change the upload timeout to 30 seconds.":                                     true,
		"Create releases only from the branch main, never from dev.":                   true,
		"I'd like the button label to stay within 20 characters.":                      true,
		"Please use tabs rather than spaces.":                                          true,
	} {
		s := summarize(t, script(t, "user: "+text))
		if got := slices.ContainsFunc(s.Facts, isRule); got != stands {
			t.Errorf("%s: a rule is %t, %+v", text, got, s.Facts)
		}
		if len(s.Requests) == 0 && !stands || s.Task == nil || !strings.Contains(s.Task.Text, text[:20]) {
			t.Errorf("%s: no request", text)
		}
	}
}

// Who tells what was done or seen, what he wants to be sure of, or what the reader may prefer
// demands nothing, whatever words a rule might have as well.
//
// SPEC: B2, B18
func TestReportsAreNoRules(t *testing.T) {
	for text, stands := range map[string]bool{
		"I've turned Wi-Fi Calling off, but my messaging app still cannot send MMS messages.": false,
		"I just checked again, and my messaging app still cannot send MMS messages.":          false,
		"I ran the check, and it says my messaging app cannot send MMS messages.":             false,
		"The check says it can't reach Proxy 3.":                                              false,
		"I just want to make sure I do it correctly in Berlin.":                               false,
		"Oh, you’re right—I must have mixed that up with Paris.":                              false,
		"I understand your policy, but as a silver member I believe I'm entitled to a refund": false,
		"Let me know if you'd prefer to explore another date or routing.":                     false,
		"Hi, I need to know how many suitcases I am allowed in Rome.":                         false,
		"I'll keep an eye out for the e-mail from Anna.":                                      false,
		"I just want to make sure nothing slips through the cracks in May.":                   false,
		"I’m so sorry, Anna—I know this must be frustrating for you too.":                     false,
		"I’ve always lived in Philadelphia, so I thought 19103 was right.":                    false,
		"I know this must be done by Friday, and never in prod.":                              true,
		"This must be under 512 MB.":                                                          true,
		"We have always used tabs in Makefile, keep them.":                                    true,
		"I've told you: never touch the folder vendor.":                                       true,
		"Make sure I don't lose the data in orders.db.":                                       true,
		"Our policy is to ship on Fridays.":                                                   true,
		"Team policy: squash merges only.":                                                    true,
		"It's against policy to log user data.":                                               true,
		"The file must have a header of 12 bytes.":                                            true,
		"It must have no external dependencies.":                                              true,
		"You must have a test for every new function.":                                        true,
		"I must have a clean git history.":                                                    true,
		"You don't want to touch vendor/, it is generated.":                                   true,
		"I want to make sure I can roll back every migration.":                                true,
		"I need to make sure I see the diff before you commit.":                               true,
		"I need to know before you change anything in db/schema.sql.":                         true,
		"I have to run this on Python 3.8.":                                                   true,
		"I have to start the server on port 8080 only.":                                       true,
		"I need to support Python 3.6 and 3.7.":                                               true,
		"I noticed you use tabs; I prefer spaces.":                                            true,
		"I tried npm and hate it, I prefer pnpm.":                                             true,
		"I checked with legal: only Apache-2.0 licences are allowed.":                         true,
		"I've decided we only support Postgres 15 and later.":                                 true,
		"I've got a hard budget of 200 EUR for this.":                                         true,
		"I've changed the limit to 20 requests per second.":                                   true,
		"I just changed the deadline to 2025-03-01.":                                          true,
		"The spec says it is required to use UTF-8.":                                          true,
		"Legal says it cannot be stored outside the EU.":                                      true,
		"If you'd prefer another name, ask me before you rename anything.":                    true,
		"I'd prefer a window seat.":                                                           true,
		"You cannot use more than 512 MB.":                                                    true,
		"The linter says it must be under 100 columns, so keep the lines short.":              true,
	} {
		s := summarize(t, script(t, "user: "+text))
		if got := slices.ContainsFunc(s.Facts, isRule); got != stands {
			t.Errorf("%s: a rule is %t, %+v", text, got, s.Facts)
		}
	}
}

func isRule(f summary.Fact) bool { return f.Kind == summary.Constraint || f.Kind == summary.Preference }

// SPEC: B18. What the agent says it uses is no decision where it calls that as it says so.
func TestWhatACallDoes(t *testing.T) {
	const tool, program = `call find_file {"file_name":"a.py"}`, `call bash {"command":"find . -name a.py"}`
	for _, c := range []struct {
		said, call string
		want       int
	}{
		{"The folder is there. Let's use find_file to see where it is.", tool, 0},
		{"Let's use find to see where it is.", program, 0},
		{"Let's use Redis for the cache of the sessions.", program, 1},
		{"Let's use find_file instead of the table of names.", tool, 1},
	} {
		ms := script(t, "user: Go on.\n---\nassistant: "+c.said+"\n---\n"+c.call+"\n---\nresult: a.py")
		ms[1].Parts = append(ms[1].Parts, ms[2].Parts...) // one message
		if s := summarize(t, slices.Delete(ms, 2, 3)); len(s.Decisions) != c.want {
			t.Errorf("%q with %s: %v", c.said, c.call, s.Decisions)
		}
	}
}
