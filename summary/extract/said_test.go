package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. What the agent made of an output stands in place of the output's last line, which may
// be of one case of many; a verdict of tests and an error stand as they are.
func TestWhatTheAgentMadeOfARun(t *testing.T) {
	run := func(line, output string) string {
		return "call bash {\"command\":\"" + line + "\"}\n---\nresult: <returncode>0</returncode>\n<output>\n" + output + "\n</output>"
	}
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{
			"of one case of several", run("python cases.py", "case 1: boom\\ncase 2: Success!") + "\n---\nassistant: Hmm! The second case works, the first still crashes.",
			[]string{"- `python cases.py` → exit 0; the agent then: The second case works, the first still crashes. (#2)"},
			[]string{"Success!"},
		},
		{
			"a verdict", run("pytest -q", "3 passed in 0.1s") + "\n---\nassistant: The tests are green and the fix is complete.",
			[]string{"- `pytest -q` → exit 0: 3 passed in 0.1s (#2)"},
			[]string{"the agent then"},
		},
		{
			"an announcement", run("python cases.py", "limit: 12") + "\n---\nassistant: Let me look at the file of the limits next.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)"},
			[]string{"the agent then"},
		},
		{
			"of what is not told", run("python cases.py", "limit: 12") + "\n---\nassistant: That seems wrong, but the tests were passing before.\n\n---\n" + run("python more.py", "limit: 13") + "\n---\nassistant: It ran. Those tests have a limit that is higher by one.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)", "- `python more.py` → exit 0: limit: 13 (#5)"},
			[]string{"the agent then"},
		},
		{
			"after another call", run("python cases.py", "limit: 12") + "\n---\n" + run("cat a.py", "x = 1") + "\n---\nassistant: The limit of this file is too low.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)"},
			[]string{"the agent then"},
		},
		{
			"farther down", run("python cases.py", "limit: 12") + "\n---\nassistant: Good! It ran. The weather is fine in the afternoon.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)"},
			[]string{"weather"},
		},
		{
			"after a question of the user's", run("python cases.py", "limit: 12") + "\n---\nuser: And what does Kubernetes do?\n---\nassistant: Kubernetes is a system that schedules containers on nodes.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)"},
			[]string{"Kubernetes"},
		},
		{
			"twice", run("python cases.py", "limit: 12") + "\n---\nassistant: The limit is correct for all of the cases.\n---\nuser: And what does Kubernetes do?\n---\nassistant: Kubernetes is a system that schedules containers on nodes.",
			[]string{"- `python cases.py` → exit 0; the agent then: The limit is correct for all of the cases. (#2)"},
			[]string{"Kubernetes"},
		},
		{
			"another run since", run("python cases.py", "limit: 12") + "\n---\nassistant: The limit is still too low here.\n\n---\n" + run("python cases.py", "limit: 15"),
			[]string{"- `python cases.py` → exit 0: limit: 15 (run 2 times) (#5)"},
			[]string{"too low"},
		},
		{
			"found not done", run("python fix.py", "Fixed the limit") + "\n---\n" + run("cat a.py", "x = 1") + "\n---\nassistant: Oops, the script didn't work correctly. It was too short.",
			[]string{"- `python fix.py` → exit 0; the agent then: Oops, the script didn't work correctly. (#2)"},
			[]string{"Fixed the limit"},
		},
		{
			"found as it was", run("python fix.py", "Already fixed") + "\n---\nassistant: Let me look.\n\n---\n" + run("cat a.py", "x = 1") + "\n---\nassistant: It's still not fixed.",
			[]string{"- `python fix.py` → exit 0; the agent then: It's still not fixed. (#2)"},
			[]string{"Already"},
		},
		{
			"found right", run("python fix.py", "Fixed the limit") + "\n---\n" + run("cat a.py", "x = 1") + "\n---\nassistant: Good. My fix didn't break the others.",
			[]string{"- `python fix.py` → exit 0: Fixed the limit (#2)"},
			[]string{"the agent then"},
		},
		{
			"with what it says next to it still fails", run("python cases.py", "limit: 12") + "\n---\nassistant: Good progress! Most cases pass now. The second case still fails, but that's a separate issue. The rest is fine.",
			[]string{"- `python cases.py` → exit 0; the agent then: Most cases pass now. The second case still fails, but that's a separate issue. (#2)"},
			[]string{"limit: 12"},
		},
		{
			"as a success that is the fault", run("python cases.py", "set() succeeded") + "\n---\nassistant: So `set()` succeeds because `make()` creates the table. That's the bug we need to fix.",
			[]string{"- `python cases.py` → exit 0; the agent then: So `set()` succeeds because `make()` creates the table. That's the bug we need to fix. (#2)"},
			[]string{"set() succeeded"},
		},
		{
			"with a contrast that is too long to stand with it", run("python cases.py", "limit: 12") + "\n---\nassistant: The limit of all of the cases " + strings.Repeat("and more ", 20) + "is read. However, the limit of the last case is too low.",
			[]string{"- `python cases.py` → exit 0; the agent then: However, the limit of the last case is too low. (#2)"},
			[]string{"and more"},
		},
		{
			"with a contrast that only announces", run("python cases.py", "limit: 12") + "\n---\nassistant: The limit of the last case is too low. But let me look at the others.",
			[]string{"- `python cases.py` → exit 0; the agent then: The limit of the last case is too low. (#2)"},
			[]string{"the others"},
		},
		{
			"as praise, and doubted in another paragraph", run("python cases.py", "case 2: L031") + "\n---\nassistant: Perfect! The error message is now correct: \"a\" and not \"b\".\n\nHowever, the author says that the second case should pass.",
			[]string{"- `python cases.py` → exit 0: case 2: L031 (#2)"},
			[]string{"the agent then"},
		},
		{
			"as a finding before what others say", run("python cases.py", "limit: 12") + "\n---\nassistant: Hmm, we still get a limit when there is no case. The PR says \"there is no limit.\" This suggests that we return none.",
			[]string{"- `python cases.py` → exit 0; the agent then: Hmm, we still get a limit when there is no case. (#2)"},
			[]string{"suggests"},
		},
		{
			"after it turned to something else", run("python cases.py", "limit: 12") + "\n---\nassistant: Let me look at the actual problem more directly. The issue is in the limit of the files.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)"},
			[]string{"the agent then"},
		},
		{
			"and later finds otherwise", run("python cases.py", "limit: 12") + "\n---\nassistant: Interesting! With a schema prefix (`dbo.x`), the rule doesn't trigger. Let me check why.\n\n---\n" + run("cat a.py", "x = 1") + "\n---\nassistant: But the important thing is that L031 DOES trigger even with schema prefix when we use brackets.",
			[]string{"- `python cases.py` → exit 0: limit: 12 (#2)"},
			[]string{"the agent then"},
		},
		{
			"and later finds otherwise of something else", run("python cases.py", "limit: 12") + "\n---\nassistant: Interesting! With a schema prefix (`dbo.x`), the rule doesn't trigger. Let me check why.\n\n---\n" + run("cat a.py", "x = 1") + "\n---\nassistant: The other check does trigger here. If the schema prefix does trigger it, it is well. Does it trigger with the schema prefix?",
			[]string{"- `python cases.py` → exit 0; the agent then: With a schema prefix (`dbo.x`), the rule doesn't trigger. (#2)"},
			[]string{"limit: 12"},
		},
		{
			"found not done after another change", run("python fix.py", "Fixed the limit") + "\n---\ncall edit {\"path\":\"a.py\",\"old\":\"1\",\"new\":\"2\"}\n---\nresult: ok\n---\nassistant: The edit didn't work.",
			[]string{"- `python fix.py` → exit 0: Fixed the limit (#2)"},
			[]string{"the agent then"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, strings.ReplaceAll(c.log, `\n`, "\n"))
			whole := wording.Text(summarize(t, ms), 0, nil)
			for cut := 1; cut < len(ms); cut++ { // a round of the summary ends there
				if ms[cut].Role == message.Tool {
					continue // within a call and its result
				}
				if got := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil); commands(got) != commands(whole) {
					t.Errorf("cut at %d: %s, not %s", cut, commands(got), commands(whole))
				}
			}
			for _, w := range c.want {
				if !strings.Contains(whole, w) {
					t.Errorf("missing %q in\n%s", w, whole)
				}
			}
			for _, w := range c.without {
				if strings.Contains(commands(whole), w) {
					t.Errorf("%q stands in\n%s", w, whole)
				}
			}
		})
	}
}

// SPEC: B18. What shares no word with an error and speaks of something else, or of what is to be done,
// does not explain it; the kind of a thing is no such word.
func TestWhatExplainsNoError(t *testing.T) {
	for _, c := range []struct{ name, shown, said string }{
		{"after it turned to something else", "AttributeError: 'Linter' object has no attribute 'rulepack'", "Let me look at the actual problem more directly. The issue is in the `aliases` method."},
		{"the kind of a thing", "TypeError: class, method, traceback or frame expected, got zone", "Let me try another input. Let me read it once more. The traceback of the report says line 440 in split.py."},
		{"what is to be done", "ValueError: zone", "Yes! So this is it. It should catch `ValueError` and raise `ZoneError` instead."},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "call bash {\"command\":\"python a.py\"}\n---\nresult: "+c.shown+"\n\nCommand exited with code 1\n---\nassistant: "+c.said)
			text := wording.Text(summarize(t, ms), 0, nil)
			if want := c.shown + " — from `python a.py` (#2)"; !strings.Contains(text, want) {
				t.Errorf("missing %q in\n%s", want, text)
			}
		})
	}
}

func commands(text string) string {
	_, text, _ = strings.Cut(text, "## Commands run\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// SPEC: B18. An answer that asks for something is told as one; of an answer in JSON the words
// count, without their escapes.
func TestHowRequestsEnd(t *testing.T) {
	for _, c := range []struct{ name, log, want, without string }{
		{"a question", "user: Please cancel order #W31.\n---\nassistant: I found it.\nShall I cancel it now?", "(#1), answered (#2), asking back", ""},
		{"a question before the end", "user: Please cancel order #W31.\n---\nassistant: Which one? I found it.\n\nIt is cancelled.\n\nThe refund is on its way.\n\nHave a nice day.", "(#1), answered (#2)", "asking"},
		{"a question before its options", "user: Please cancel order #W31.\n---\nassistant: I found it. Which card would you like to use? These are:\n- the one ending in 11\n- the one ending in 12\n- the one ending in 13", "(#1), answered (#2), asking back", ""},
		{"a question before what was done", "user: Please cancel order #W31.\n---\nassistant: Which one? I found it. It is cancelled. What was done:\n- the order\n- the refund\n- the mail", "(#1), answered (#2)", "asking"},
		{"waiting for a choice", "user: Please cancel order #W31.\n---\nassistant: I found it. Please specify the reason.", "(#1), answered (#2), asking back", ""},
		{"a question in a line", "user: Please cancel order #W31.\n---\nassistant: I found it. Do you confirm? Please respond with \"yes\".", "(#1), answered (#2), asking back", ""},
		{"done, and what next", "user: Please cancel order #W31.\n---\ncall cancel_order {\"id\":\"#W31\"}\n---\nresult: {\"status\": \"cancelled\"}\n---\nassistant: Done. Want me to look at another order?", "(#1), answered (#4), asking back", ""},
		{"not done, and what next", "user: Please cancel order #W31.\n---\ncall cancel_order {\"id\":\"#W31\"}\n---\nresult: Error: no such order\n---\nassistant: It failed. Which order is it?", "(#1), answered (#4) after a call that failed (#3), asking back", ""},
		{"a file written, and what next", "user: Please write the plan down.\n---\ncall write {\"path\":\"plan.md\",\"content\":\"x\"}\n---\nresult: ok\n---\nassistant: Done. Want me to start?", "(#1), answered (#4), asking back", ""},
		{"spoken of before the last call", "user: Please raise the limit.\n---\nassistant: Both work.\n\n---\ncall bash {\"command\":\"git commit -am x\"}\n---\nresult: [main 1234567] x\n---\nuser: Please write the notes of the release, with the date.", "- Please raise the limit. (#1), in work when the user spoke again, after #4", "at work"},
		{"a question in the middle", "user: Book option B with both certificates.\n---\nassistant: Thank you. Could you please confirm your date of birth? I need it for this.\n\nThe flight is HAT136.\n\nThe price is $255.\n\nBoth are free.\n\nThank you.", "(#1), answered (#2), asking back", ""},
		{"waiting in the middle", "user: Book option B with both certificates.\n---\nassistant: Once you confirm the date, I'll go on.\n\nThe flight is HAT136.\n\nThe price is $255.\n\nBoth are free.\n\nThank you.", "(#1), answered (#2), asking back", ""},
		{"a condition in code", "user: Please set the limit.\n---\nassistant: It is set now: `const limit = big ? 5 : 3`\nconst limit = big ? 5 : 3", "(#1), answered (#2)", "asking"},
		{"in German", "user: Bitte storniere die Bestellung #W31.\n---\nassistant: Ich habe sie gefunden. Bitte bestätigen Sie die Stornierung.", "answered (#2), asking back", ""},
		{"in JSON without a blank", `user: 请取消订单 #W31。` + "\n---\n" + `assistant: {"message":"我找到了订单。要取消吗？请回复。"}` + "\n---\nuser: 是的", "(#1), answered (#2), asking back", "not answered yet"},
		{"a number in JSON", `user: What is the sum of 2 and 40?` + "\n---\n" + `assistant: {"answer":"42"}` + "\n---\nuser: Thanks. And of 3 and 40?", "(#1), answered (#2)", "not answered yet"},
		{"never begun", "user: Please raise the limit of a to 3.\n---\ncall bash {\"command\":\"make a\"}\n---\nresult: ok\n---\nuser: Please lower the limit of b to 4.\n---\nuser: Please raise the limit of c to 5.", "- Please lower the limit of b to 4. (#4)", "b to 4. (#4), in work"},
		{"in JSON", `user: Please cancel order #W31.` + "\n---\n" + `assistant: {"message": "I found order #W31.", "next": {"ask": "Shall I cancel it now?"}, "items": 2}`, "(#1), answered (#2), asking back", ""},
		{"in Chinese", "user: 请取消订单 #W31。\n---\nassistant: 我找到了。要取消吗？", "answered (#2), asking back", ""},
		{"a finding in JSON", `user: Please cancel order #W31.` + "\n---\n" + `assistant: {"plan": "1. The certificates hold $1,000 in total.\n2. The gift cards hold $327 in total."}`, "- The certificates hold $1,000 in total. (#2)", `\n`},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			for cut := 1; cut < len(ms); cut++ { // a round of the summary ends there
				if ms[cut].Role == message.Tool {
					continue // within a call and its result
				}
				text := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil)
				if !strings.Contains(text, c.want) || c.without != "" && strings.Contains(text, c.without) {
					t.Errorf("cut at %d: want %q, not %q, in\n%s", cut, c.want, c.without, text)
				}
			}
		})
	}
}

// SPEC: B18. What the agent left to do may have been done once it changed something: then it is
// no open item.
func TestWhatTheAgentLeftToDo(t *testing.T) {
	for said, open := range map[string]bool{
		"We still need to escape the names.": true, "So if we add an encoder, the filter will need to handle it somehow.": false, "If it fails, we will need to escape the names.": false,
		"- [ ] Escape the names": true, "- [ ] N/A, escape the names": false,
	} {
		if s := summarize(t, script(t, "user: Please move my trip.\n---\nassistant: "+said)); len(s.OpenItems()) > 0 != open {
			t.Errorf("%q is open: %t", said, !open)
		}
	}
	const plan = "user: Please move my trip.\n---\nassistant: The plan:\n- [ ] Cancel reservation K1NW8N\n- [ ] Book a new one"
	const did = "\n---\ncall cancel_reservation {\"id\":\"K1NW8N\"}\n---\nresult: "
	for log, stands := range map[string]bool{plan: true, plan + did + `{"status": "cancelled"}`: false, plan + did + "Error: no such reservation": true} {
		text := wording.Text(summarize(t, script(t, log)), 0, nil)
		_, open, _ := strings.Cut(text, "## Open items")
		if strings.Contains(open, "Cancel reservation K1NW8N") != stands {
			t.Errorf("%t, and:\n%s", stands, text)
		}
	}
}
