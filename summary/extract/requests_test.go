package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// checkText reports what a summary's text lacks of what it must say, and what it says though it must not.
func checkText(t *testing.T, text string, want, without []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
	for _, w := range without {
		if strings.Contains(text, w) {
			t.Errorf("%q stands in\n%s", w, text)
		}
	}
}

// SPEC: B18. What a user asks in passing, as an item of a list or beside a rule is a request, and is
// no fact; what the agent had asked for is none.
func TestWhatIsARequest(t *testing.T) {
	const begun = "user: Please fix the login.\n---\nassistant: It is fixed.\n---\n"
	const asking = "user: Please fix the login.\n---\nassistant: Which port is it?\n---\n"
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"nothing but rules at first", "user: Never touch src/db.go.", []string{"## Constraints and preferences (verbatim)\n- Never touch src/db.go. (#1)\n## Requests of the user, in order\n- Never touch src/db.go. (#1)"}, nil},
		{"nothing but rules later", begun + "user: Never touch src/db.go.", []string{"- Never touch src/db.go. (#3)\n## Requests"}, []string{"## Facts"}},
		{"nothing but facts at first", "user: The build is red since 12.4.", []string{"## Facts stated\n- The build is red since 12.4. (#1)\n## Requests of the user, in order\n- The build is red since 12.4. (#1)"}, nil},
		{"nothing but facts", begun + "user: The build is red since 12.4.", []string{"(#1), answered (#2)\n- The build is red since 12.4. (#3)"}, nil},
		{"what the agent asked for", asking + "user: The port is 8080 there.", []string{"## Facts stated\n- The port is 8080 there. (#3)"}, []string{"asking back\n- The port"}},
		{"an item", begun + "user: Item 4: some totals of CREW35 are off by a cent.", []string{"(#1), answered (#2)\n- Item 4: some totals of CREW35 are off by a cent. (#3)"}, []string{"## Facts", "## Constraints"}},
		{"an item with a demand", begun + "user: Next item: order ord_17 was charged twice. Only one may happen. Do not lower the number of retries.", []string{"verbatim)\n- Do not lower the number of retries. (#3)\n## Req", "- Next item: order ord_17 was charged twice."}, []string{"## Facts"}},
		{"one from somewhere", begun + "user: Quick one from the support inbox: two mails for one order. It is ord_17.", []string{"(#1), answered (#2)\n- Quick one from the support inbox: two mails"}, []string{"## Facts"}},
		{"a value under a label", begun + "user: One thing: use port 8080.", []string{"- One thing: use port 8080. (#3)"}, nil},
		{"a rule beside it", begun + "user: Correction: a hold lives 14 minutes, not 8. Everywhere please, docs too. Keep the tests honest, no sleeping in tests.", []string{"- Keep the tests honest, no sleeping in tests. (#3)\n", "(#1), answered (#2)\n- … Everywhere please, docs too."}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, _, _ := strings.Cut(wording.Text(summarize(t, script(t, c.log)), 0, nil), "\n## Identifiers")
			checkText(t, text, c.want, c.without)
		})
	}
}

// SPEC: B18. Who names what the agent had offered, or does not have what it had asked for, answers and
// asks for nothing, also where the request stands elsewhere.
func TestAnswersAreNoRequests(t *testing.T) {
	const reason = "I can cancel it. Could you please provide the reason? The options are:\n\n1. Change of plan\n2. Weather\n3. Other reasons"
	const id = "I need your user ID and the reservation ID. Could you please provide those details?"
	for _, c := range []struct {
		question, said string
		asks           bool
	}{
		{reason, "Change of plan.", false},
		{reason, "other reasons", false},
		{reason, "Weather", false},
		{reason, "Change the port.", true},
		{reason, "Cancel it.", true},
		{"I cancelled it.", "Change of plan.", true},
		{"Which class, economy or first class?", "First class", false},
		{"您想要经济舱还是商务舱？", "商务舱。", false},
		{"Möchten Sie die Economy Class oder die Business Class?", "Die Business Class.", false},
		{"Shall I fix the test or delete it?", "Fix the test.", true},
		{id, "I don't have the reservation ID with me.", false},
		{id, "Sorry, I don’t know.", false},
		{id, "I don't remember it. Please look it up.", true},
		{id, "I don't have it, can you look it up?", true},
		{id, "I don't have a seat.", true},
		{"It is done.", "I don't have the reservation ID with me.", true},
		{id, "Sure, my user ID is sofia_kim_7287.", false},
		{id, "My user ID is sofia_kim_7287. Cancel all of it.", true},
		{"It is done.", "Sure, my user ID is sofia_kim_7287.", true},
		{"Können Sie mir bitte die Buchungsnummer nennen?", "Die Buchungsnummer habe ich nicht.", false},
		{"¿Cuál es el número de reserva?", "No tengo el número de reserva.", false},
		{"Quel est le numéro de réservation ?", "Je ne sais pas.", false},
		{"请提供您的预订编号。", "我没有预订编号。", false},
	} {
		for _, before := range []string{"", "user: Please fix the login.\n---\n"} {
			text := wording.Text(summarize(t, script(t, before+"assistant: "+c.question+"\n---\nuser: "+c.said+"\n---\nassistant: I see.")), 0, nil)
			_, requests, _ := strings.Cut(text, "## Requests")
			requests, _, _ = strings.Cut(requests, "## Identifiers")
			if strings.Contains(requests, c.said) != c.asks {
				t.Errorf("%q after %q is a request: %t\n%s", c.said, c.question, !c.asks, text)
			}
		}
	}
}

// SPEC: B18. What only agrees, thanks or asks to try again is no request in any language; what asks for
// something beside it is one.
func TestThanksAndTryAgainAreNoRequests(t *testing.T) {
	for said, asks := range map[string]bool{
		"ok great, thanks": false, "nice": false, "Perfect, that works!": false, "Looks good to me": false, "It works now, thank you so much!": false, "Excellent. That's exactly what I wanted.": false,
		"Nice work!": false, "thx": false, "Understood, thanks a lot": false, "Super, danke!": false, "Alles klar, vielen Dank": false, "Perfekt, das funktioniert.": false, "Danke dir, passt alles": false,
		"¡Genial, muchas gracias!": false, "Perfecto, ya funciona": true, "Perfecto, funciona": false, "Muy bien, gracias": false, "Parfait, merci beaucoup !": false, "Ça marche, merci": false, "D'accord, c'est bon": false,
		"Ok verstanden. Mach weiter.": false, "Entendido, sigue": false, "Compris, merci": false, "Verstanden, jetzt die Doku": true,
		"太好了，谢谢！": false, "很好": false, "没问题，收到": false, "好的，谢谢你。": false,
		"try again": false, "Please try again.": false, "Retry": false, "again please": false, "ok, try that again please": false, "Noch einmal, bitte": false, "Versuch es nochmal": false, "Inténtalo de nuevo": false, "Réessaie": false, "再试一次": false, "请重试": false,
		"Nice, now the docs": true, "Try again with port 8080": true, "Thanks! Add a test": true, "Danke, jetzt die Doku": true, "Gracias, ahora la documentación": true, "谢谢，再加一个测试": true, "Versuch es nochmal mit Port 8080": true, "It works, but slowly": true,
		"everything again from scratch": true, "once more with feeling": true, "work on the docs": true,
	} {
		text := wording.Text(summarize(t, script(t, "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: "+said)), 0, nil)
		_, requests, _ := strings.Cut(text, "## Requests")
		if strings.Contains(requests, "(#3)") != asks {
			t.Errorf("%q is a request: %t\n%s", said, !asks, text)
		}
	}
}

// SPEC: B18. A command that the user ran past the agent is no request, and the answer that follows is
// one to the request before it.
func TestCommandsOfTheUserAreNoRequests(t *testing.T) {
	for _, ran := range []string{
		"[user ran] ls\nnever.md\nREADME.md", "Ran `make`\n```\nmust not fail\n```\n\nCommand exited with code 2", "<bash-input>git status</bash-input>",
		"<bash-stdout>always.go</bash-stdout><bash-stderr></bash-stderr>", "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```",
	} {
		s := summarize(t, script(t, "user: Please fix the login.\n---\nuser: "+ran+"\n---\nassistant: It is fixed.\n---\nuser: "+ran+"\n---\nassistant: I see."))
		text, _, _ := strings.Cut(wording.Text(s, 0, nil)+"\n", "## Identifiers")
		if _, got, _ := strings.Cut(text, "]"); !strings.HasSuffix(text, "\n## Requests of the user, in order\n- Please fix the login. (#1), answered (#5)\n") {
			t.Errorf("%q: %s", ran, got)
		}
	}
}

// SPEC: B18. What a user corrects does not stand beside what stands in its place.
func TestCorrectionsOfTheUserStand(t *testing.T) {
	text := wording.Text(summarize(t, script(t, "user: Use certificate C-42 for the payment of both.\n---\nassistant: I will.\n---\nuser: No, use certificate C-99.")), 0, nil)
	if text, _, _ = strings.Cut(text, "\n## Requests"); strings.Contains(text, "C-42") || !strings.Contains(text, "- No, use certificate C-99. (#3)") {
		t.Errorf("the older one stands in\n%s", text)
	}
}

// SPEC: B18. What a user states is a fact; a request behind a label, and a line of a log, are none.
func TestLabelsAndLogLinesAreNoFacts(t *testing.T) {
	for said, fact := range map[string]bool{
		"Request 3: please read file src/a7.go and tell me what it does.": false, "Step 2: fix the parser in src/lexer.go": false, "store.go:12:2 fieldalignment struct with 24 pointer bytes could be 16": false,
		"internal/auth/store.go:12:2: struct field tag alignment (fieldalignment) [warning]": false, "Line 0: the quick brown fox jumps over 7 dogs": false, "tools -> core/tools": false, "2026-03-01 10:00:00 ERROR port 8080 is in use": false, "ERROR port 8080 is in use": false,
		"I see what you mean, but I’m still unsure about that.": false, "I see what you mean, but I'm still unsure about that.": false, "I understand. In that case, let’s move on with it.": false, "I will fly with Mia.": true, "We’re in Boston for now.": true, "Date of Birth: [your date of birth]": false, "Date of Birth: 1990-03-15": true,
		"My port is 8080 there.": true, "The file cmd/main.go has 300 lines.": true, "Note: the port is 8080": true, "main.go, line 12 is wrong": true, "2026-03-01 is the day of the release 4.": true, "Line 12 is wrong there.": true,
	} {
		text := wording.Text(summarize(t, script(t, "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: "+said)), 0, nil)
		if got := strings.Contains(text, "## Facts stated\n- "+said+" (#3)"); got != fact {
			t.Errorf("%q is a fact: %t\n%s", said, got, text)
		}
	}
}

// SPEC: B18. A line of the agent's that the user repeats to speak of it is no fact of the user's; a rule is one
// all the same.
func TestWhatTheUserRepeatsIsNoFact(t *testing.T) {
	const proposed = "user: Please split main.go.\n---\nassistant: My proposal:\n- `selectSession()` function (TUI session picker)\n- **Port 8080** stays there for now\n- never touch go.mod\n\n---\n"
	for said, fact := range map[string]bool{
		"- selectSession() function (TUI session picker)\nthis belongs in model.go, no?": false, "Port 8080 stays there for now": false,
		"- the port 9090 is taken on that host\nthis belongs in model.go, no?": true, "- never touch go.mod\nyes": true,
	} {
		ms := script(t, proposed+"user: "+said)
		for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:2])))} {
			text, _, _ := strings.Cut(wording.Text(s, 0, nil), "## Requests")
			if first, _, _ := strings.Cut(strings.TrimPrefix(said, "- "), "\n"); strings.Contains(text, "- "+first+" (#3)") != fact {
				t.Errorf("%q is a fact: %t\n%s", said, !fact, text)
			}
		}
	}
}

// SPEC: B18. Who asks for something to be made, and says what it shall not hold, asks for something: it
// stands among the requests also when another one came.
func TestWorkWithARuleIsARequest(t *testing.T) {
	for said, asks := range map[string]bool{"Add a table of the results, no emojis.": true, "Write a test of the parser, but never touch go.mod.": true, "Make sure that no test is skipped.": false, "Never push.": false} {
		text := wording.Text(summarize(t, script(t, "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: "+said+"\n---\nassistant: Done.\n---\nuser: Please fix the page.")), 0, nil)
		if _, requests, _ := strings.Cut(text, "## Requests"); strings.Contains(requests, said+" (#3)") != asks || !strings.Contains(text, "- "+said+" (#3)\n## ") {
			t.Errorf("%q is a request: %t\n%s", said, !asks, text)
		}
	}
}

// SPEC: B18. What is ruled out or allowed is a rule; what was not there, or may be, is none.
func TestWhatIsRuledOutOrAllowed(t *testing.T) {
	for said, rule := range map[string]bool{
		"No new dependencies.": true, "Use the parser, no new files.": true, "No breaking changes please.": true, "no sleeping in tests": true,
		"You may add one migration, number 0014.": true, "The ones before 0014 stay as they are.": true,
		"Yes, good catch. You may add one new migration, number 0014, created concurrently. The existing ones stay as they are, that part of the rule stands.": true,
		"No new errors.": false, "No new messages since.": false, "No warning there.": false, "There are no new files.": false, "No.": false, "No new files?": false, "No problem, go on.": false,
		"When I click save, no loading happens.": false, "No string is returned by parse().": false, "Look at the app; no logging shows up in production.": false, "Fix the page: no rendering after login.": false,
		"After the update, no testing was done.": false, "No committing happens there.": false, "No pushing works since.": false, "No mocking was used before.": false, "No deploying has been done.": false, "No skipping occurred.": false, "Since then, no caching takes place.": false, "No sleeping helps here.": false,
		"No pushing to main.": true, "Run the tests, no mocking please.": true, "No guessing!": true, "No skipping of tests that fail.": true, "Fix it; no committing until I say so.": true, "No deploying before the tests pass.": true, "No force-pushing.": true, "No skipping failed tests.": true, "No pushing is allowed.": true, "No new files were added.": false, "No pushing unless CI is green.": true, "No editing files that git tracks.": true,
		"no Co-Authored-By lines in commits pls": true, "Add a table of the results, no emojis.": true, "Please send the list without email addresses.": false, "Send the list please, without email addresses.": true, "No checked bags please.": true, "Without a header, please.": true,
		"No luck with the tests, please look again.": false, "No idea, please check.": false, "No thanks.": false, "No I meant the other one please.": false, "No it fails please look.": false, "Write the report, no rush.": false, "Without the flag, the build fails.": false, "no signal on the phone": false, "No cancel the other order please.": false,
		"skip 4 for now.": true, "Hold off on the metrics for now.": true, "Let's hold off on the upload.": true, "I will hold off on the upload.": false, "The line is on hold.": false, "leave the alignment warning.": true, "ok, leave the tests alone": true, "Skip the docs.": true, "do 1 and 2, README I will write myself": true, "I'll push it myself.": true, "dont force-push, #482 is already approved": true,
		"Keep the lexer as it is.": true, "Feel free to refactor the parser; keep the lexer as it is.": true, "You can change the tests but leave src/api.go alone.": true, "Please keep src/a.go as is.": true, "Let the old pages stay the way they are.": true, "Change anything except config.yml.": true, "Lass src/api.go so.": true, "You can edit everything but the parser.": true,
		"The server keeps the connection as it is.": false, "Everything except the login works.": false, "I want to keep going as it is late.": false, "Change the port as it is taken.": false, "Keep me posted, as it is urgent.": false, "If they want to skip it, let them do so.": false, "To change the seat, let the page do so.": false,
		"Can you switch all to the cheapest for $1,150? If that's not allowed, please cancel order W9348897.": false, "I get the policy, but is there an exception? If not, I'll need help with it.": false, "Has it shipped? If not, I'd like to change it to the 500 pieces.": false,
		"Can you book HAT069? If not, never book one before 11:00.": true, "Could you please keep the existing API? If not, tell me.": true,
		"Leave a comment at line 12.": false, "Leave on May 5.": false, "Leave from Boston on May 5": false, "Leave after 17:00, please.": false, "Leave port 8080 open.": true, "Leave src/db.go alone.": true,
		"btw, can we make it so we keep the old code around for reference?": true, "Can you leave the tests as they are?": true, "Could you please keep the existing API?": true, "Can we keep going?": false, "Can you keep the old man busy?": false, "can we keep it?": false, "Should we keep the old code?": false,
		"Leave a comment there.": false, "skip ahead": false, "I fixed it myself.": false, "I'll buy one for myself.": false, "I guess I'll have to do it myself": false, "I dont know the port.": false,
		"You may have seen 0014 in the list.": false, "You may be tired.": false,
	} {
		text := wording.Text(summarize(t, script(t, "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: "+said)), 0, nil)
		if got := strings.Contains(text, "## Constraints and preferences (verbatim)\n- "+said+" (#3)"); got != rule {
			t.Errorf("%q is a rule: %t\n%s", said, got, text)
		}
	}
}

// SPEC: B18. A proviso in the next sentence makes no request of a rule that is worded as a wish.
func TestProvisosLeaveRulesRules(t *testing.T) {
	const rest = " If that can't be done for some reason, then take the old one of the two and tell me about it."
	for said, rule := range map[string]bool{"Only the port 8080 is open." + rest: true, "I'd rather have the port 8080 there." + rest: true, "Book the flight HAT069 only." + rest: false} {
		text := wording.Text(summarize(t, script(t, "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: "+said)), 0, nil)
		if got := strings.Contains(text, "verbatim)\n- "+said+" (#3)"); got != rule {
			t.Errorf("%q is a rule: %t\n%s", said, got, text)
		}
	}
}

// SPEC: B18. Of a request with which the user takes something on, only that is a rule.
func TestWhatTheUserTakesOnIsTheRule(t *testing.T) {
	for said, rule := range map[string]string{
		"That's okay. Let's just cancel the entire reservation instead, and I'll rebook it myself later.": "and I'll rebook it myself later.",
		"Please fix the page, I'll push it myself.":                                                       "I'll push it myself.",
		"Fix the test; I will write the docs myself":                                                      "I will write the docs myself",
		"do 1 and 2, README I will write myself":                                                          "do 1 and 2, README I will write myself",
		"Add a test, but never push, I'll do it myself.":                                                  "Add a test, but never push, I'll do it myself.",
	} {
		text := wording.Text(summarize(t, script(t, "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: "+said+"\n---\nassistant: It can't be done.\n---\nuser: Please fix the docs.")), 0, nil)
		rules, requests, _ := strings.Cut(text, "## Requests")
		if !strings.Contains(rules, "## Constraints and preferences (verbatim)\n- "+rule+" (#3)\n") || strings.Contains(requests, "(#3), answered (#4)\n") != (rule[:2] != "do") {
			t.Errorf("%q: the rule is not %q, or it is no request in\n%s", said, rule, text)
		}
	}
}

// SPEC: B18. An answer belongs to the request that the user had made last, unless the user said other
// things before it; who agrees to what the agent asks, answers it or urges it on says no other thing.
func TestAnswersBelongToRequests(t *testing.T) {
	const call, result = "\n---\ncall bash {\"command\":\"make a\"}", "\n---\nresult: ok"
	for _, c := range []struct{ name, log, want, without string }{
		{"a rule after it", "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: Never push.\n---\nassistant: I will not.", "(#1), answered (#2)\n", "#4"},
		{"thanks after it", "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: wow, nice\n---\nassistant: You are welcome.", "(#1), answered (#2)\n", "#4"},
		{"a rule before it", "user: Please fix the login.\n---\nuser: Never push.\n---\nassistant: It is fixed.", "(#1)\n", "answered"},
		{"a yes before it", "user: Please fix the login.\n---\nuser: ok\n---\nassistant: It is fixed.", "(#1), answered (#3)\n", ""},
		{"a yes while at work", "user: Please fix the login." + call + result + "\n---\nuser: ok\n---\nassistant: It is fixed.", "(#1), answered (#5)\n", ""},
		{"urged on while at work", "user: Please fix the login." + call + result + "\n---\nuser: continue" + call + result, "(#1), the agent at work up to #6\n", ""},
		{"urged on behind an announcement", "user: Please fix the login.\n---\nassistant: I will look at it now.\n---\nuser: ok, go ahead" + call + result + "\n---\nassistant: It is fixed.", "(#1), answered (#6)\n", ""},
		{"urged on twice", "user: Please fix the login.\n---\nassistant: I will look at it now.\n---\nuser: ok\n---\nuser: go ahead" + call + result + "\n---\nassistant: It is fixed.", "(#1), answered (#7)\n", ""},
		{"urged on in words of more", "user: Please fix the login." + call + result + "\n---\nuser: Keep going!" + call + result + "\n---\nassistant: It is fixed.", "(#1), answered (#7)\n", "going"},
		{"urged on behind a failure", "user: Please fix the login." + call + "\n---\nresult: Error: no such file\n---\nuser: continue\n---\nassistant: It is fixed.", "(#1), answered (#5) after a call that failed (#3)\n", ""},
		{"a rule behind thanks", "user: Please fix the login.\n---\nassistant: It is fixed.\n---\nuser: thanks\n---\nuser: Never push." + call + result + "\n---\nassistant: I will not.", "(#1), answered (#2)\n", "#7"},
		{"a rule while at work", "user: Please fix the login." + call + result + "\n---\nuser: Never push.\n---\nuser: ok\n---\nassistant: It is fixed.", "(#1), in work when the user spoke again, after #3\n", "answered"},
		{"agreed to", "user: Please fix the login.\n---\nassistant: Shall I push it?\n---\nuser: yes" + call + result + "\n---\nassistant: It is pushed.", "(#1), answered (#6)\n", ""},
		{"answered to", "user: Please fix the login.\n---\nassistant: Which port is it?\n---\nuser: The port is 8080 there." + call + result + "\n---\nassistant: It is fixed.", "(#1), answered (#6)\n", ""},
		{"a request while at work", "user: Please fix the login." + call + result + "\n---\nuser: Please keep the old page, too.\n---\nassistant: Good idea." + call + result + "\n---\nassistant: The login is fixed.\n---\nuser: Please add a test.", "(#1), in work when the user spoke again, after #3\n- Please keep the old page, too. (#4), replied to in #5\n- Please add a test. (#9)", "answered"},
		{"a request while at work behind a rule", "user: Please fix the login." + call + result + "\n---\nuser: Never push.\n---\nassistant: I will not." + call + result + "\n---\nuser: Please keep the old page, too.\n---\nassistant: Good idea." + call + result + "\n---\nassistant: The login is fixed.\n---\nuser: Please add a test.", "(#1), in work when the user spoke again, after #3\n- Please keep the old page, too. (#8), replied to in #9\n- Please add a test. (#13)", "answered"},
		{"one that the agent is silent on", "user: Please fix the login." + call + result + "\n---\nuser: Please keep the old page, too." + call + result + "\n---\nassistant: The login is fixed.\n---\nuser: Please add a test.", "- Please keep the old page, too. (#4)\n- Please add a test. (#8)", "answered"},
		{"the last one while at work", "user: Please fix the login." + call + result + "\n---\nuser: Please keep the old page, too.\n---\nassistant: Good idea." + call + result + "\n---\nassistant: Shall I push it?", "- Please keep the old page, too. (#4), replied to in #5, the agent's last word (#8), asking back\n", "answered"},
		{"another request", "user: Please fix the login.\n---\nassistant: Shall I push it?\n---\nuser: Yes. Please add a test, too.\n---\nassistant: It is pushed.", "(#1), answered (#2) with a question\n- Yes. Please add a test, too. (#3), answered (#4)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			for cut := 1; cut < len(ms); cut++ { // a round of the summary ends there
				if ms[cut].Role == message.Tool {
					continue // within a call and its result
				}
				text := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil) + "\n"
				_, requests, _ := strings.Cut(text, "## Requests")
				if requests, _, _ = strings.Cut(requests, "\n## "); !strings.Contains(requests+"\n", c.want) || c.without != "" && strings.Contains(requests, c.without) {
					t.Errorf("cut at %d: want %q, not %q, in\n%s", cut, c.want, c.without, text)
				}
			}
		})
	}
}

// SPEC: B18, B20. A rule stands with its proviso in the next sentence, and what a user lists as to be
// told is part of the request.
func TestProvisosAndLists(t *testing.T) {
	const said = `Please downgrade my trips.
- If a bag becomes chargeable in economy, remove it so I don't get a bag fee. If that can't be done for some reason, stop and confirm with me before proceeding.
- Always take the gift card 4421. Otherwise take the card 1177.
- Never book a seat in row 13. If it isn't free, unless I ask, leave it.
- The fee must be below $200. If it isn't, can we keep the seat?
- Never call Mia Kowal. If she calls, tell me.

After you finish the other downgrades, please send:
- The total I'm saving across those 3 completed changes
- New dates of K1NW8N, never of others

My port is 8080 there.`
	text := wording.Text(summarize(t, script(t, "user: "+said)), 0, nil)
	text, _, _ = strings.Cut(text, "\n## Identifiers")
	for _, w := range []string{
		"- If a bag becomes chargeable in economy, remove it so I don't get a bag fee. If that can't be done for some reason, stop and confirm with me before proceeding. (#1)",
		"- Always take the gift card 4421. Otherwise take the card 1177. (#1)", "- Never book a seat in row 13. If it isn't free, unless I ask, leave it. (#1)", "- The fee must be below $200. (#1)", "- Never call Mia Kowal. (#1)",
		"- New dates of K1NW8N, never of others (#1)", "- My port is 8080 there. (#1)",
	} {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
	if strings.Contains(text, "- The total I'm saving across those 3 completed changes (#1)") {
		t.Errorf("a thing to send is a fact in\n%s", text)
	}
}

// SPEC: B18. Of a long request the end stands as well: it may hold what is asked for.
func TestTheEndOfALongRequestStands(t *testing.T) {
	said := "Please look at the page. " + strings.Repeat("There is a row that shows the wrong value in one of its columns. ", 60) + "Fix the third row only."
	for _, log := range []string{"user: " + said, "user: " + said + "\n---\nassistant: It is fixed.\n---\nuser: " + said + "\n---\nassistant: It is fixed."} {
		text := wording.Text(summarize(t, script(t, log)), 0, nil)
		if _, requests, _ := strings.Cut(text, "## Requests of the user, in order\n"); !strings.Contains(requests, "- Please look at the page. There is") || !strings.Contains(requests, " Fix the third row only. (#") {
			t.Errorf("the end is not told in\n%s", text)
		}
	}
	s := summarize(t, script(t, "user: "+said+"\n---\nassistant: It is fixed."))
	if x := s.Requests[0].Text; len(x) > 400 || !strings.HasSuffix(x, " Fix the third row only.") {
		t.Errorf("the end is not kept in %q", x)
	}
}

// SPEC: B18. What a user writes in several parts of one message is one request; a part that only
// holds what a program adds takes nothing away from it.
func TestRequestsInParts(t *testing.T) {
	const added = "<environment_details>\n# Open files\nnever.go\n</environment_details>"
	for _, c := range []struct {
		name  string
		parts []string
		want  string
	}{
		{"behind it", []string{"Fix the login.", added}, "- Fix the login. (#1), answered (#2)\n"},
		{"before it", []string{added, "Fix the login."}, "- Fix the login. (#1), answered (#2)\n"},
		{"around it", []string{added, "Fix the login.", added, "Then add a test."}, "- Fix the login. Then add a test. (#1), answered (#2)\n"},
		{"a rule behind it", []string{"Fix the login.", "Never push."}, "- Fix the login. Never push. (#1), answered (#2)\n"},
		{"nothing else", []string{added}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := message.Message{Role: message.User}
			for _, p := range c.parts {
				said.Parts = append(said.Parts, message.Part{Kind: message.Text, Text: p})
			}
			s := summarize(t, []message.Message{said, message.TextOf(message.Assistant, "It is done.")})
			text, _, _ := strings.Cut(wording.Text(s, 0, nil)+"\n", "## Identifiers")
			if _, requests, _ := strings.Cut(text, "## Requests of the user, in order\n"); requests != c.want {
				t.Errorf("want %q in\n%s", c.want, text)
			}
		})
	}
}
