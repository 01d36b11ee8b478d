package wording_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. What stands under the constraints of a message does not stand in its request as well,
// unless hardly a word would be left.
func TestRequestsDoNotRepeatTheirRules(t *testing.T) {
	const rule, last, other, rest = "Never touch the folder vendor.", "Always run the tests!", "I prefer a window seat.", "Please book the flight of Friday."
	at, before := summary.Source{N: 7}, summary.Source{N: 5}
	for _, c := range []struct {
		name, text, want string
		facts            []summary.Fact
	}{
		{"between", rest + " " + rule + " Thanks a lot.", "- " + rest + " … Thanks a lot. (#7)", []summary.Fact{{Kind: summary.Constraint, Text: rule, From: at}}},
		{"two", rest + " " + rule + " " + last + " Thanks a lot.", "- " + rest + " … Thanks a lot. (#7)", []summary.Fact{{Kind: summary.Constraint, Text: rule, From: at}, {Kind: summary.Constraint, Text: last, From: at}}},
		{"a preference, which may have no room", rest + " " + other, "- " + rest + " " + other + " (#7)", []summary.Fact{{Kind: summary.Preference, Text: other, From: at}}},
		{"quoted", rest + ` It says "` + rule + `" there.`, "- " + rest + ` It says "` + rule + `" there. (#7)`, []summary.Fact{{Kind: summary.Constraint, Text: rule, From: at}}},
		{"the beginning of another", "Please fix it now: never use tabs in code either", "- Please fix it now: never use tabs in code either (#7)", []summary.Fact{{Kind: summary.Constraint, Text: "never use tabs", From: at}}},
		{"of another message", rest + " " + rule, "- " + rest + " " + rule + " (#7)", []summary.Fact{{Kind: summary.Constraint, Text: rule, From: before}}},
		{"a fact", rest + " " + rule, "- " + rest + " " + rule + " (#7)", []summary.Fact{{Kind: summary.Plain, Text: rule, From: at}}},
		{"of an earlier request", rule + " " + rest, "- … " + rest + " (#5)", []summary.Fact{{Kind: summary.Constraint, Text: rule, From: before}}},
		{"all of it", rule + " Please do.", "- " + rule + " Please do. (#7)", []summary.Fact{{Kind: summary.Constraint, Text: rule, From: at}}},
	} {
		s := &summary.Structured{From: before, To: at, Facts: c.facts, Task: &summary.Note{Text: c.text, From: at}, Requests: []summary.Request{{Text: c.text, From: before}, {Text: c.text, From: at}}}
		if text := wording.Text(s, 0, nil); !strings.Contains(text, "\n"+c.want) {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, text)
		}
	}
}

// SPEC: B18. A preference stands once where its request stands whole, and in its section where the
// request is cut before it.
func TestPreferencesOfARequestStandOnce(t *testing.T) {
	const wish = "I prefer a window seat."
	at := summary.Source{N: 7}
	for _, c := range []struct{ name, text string }{
		{"whole", "Please book the flight of Friday. " + wish},
		{"cut", "Please book the flight of Friday. " + strings.Repeat("It is for my aunt, who has not flown for years. ", 12) + wish},
	} {
		s := &summary.Structured{
			From: at, To: at, Task: &summary.Note{Text: c.text, From: at}, Requests: []summary.Request{{Text: c.text, From: at}},
			Facts: []summary.Fact{{Kind: summary.Preference, Text: wish, From: at}},
		}
		text := wording.Text(s, 170, func(s string) int { return len(s) / 4 })
		if n := strings.Count(text, wish); n != 1 {
			t.Errorf("%s: stands %d times:\n%s", c.name, n, text)
		}
	}
}

// SPEC: B18. Earlier requests that were answered stand before findings and lists of values.
func TestAnsweredRequestsStay(t *testing.T) {
	s := &summary.Structured{From: summary.Source{N: 1}, To: summary.Source{N: 90}}
	for n := 1; n <= 9; n++ {
		at := summary.Source{N: 9 * n}
		s.Requests = append(s.Requests, summary.Request{Text: "Please look at part " + string(rune('A'+n)), Status: summary.Done, Ended: summary.Source{N: 9*n + 1}, From: at})
		s.Facts = append(s.Facts, summary.Fact{Kind: summary.Finding, Text: "The parser of part " + string(rune('A'+n)) + " takes a while.", From: at})
		s.Plan = append(s.Plan, summary.Step{Text: "Look at part " + string(rune('A'+n)), Status: summary.Done, From: at})
	}
	s.Task = &summary.Note{Text: s.Requests[8].Text, From: s.Requests[8].From}
	text := wording.Text(s, 150, func(s string) int { return len(s) / 4 })
	if n := strings.Count(text, ", answered"); n < 4 {
		t.Errorf("%d of 9 requests stand in\n%s", n, text)
	}
}

// SPEC: B18. Where requests found no room, the list says how many.
func TestRequestsLeftOutAreCounted(t *testing.T) {
	s := &summary.Structured{From: summary.Source{N: 1}, To: summary.Source{N: 90}}
	for n := 1; n <= 12; n++ {
		s.Requests = append(s.Requests, summary.Request{Text: "Please look at the part with number " + strconv.Itoa(n), Status: summary.Done, Ended: summary.Source{N: 7*n + 1}, From: summary.Source{N: 7 * n}})
	}
	s.Task = &summary.Note{Text: s.Requests[11].Text, From: s.Requests[11].From}
	count := func(s string) int { return len(s) / 4 }
	for limit := 60; limit < 300; limit += 10 {
		text := wording.Text(s, limit, count)
		n := strings.Count(text, "Please look")
		said := "\n## Requests of the user, in order\n- … and " + strconv.Itoa(12-n) + " more, left out here\n- "
		if count(text) > limit || strings.Contains(text, said) != (n > 0 && n < 12) && count(text)+10 <= limit || strings.Contains(text, "left out") && !strings.Contains(text, said) {
			t.Errorf("%d of 12 requests stand, at %d tokens, in\n%s", n, limit, text)
		}
	}
}

// SPEC: B18. Where requests between others found no room, the list does not say that they come first.
func TestRequestsLeftOutBetweenOthers(t *testing.T) {
	long := strings.Repeat("Please look at the part with number 7 of the list. ", 9)
	for _, c := range []struct {
		want  string
		texts []string
	}{
		{"… and 1 more, left out below\n- Please", []string{"Please begin.", long, "Please go on."}},
		{"… and 2 more, left out here and below\n- Please", []string{long, "Please begin.", long, "Please go on."}},
		{"… and 1 more, left out here\n- Please", []string{long, "Please begin.", "Please go on."}},
	} {
		s := &summary.Structured{From: summary.Source{N: 1}, To: summary.Source{N: 90}}
		for n, text := range c.texts {
			s.Requests = append(s.Requests, summary.Request{Text: text + strconv.Itoa(n), From: summary.Source{N: 7 * (n + 1)}})
		}
		if text := wording.Text(s, 55, func(s string) int { return len(s) / 4 }); !strings.Contains(text, "\n- "+c.want) {
			t.Errorf("want %q in\n%s", c.want, text)
		}
	}
}

// SPEC: B18. A request is not cut right before the name or number that it is about.
func TestRequestsAreCutBehindNames(t *testing.T) {
	const long = "Please look into the reservation that my colleague made for the two of us. It"
	for text, want := range map[string]string{
		long + " is the one K1NW8N, and more words stand here to be cut off.":      long + " is the one K1NW8N,…",
		long + " is the one with K1NW8N":                                           long + " is the one with K1NW8N",
		long + " was very late. The other is K1NW8N, and more words stand behind.": long + " was very…",
		long + " was late. Can you find out where both are? ":                      "Please look into the reservation that my colleague… Can you find out where both are?",
		"The importer reads files of the partners every night, and stopped last week without a word. Nobody knows why. Please fix only the parser in importer/header.py.": "The importer reads files of the… Please fix only the parser in importer/header.py.",
		"Der Import liest jede Nacht die Dateien aller Partner und blieb letzte Woche ohne ein Wort stehen. Ändere bitte nur den Leser.":                                  "Der Import liest jede Nacht die Dateien aller Partner und… Ändere bitte nur den Leser.",
		long + " was late. It is not clear to me at all how we could ever find out where both are now, is it?":                                                            long + " was…",
		"Can you find it? " + long + " was late, no?":                                  "Can you find it? Please look into the reservation that my colleague made for the two…",
		long + " has no number that anybody would know of without 2 more looks at it.": long + " has no…",
	} {
		s := &summary.Structured{From: summary.Source{N: 1}, To: summary.Source{N: 9}, Requests: []summary.Request{{Text: text, From: summary.Source{N: 3}}}}
		if got := wording.Text(s, 0, nil); !strings.HasSuffix(got, "\n- "+want+" (#3)") {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

// SPEC: B18. What is told of a request says whether the user spoke since, in a message that stands
// elsewhere, and whether work that was interrupted was committed before the next request that is told came. An
// answer asks back until the user has spoken, and is told as a question after that. What came of a request that came in between is told by
// the reply to it, and a commit behind that.
func TestWhatCameAfterARequest(t *testing.T) {
	at := func(n int) summary.Source { return summary.Source{N: n} }
	s := &summary.Structured{From: at(1), To: at(90)}
	s.Requests = []summary.Request{
		{Text: "Track the commands.", Status: summary.Doing, Ended: at(20), From: at(10)},
		{Text: "Move the files.", Status: summary.Doing, Ended: at(60), From: at(50)},
		{Text: "Keep the old ones.", Status: summary.Doing, Ended: at(65), Amid: true, Reply: at(62), From: at(61)},
		{Text: "Merge the lists.", Status: summary.Done, Ended: at(65), Amid: true, Reply: at(64), From: at(63)},
		{Text: "Look at the limits.", Status: summary.Done, Ended: at(68), Amid: true, From: at(66)},
		{Text: "List both orders.", Status: summary.Done, Ended: at(69), Asks: true, From: at(68)},
		{Text: "Cancel both orders.", Status: summary.Done, Ended: at(71), Asks: true, Again: 72, From: at(70)},
	}
	s.Effects = []summary.Effect{
		{Note: summary.Note{Text: "git commit…", From: at(15)}, Commit: "[main 1234567] before"},
		{Note: summary.Note{Text: "npm install", From: at(25)}},
		{Note: summary.Note{Text: "git commit…", From: at(40)}, Commit: "[main 2345678] after"},
		{Note: summary.Note{Text: "git commit…", From: at(65)}, Commit: "[main 2345679] lists"},
		{Note: summary.Note{Text: "git commit…", From: at(67)}, Commit: "[main 3456789] of another"},
	}
	text := wording.Text(s, 0, nil)
	s.Requests = []summary.Request{{Text: "Keep the old ones.", Status: summary.Doing, Ended: at(65), Amid: true, Reply: at(62), Then: at(66), From: at(61)}}
	text += "\n" + wording.Text(s, 0, nil)
	s.Requests = []summary.Request{{Text: "Move the files.", Status: summary.Doing, Ended: at(30), Then: at(31), From: at(29)}}
	text += "\n" + wording.Text(s, 0, nil)
	for _, want := range []string{
		"- Track the commands. (#10), in work when the user spoke again, after #20; a commit followed in #40\n",
		"in order\n- Keep the old ones. (#61), replied to in #62\n", "- Move the files. (#29), in work when the user spoke again, after #30\n",
		"- Move the files. (#50), in work when the user spoke again, after #60\n",
		"- Keep the old ones. (#61), replied to in #62\n- Merge the lists. (#63), replied to in #64; a commit followed in #65\n- Look at the limits. (#66)\n- List both orders. (#68), answered (#69) with a question\n",
		"- Cancel both orders. (#70), answered (#71) with a question; the user spoke again in #72\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
