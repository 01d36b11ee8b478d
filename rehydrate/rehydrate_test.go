package rehydrate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/thread"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func user(text string) message.Message      { return message.TextOf(message.User, text) }
func assistant(text string) message.Message { return message.TextOf(message.Assistant, text) }

func call(id, name, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
}

func result(id, text string) message.Message {
	return message.Message{Role: message.Tool, Parts: []message.Part{
		{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}},
	}}
}

func calls(text string, ps ...message.Part) message.Message {
	m := assistant(text)
	if text == "" {
		m.Parts = nil
	}
	m.Parts = append(m.Parts, ps...)
	return m
}

// count is a token counter: four bytes a token.
func count(s string) int { return (len(s) + 3) / 4 }

// old is the beginning of every thread here: n rounds whose results are
// externalized.
func old(n int) []message.Message {
	ms := []message.Message{user("Repair the build.")}
	for i := range n {
		id := fmt.Sprint("old", i)
		ms = append(ms, calls("", call(id, "Bash", `{"command":"make"}`)), result(id, fmt.Sprintf("output %d of make", i)))
	}
	return append(ms, assistant("The build is repaired."))
}

// ask is a turn: the old rounds, with an artifact for each id, then ms. hints
// are those of the records.
func ask(t testing.TB, ids, hints []string, ms ...message.Message) rehydrate.Ask {
	t.Helper()
	th, err := thread.New(thread.Extend("", append(old(len(ids)), ms...)))
	if err != nil {
		t.Fatal(err)
	}
	a := rehydrate.Ask{Thread: th, Now: now, Reserve: 2000, Count: count, Tool: "precis_read"}
	var p plan.Plan
	for i, id := range ids {
		e := th.At(2 + 2*i)
		r := plan.Record{Action: plan.Externalize, Artifact: id, Span: plan.Span{IDs: []thread.ID{e.ID}, Part: 1}}
		if i < len(hints) {
			r.Hint = hints[i]
		}
		p.Records = append(p.Records, r)
		a.Artifacts = append(a.Artifacts, artifact.Artifact{ID: id, Source: e.ID, Part: 1, Tool: "Bash", Created: now})
	}
	if a.Plan, err = plan.Build(p, th); err != nil {
		t.Fatal(err)
	}
	return a
}

func wanted(ws []rehydrate.Want) string {
	var s []string
	for _, w := range ws {
		s = append(s, fmt.Sprintf("%s %s", w.Trigger, w.Artifact))
	}
	return strings.Join(s, ", ")
}

func skipped(ss []rehydrate.Skip) string {
	var s []string
	for _, k := range ss {
		s = append(s, fmt.Sprintf("%s %s", k.Reason, k.Artifact))
	}
	return strings.Join(s, ", ")
}

const (
	id1 = "a0123456789ab"
	id2 = "a0123456789ac"
	id3 = "acafe00000001"
)

// What brings content back, and what does not.
//
// SPEC: L13, L15, V10
func TestTriggers(t *testing.T) {
	read := func(name, out string) []message.Message {
		return []message.Message{user("go on"), calls("I read "+id1+".", call("c", name, `{"id":"`+id1+`"}`)), result("c", out)}
	}
	for name, c := range map[string]struct {
		ms   []message.Message
		want string
	}{
		"agent's text": {
			[]message.Message{user("go on"), calls("I need "+id1+" now.", call("c", "Bash", "{}")), result("c", "ok")}, "named " + id1,
		},
		"the reply the user answers": {[]message.Message{user("why?"), assistant("See " + id1 + "."), user("do so")}, "named " + id1},
		"the reply, then two messages": {
			[]message.Message{user("why?"), assistant("See " + id1 + "."), user("do so"), user("soon")}, "named " + id1,
		},
		"an interrupted round": {
			[]message.Message{user("go"), calls("I need "+id1, call("c", "Bash", "{}")), result("c", "ok"), user("wait")}, "named " + id1,
		},
		"an older reply": {
			[]message.Message{user("a"), assistant("See " + id1), user("b"), assistant("done"), user("c")}, "",
		},
		"an older round": {
			[]message.Message{
				user("go"), calls("I need "+id1, call("c", "Bash", "{}")), result("c", "ok"),
				calls("", call("d", "Bash", "{}")), result("d", "ok"),
			}, "",
		},
		"a reply to be continued":   {[]message.Message{user("go"), assistant("I need " + id1)}, ""},
		"a call not answered":       {[]message.Message{user("go"), calls("", call("c", "Write", `{"text":"`+id1+`"}`))}, "called " + id1},
		"an argument":               {[]message.Message{user("go"), calls("", call("c", "Write", `{"text":"`+id1+`"}`)), result("c", "ok")}, "called " + id1},
		"an argument, deep":         {[]message.Message{user("go"), calls("", call("c", "Do", `{"a":[1e999,{"b":{"c":[null,true,"x `+id1+`"]}}]}`)), result("c", "ok")}, "called " + id1},
		"an argument, escaped":      {[]message.Message{user("go"), calls("", call("c", "Do", `{"a":"\u0061`+id1[1:]+`\n"}`)), result("c", "ok")}, "called " + id1},
		"a bare string":             {[]message.Message{user("go"), calls("", call("c", "Do", `"`+id1+`"`)), result("c", "ok")}, "called " + id1},
		"the name of an argument":   {[]message.Message{user("go"), calls("", call("c", "Do", `{"`+id1+`":{"`+id1+`":[]}}`)), result("c", "ok")}, ""},
		"names and values":          {[]message.Message{user("go"), calls("", call("c", "Do", `{"`+id1+`":"`+id2+`","x":{"y":1,"`+id1+`":""},"z":"`+id3+`"}`)), result("c", "ok")}, "called " + id2 + ", called " + id3},
		"broken arguments":          {[]message.Message{user("go"), calls("", call("c", "Do", `{"a":"x\n`+id1+`\`)), result("c", "ok")}, "called " + id1},
		"arguments cut off":         {[]message.Message{user("go"), calls("", call("c", "Do", `{"a":"`+id1+`"`)), result("c", "ok")}, "called " + id1},
		"arguments that are text":   {[]message.Message{user("go"), calls("", call("c", "Patch", "*** "+id1)), result("c", "ok")}, "called " + id1},
		"order of appearance":       {[]message.Message{user("go"), calls("first "+id3+" then "+id2, call("c", "Do", `["`+id1+`","`+id3+`"]`)), result("c", "ok")}, "named " + id3 + ", named " + id2 + ", called " + id1},
		"a result":                  {[]message.Message{user("go"), calls("", call("c", "Bash", "{}")), result("c", "see "+id1)}, ""},
		"a result in a user's":      {[]message.Message{user("go"), calls("", call("c", "Bash", "{}")), {Role: message.User, Parts: []message.Part{result("c", id1+"?").Parts[0], {Kind: message.Text, Text: "now?"}}}}, ""},
		"thinking":                  {[]message.Message{user("go"), {Role: message.Assistant, Parts: []message.Part{{Kind: message.Thinking, Text: id1}, call("c", "Bash", "{}")}}, result("c", "ok")}, ""},
		"the agent's question":      {[]message.Message{user("go"), calls("What did scan_test.go with TestParse say?", call("c", "Bash", "{}")), result("c", "ok")}, "question " + id2},
		"the agent's statement":     {[]message.Message{user("go"), calls("I go on with TestParse in scan_test.go.", call("c", "Bash", "{}")), result("c", "ok")}, ""},
		"a user's statement":        {[]message.Message{user("Look at " + id1 + ".")}, ""},
		"a user's question":         {[]message.Message{user("What does " + id1 + " say?")}, "named " + id1},
		"a pointer a user pasted":   {[]message.Message{user("[Précis: content moved out as " + id1 + "]\nx\n[precis_read(\"" + id1 + "\") returns all of it]")}, ""},
		"a pointer of elsewhere":    {[]message.Message{user("What is this: [Externalized Content - artifact:affffffffffff]?")}, ""},
		"an id of no artifact":      {[]message.Message{user("go"), calls("see affffffffffff", call("c", "Bash", "{}")), result("c", "ok")}, ""},
		"another case":              {[]message.Message{user("go"), calls("see "+strings.ToUpper(id1), call("c", "Bash", "{}")), result("c", "ok")}, ""},
		"a message never sent":      {[]message.Message{user("go"), {Role: message.Assistant, Meta: true, Parts: assistant(id1).Parts}, calls("", call("c", "Bash", "{}")), result("c", "ok")}, ""},
		"a system message":          {[]message.Message{user("go"), message.TextOf(message.System, "What is "+id1+"?")}, ""},
		"an explicit read":          {read("read_artifact", "the content"), ""},
		"an explicit read by MCP":   {read("mcp__precis__precis_read", "the content"), ""},
		"an explicit read, no tool": {read("read_artifact", "Error: unknown tool read_artifact"), "named " + id1},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(t, []string{id1, id2, id3}, []string{"", "read if you need the full output of Bash: FAIL: TestParse in src/parse/scan_test.go", ""}, c.ms...)
			got, skips := rehydrate.Config{}.Choose(a)
			if wanted(got) != c.want {
				t.Errorf("wants %q, want %q (skips %q)", wanted(got), c.want, skipped(skips))
			}
		})
	}
}

// SPEC: L15
func TestWholeTokens(t *testing.T) {
	for text, want := range map[string]bool{
		"a12": true, "a12.": true, "(a12)": true, "artifact:a12": true, "`a12`": true, "x/a12/y": true, "«a12»": true, "\xffa12\xff": true, "a12\u00a0": true,
		"a123": false, "x-a12": false, "a12-b": false, "_a12": false, "a12_": false, "ba12": false, "éa12": false, "a12é": false,
		"a12\u0301": false, "漢a12": false, "a12٣": false, "A12": false, "a 12": false,
	} {
		a := ask(t, []string{"a12"}, nil, user("go"), calls(text, call("c", "Bash", "{}")), result("c", "ok"))
		got, _ := rehydrate.Config{}.Choose(a)
		if (len(got) == 1) != want {
			t.Errorf("%q: wants %q", text, wanted(got))
		}
	}
}

// What stands under a record is no longer said.
//
// SPEC: V10, L13
func TestCoveredSaysNothing(t *testing.T) {
	for name, c := range map[string]struct {
		rec  plan.Record
		part int
		want string
	}{
		"summarized": {plan.Record{Action: plan.Summarize, Text: "named " + id1}, 0, ""},
		"previewed":  {plan.Record{Action: plan.Replace, Kind: plan.Preview, Text: "named " + id1}, 1, ""},
		"repaired":   {plan.Record{Action: plan.Replace, Kind: plan.Repaired}, 1, "named " + id1},
		"reencoded":  {plan.Record{Action: plan.Replace, Kind: plan.Reencoded, Text: id1}, 1, "named " + id1},
	} {
		a := ask(t, []string{id1}, nil, user("go"), calls("see "+id1, call("c", "Bash", "{}")), result("c", "ok"))
		c.rec.Span = plan.Span{IDs: []thread.ID{a.Thread.At(a.Thread.Len() - 2).ID}, Part: c.part}
		if c.part == 0 { // the call and its result
			c.rec.Span.IDs = append(c.rec.Span.IDs, a.Thread.Tip())
		}
		p, err := plan.Build(plan.Plan{Records: append(a.Plan.Records, c.rec)}, a.Thread)
		if err != nil {
			t.Fatal(err)
		}
		a.Plan = p
		if got, _ := (rehydrate.Config{}).Choose(a); wanted(got) != c.want {
			t.Errorf("%s: wants %q, want %q", name, wanted(got), c.want)
		}
	}
}

// Whatever names an artifact, it resolves through the plan in force alone.
//
// SPEC: V10
func TestOnlyThePlanResolves(t *testing.T) {
	a := ask(t, []string{id1}, nil, user("go"), calls("see "+id1, call("c", "Bash", "{}")), result("c", "ok"))
	with := a
	with.Plan = nil
	if got, skips := (rehydrate.Config{}).Choose(with); len(got)+len(skips) > 0 {
		t.Errorf("without a plan: %q, %q", wanted(got), skipped(skips))
	}
	if got, skips := (rehydrate.Config{}).Choose(rehydrate.Ask{Plan: a.Plan}); len(got)+len(skips) > 0 {
		t.Errorf("without a thread: %q, %q", wanted(got), skipped(skips))
	}
	var err error
	round := plan.Span{IDs: []thread.ID{a.Thread.At(1).ID, a.Plan.Records[0].Span.Start()}}
	if with.Plan, err = plan.Build(plan.Plan{Records: []plan.Record{{Action: plan.Drop, Artifact: id1, Span: round}}}, a.Thread); err != nil {
		t.Fatal(err)
	}
	if got, skips := (rehydrate.Config{}).Choose(with); len(got)+len(skips) > 0 {
		t.Errorf("under a plan that drops it: %q, %q", wanted(got), skipped(skips))
	}
}

// A question brings back what its hint promises, and nothing for words that any
// question holds.
//
// SPEC: L13
func TestQuestions(t *testing.T) {
	hints := []string{
		"read if you need the full output of Bash: FAIL: TestParse in src/parse/scan_test.go",
		"read if you need the full output of Bash: go: downloading modernc.org/sqlite v1.40",
		"read if you need the full output of WebFetch: Opening hours of the harbour museum in Hamburg",
		"read if you need the full output of list_directory: total 48",
		"read if you need the full output of list_directory: total 12",
		"read if you need the full output of list_directory: total 16",
		"read if you need the full output of list_directory: total 92",
	}
	ids := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7"}
	for text, want := range map[string]string{
		"Which assertion in src/parse/scan_test.go was it?":                                 "question a1",
		"Why does TestParse fail?":                                                          "question a1",
		"What was wrong in scan_test.go with TestParse":                                     "question a1",
		"Was it scan_test.go?":                                                              "",
		"Have a look at src/parse/scan_test.go.":                                            "",
		"When you are done, remove src/parse/scan_test.go.":                                 "",
		"when did the museum in Hamburg change its opening hours":                           "question a3",
		"When does the harbour museum in Hamburg open?":                                     "question a3",
		"Is there a museum in Hamburg?":                                                     "",
		"Do you need the full output of Bash?":                                              "",
		"What is the full output of the tool?":                                              "",
		"Can you read the file and show me the full content, please?":                       "",
		"Why did list_directory fail?":                                                      "",
		"Where is modernc.org/sqlite used?":                                                 "question a2",
		"see https://x.org/?src/parse/scan_test.go=1":                                       "",
		"> Why does TestParse in src/parse/scan_test.go fail?":                              "",
		"```\nWhy does src/parse/scan_test.go fail?\n```\nrepair it":                        "",
		"````\n```\nWhy does src/parse/scan_test.go fail?\n````":                            "",
		"src/parse/scan_test.go is red.\n\nWhy?":                                            "",
		"src/parse/scan_test.go is red. Why?":                                               "question a1",
		"Pourquoi src/parse/scan_test.go ?":                                                 "question a1",
		"なぜ src/parse/scan_test.go が失敗しますか？":                                                "question a1",
		"x == 1 ? src/parse/scan_test.go : 0":                                               "",
		"?":                                                                                 "",
		"Is TestParse failing because of modernc.org/sqlite?":                               "question a2",
		"Did the FAIL of TestParse in src/parse/scan_test.go come from modernc.org/sqlite?": "question a1, question a2",
		"What do a2 and the harbour museum of Hamburg share?":                               "named a2, question a3",
	} {
		got, _ := rehydrate.Config{}.Choose(ask(t, ids, hints, user(text)))
		if wanted(got) != want {
			t.Errorf("%q: wants %q, want %q", text, wanted(got), want)
		}
	}
}

// SPEC: L13, L15
func TestGate(t *testing.T) {
	named := calls("I need "+id1+".", call("c", "Bash", "{}"))
	for name, c := range map[string]struct {
		c    rehydrate.Config
		edit func(*rehydrate.Ask)
		want string // skips; "" when it comes back
	}{
		"internal by default": {},
		"public":              {edit: func(a *rehydrate.Ask) { a.Artifacts[0].Sensitivity = artifact.Public }},
		"internal":            {edit: func(a *rehydrate.Ask) { a.Artifacts[0].Sensitivity = artifact.Internal }},
		"confidential":        {edit: func(a *rehydrate.Ask) { a.Artifacts[0].Sensitivity = artifact.Confidential }, want: "sensitivity " + id1},
		"restricted":          {edit: func(a *rehydrate.Ask) { a.Artifacts[0].Sensitivity = artifact.Restricted }, want: "sensitivity " + id1},
		"a level of its own":  {edit: func(a *rehydrate.Ask) { a.Artifacts[0].Sensitivity = "secret" }, want: "sensitivity " + id1},
		"restricted, configured": {
			c:    rehydrate.Config{Auto: []artifact.Sensitivity{artifact.Restricted}},
			edit: func(a *rehydrate.Ask) { a.Artifacts[0].Sensitivity = artifact.Restricted }, want: "sensitivity " + id1,
		},
		"public only":     {c: rehydrate.Config{Auto: []artifact.Sensitivity{artifact.Public}}, want: "sensitivity " + id1},
		"nothing unasked": {c: rehydrate.Config{Auto: []artifact.Sensitivity{}}, want: "sensitivity " + id1},
		"own tenant":      {edit: func(a *rehydrate.Ask) { a.Tenant, a.Requester.Tenant = "t", "t" }},
		"another tenant":  {edit: func(a *rehydrate.Ask) { a.Tenant, a.Requester.Tenant = "t", "u" }, want: "access " + id1},
		"no tenant": {
			edit: func(a *rehydrate.Ask) { a.Tenant, a.Artifacts = "t", nil }, want: "access " + id1, // says nothing of what is there
		},
		"a permission": {
			c: rehydrate.Config{Permission: "recall"}, edit: func(a *rehydrate.Ask) { a.Requester.Permissions = []string{"x", "recall"} },
		},
		"no permission": {
			c: rehydrate.Config{Permission: "recall"}, edit: func(a *rehydrate.Ask) { a.Requester.Permissions = []string{"recall2"} },
			want: "access " + id1,
		},
		"missing":     {edit: func(a *rehydrate.Ask) { a.Artifacts = nil }, want: "missing " + id1},
		"expired":     {edit: func(a *rehydrate.Ask) { a.Artifacts[0].TTL, a.Now = time.Hour, now.Add(2*time.Hour) }, want: "expired " + id1},
		"not expired": {edit: func(a *rehydrate.Ask) { a.Artifacts[0].TTL, a.Now = time.Hour, now.Add(time.Hour) }},
		"no clock":    {edit: func(a *rehydrate.Ask) { a.Artifacts[0].TTL, a.Now = time.Hour, time.Time{} }},
		"last turn": {
			edit: func(a *rehydrate.Ask) { a.State.Turns = map[string]int{id1: a.Thread.Turns() - 1} }, want: "cooldown " + id1,
		},
		"two turns ago": {edit: func(a *rehydrate.Ask) { a.State.Turns = map[string]int{id1: a.Thread.Turns() - 2} }},
		"this turn":     {edit: func(a *rehydrate.Ask) { a.State.Turns = map[string]int{id1: a.Thread.Turns()} }},
		"a turn undone": {edit: func(a *rehydrate.Ask) { a.State.Turns = map[string]int{id1: a.Thread.Turns() + 9} }},
		"a longer cooldown": {
			c:    rehydrate.Config{Cooldown: 5},
			edit: func(a *rehydrate.Ask) { a.State.Turns = map[string]int{id1: a.Thread.Turns() - 4} }, want: "cooldown " + id1,
		},
		"hardly a cooldown": {
			c:    rehydrate.Config{Cooldown: 1},
			edit: func(a *rehydrate.Ask) { a.State.Turns = map[string]int{id1: a.Thread.Turns() - 1} },
		},
		"read explicitly": {
			edit: func(a *rehydrate.Ask) {
				*a = ask(t, []string{id1}, nil, user("go"),
					calls("I read "+id1+".", call("c", "lesen", `{"id":"`+id1+`"}`)), result("c", "content"))
				a.Tool = "lesen"
			},
			want: "present " + id1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(t, []string{id1}, nil, user("go"), named, result("c", "ok"))
			if c.edit != nil {
				c.edit(&a)
			}
			wants, skips := c.c.Choose(a)
			if skipped(skips) != c.want || (len(wants) == 1) != (c.want == "") {
				t.Errorf("wants %q, skips %q; want skips %q", wanted(wants), skipped(skips), c.want)
			}
			for _, s := range skips {
				if s.Detail == "" || s.By.ID == "" || s.Reason.Blocked() != (s.Reason == rehydrate.Access || s.Reason == rehydrate.Sensitivity) {
					t.Errorf("skip %+v", s)
				}
			}
		})
	}
	a := ask(t, []string{id1}, nil, user("go"), named, result("c", "ok"))
	if wants, skips := (rehydrate.Config{Disabled: true}).Choose(a); len(wants)+len(skips) > 0 {
		t.Errorf("disabled: %q, %q", wanted(wants), skipped(skips))
	}
}

// SPEC: L13
func TestArtifactsATurn(t *testing.T) {
	ids := []string{"a1", "a2", "a3", "a4", "a5"}
	a := ask(t, ids, nil, user("go"), calls("a5 a4 a3 a2 a1", call("c", "Bash", "{}")), result("c", "ok"))
	wants, skips := rehydrate.Config{}.Choose(a)
	if wanted(wants) != "named a5, named a4, named a3" || skipped(skips) != "limit a2, limit a1" {
		t.Errorf("wants %q, skips %q", wanted(wants), skipped(skips))
	}
	wants, _ = rehydrate.Config{Artifacts: 1}.Choose(a)
	if wanted(wants) != "named a5" {
		t.Errorf("wants %q", wanted(wants))
	}
}

// SPEC: L20
func TestValidate(t *testing.T) {
	for field, c := range map[string]rehydrate.Config{
		"":                          {},
		"max_artifacts_per_turn":    {Artifacts: -1},
		"max_tokens_per_artifact":   {Each: -1},
		"total_budget_tokens":       {Total: -1},
		"cooldown_turns":            {Cooldown: -1},
		`"confidential"`:            {Auto: []artifact.Sensitivity{artifact.Public, artifact.Confidential}},
		`auto_sensitivities has ""`: {Auto: []artifact.Sensitivity{""}},
	} {
		err := c.Validate()
		if (err == nil) != (field == "") || err != nil && (!errors.Is(err, rehydrate.ErrInvalid) || !strings.Contains(err.Error(), field)) {
			t.Errorf("%q: %v", field, err)
		}
	}
}

func TestExplicit(t *testing.T) {
	for name, want := range map[string]bool{
		"read_artifact": true, "precis_read": true, "precis_grep": true, "mcp__precis__precis_read": true, "mcp__x__read_artifact": true,
		"Read": false, "read_artifacts": false, "Bash": false, "": false, "precise": false,
	} {
		if rehydrate.Explicit(name) != want {
			t.Errorf("Explicit(%q) = %v", name, !want)
		}
	}
}

// SPEC: L13
func TestStateRoundTrip(t *testing.T) {
	s := rehydrate.State{Turns: map[string]int{"a1": 4, "a2": 7}}
	b, err := json.Marshal(s)
	if err != nil || string(b) != `{"turns":{"a1":4,"a2":7}}` {
		t.Fatalf("%s, %v", b, err)
	}
	var back rehydrate.State
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, back); d != "" {
		t.Error(d)
	}
}
