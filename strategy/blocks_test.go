package strategy

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// wordsOf counts a word as a token.
func wordsOf(s string) int { return len(strings.Fields(s)) }

// inBlocksOf returns a chooser with blocks of so many tokens, which carries no line for its
// values.
func inBlocksOf(tokens int) *lineChooser {
	return newLineChooser(nil, nil, Limits{LinesClosely: true, OwnTokens: tokens, MinWorth: 1e6}, wordsOf)
}

// addPart offers what the agent said or called in a part of the message at a position.
func (k *lineChooser) addPart(at int, body string, b block) {
	kind := matter
	if b.text {
		kind = prose
	}
	b.from = len(k.pieces.list)
	k.pieces.add(at, body, kind)
	b.to = len(k.pieces.list)
	k.blocks.addOwn(b)
}

// What the agent said and called stays as a block with its indentation, where a result
// that holds as much is left out; what no longer fits is not cut. What takes no room from blocks makes
// theirs no larger than what there is.
//
// SPEC: L10
func TestOwnWordsStayInBlocks(t *testing.T) {
	const script = "for name in names:\n    if name in seen:\n        continue\n    print(name, end=chosen)\n    total = total + one"
	for _, c := range []struct {
		room, extra int
		want        string
	}{{90, 0, "#4 " + script}, {40, 0, ""}, {40, 50, "#4 " + script}, {20, 200, ""}} {
		room, want := c.room, c.want
		k := inBlocksOf(1000)
		k.blocks.extra = c.extra
		k.addPart(3, script, block{part: 1, ago: 500})
		k.pieces.add(4, strings.ReplaceAll(script, "name", "node"), matter)
		if got := k.choose(room); got != want {
			t.Errorf("room for %d and %d: %q", room, c.extra, got)
		}
	}
}

// A script that was written again stands as it was written last; a text in which something
// was decided stands before what is newer, and short texts reach further back than short calls.
//
// SPEC: L10
func TestOwnWordsAreTheNewest(t *testing.T) {
	k := inBlocksOf(10_000)
	for i, b := range []struct {
		body string
		ago  int
		text bool
	}{
		{"Wait for the lock instead of failing at once.", 9000, true},
		{"an old call that nobody repeats now", 5000, false},
		{"a reason that was given for all of it", 6000, true},
		{"first line of the script\nsecond line of it\nthird line of it", 3000, false},
		{"first line of the script\nsecond line of it\nthird line that was changed", 1000, false},
	} {
		k.addPart(i, b.body, block{part: 1, ago: b.ago, text: b.text})
	}
	k.blocks.decided = []summary.Decision{{Text: "Wait for the lock instead of failing at once.", From: summary.Source{N: 1}}}
	got := k.choose(158)
	for _, w := range []string{"#1 Wait for the lock", "#3 a reason", "#5 first line of the script\nsecond line of it\nthird line that was changed"} {
		if !strings.Contains(got, w) {
			t.Errorf("missing %q in %q", w, got)
		}
	}
	for _, w := range []string{"old call", "third line of it"} {
		if strings.Contains(got, w) {
			t.Errorf("%q in %q", w, got)
		}
	}
}

// Of the calls of one message, the one stands that changed a file as it is now, where a third
// of the room holds it.
//
// SPEC: L10, B18
func TestEditsTakeAThird(t *testing.T) {
	for limit, want := range map[int]bool{600: true, 375: false} {
		k := inBlocksOf(1)
		for n, word := range []string{"look", "edit"} {
			k.addPart(0, strings.Repeat(strings.Repeat(word+" ", 9)+"\n", 7), block{part: n + 1, ago: 9000})
		}
		k.blocks.edits = []thread.Place{{Index: 0, Part: 2}}
		got := k.choose(limit)
		if edit, look := strings.Contains(got, "edit"), strings.Contains(got, "look"); edit != want || look == want {
			t.Errorf("room for %d: %q", limit, got)
		}
	}
}

// Of each token, a script is repeated more than a command of one line: it stands before
// commands that are newer.
//
// SPEC: L10, B19
func TestScriptsStandBeforeShortCommands(t *testing.T) {
	k := inBlocksOf(10_000)
	k.addPart(0, strings.Repeat("a line of the script that is written again\n", 20), block{part: 1, ago: 3000})
	k.addPart(1, "list the files", block{part: 1, ago: 1000})
	if got := k.choose(530); !strings.HasPrefix(got, "#1 a line of the script") || strings.Contains(got, "list the files") {
		t.Errorf("%q", got)
	}
}

// Blocks take more where much of what the agent said is new, and less where it is from long
// ago: but for a little, what is out of reach is left to be chosen line by line.
//
// SPEC: L10, B19
func TestBlocksReachSoFar(t *testing.T) {
	for _, c := range []struct {
		ago  []int
		want []bool
	}{
		{[]int{20, 90, 150, 220, 230, 300}, []bool{true, true, true, true, false, false}},
		{[]int{5000, 6000}, []bool{true, false}},
		{[]int{200, 6000}, []bool{true, false}},
	} {
		k := inBlocksOf(100)
		for i, ago := range c.ago {
			k.addPart(i, strings.Repeat(strings.Repeat("word"+string(rune('a'+i))+" ", 9)+"\n", 7), block{part: 1, ago: ago, text: true})
		}
		got := k.choose(3000)
		for i, want := range c.want {
			if stands := strings.Contains(got, "word"+string(rune('a'+i))); stands != want {
				t.Errorf("said %d tokens ago of %v: stands %v", c.ago[i], c.ago, stands)
			}
		}
	}
}

// Blocks hold all of a text and nothing twice, and none is less than half a block but for
// a text that is.
//
// SPEC: L10, B19
func TestBlocksHoldTheText(t *testing.T) {
	for n := range 3 * blockLines {
		k := newLineChooser(nil, nil, Limits{LinesClosely: true}, wordsOf)
		k.addPart(0, strings.Repeat("a line of it\n", n)+"end", block{part: 1})
		at := 0
		for _, b := range k.blocks.own {
			if size := b.to - b.from; b.from != at || len(k.blocks.own) > 1 && size < blockLines/2 {
				t.Errorf("%d lines: a block of %d at %d after %d", n+1, size, b.from, at)
			}
			at = b.to
		}
		if at != n+1 {
			t.Errorf("%d lines: blocks hold %d", n+1, at)
		}
	}
}

// A line that is too long to stay whole comes together again where all of it stays.
//
// SPEC: L10
func TestLongLinesStayLines(t *testing.T) {
	line := strings.Repeat("a word and another, ", 40) + "end"
	k := newLineChooser(nil, nil, Limits{LinesClosely: true, OwnTokens: 1000}, wordsOf)
	k.addPart(0, line, block{part: 1, text: true})
	if got := k.choose(1000); got != "#1 "+line {
		t.Errorf("%q", got)
	}
}

// Of a long text in which something was decided the paragraph that decides stands, with its
// lead and its marks; what the prompt says already does not.
//
// SPEC: L10
func TestDecisionsStandAsParagraphs(t *testing.T) {
	const proposal = "A long look at the modes and what they share.\n\n## Root cause\n\nThe renderer **owns** the state:\n- move it to AgentSession instead of copying it\n- keep the renderer for drawing\n\nMore on the modes."
	said := summary.Decision{Text: "The renderer **owns** the state: move it to AgentSession instead of copying it; keep the renderer for drawing", From: summary.Source{N: 1}}
	for name, c := range map[string]struct {
		before string
		want   string
	}{
		"stands":                 {"", "#1 The renderer **owns** the state:\n- move it to AgentSession instead of copying it\n- keep the renderer for drawing"},
		"stands whole elsewhere": {proposal, ""},
	} {
		k := inBlocksOf(160)
		k.addPart(0, strings.Repeat("Something else that is long.\n", 200)+"\n"+proposal, block{part: 1, ago: 9000, text: true})
		k.blocks.decided = []summary.Decision{said}
		k.blocks.show(c.before)
		if got := k.choose(400); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What users said last stands whole, a long message with its beginning; what is older goes.
//
// SPEC: L10, B19
func TestUsersNewestWordsStand(t *testing.T) {
	k := inBlocksOf(1)
	for i, text := range []string{"an old wish of the user that has no room", "Look  at this, please:\n" + strings.Repeat("a line of a log\n", 60), "We only do this in interactive mode, no?"} {
		from := len(k.pieces.list)
		k.pieces.add(i, text, prose)
		k.blocks.asked = append(k.blocks.asked, block{from: from, to: len(k.pieces.list), text: true})
	}
	got := k.choose(3000)
	for _, want := range []string{"#2 Look  at this, please:\na line of a log", "#3 We only do this in interactive mode, no?"} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in %q", want, got)
		}
	}
	if strings.Contains(got, "old wish") || strings.Count(got, "a line of a log") > maxAsked/4 {
		t.Errorf("%q", got)
	}
}

// Where a user's newer message stands whole in the prompt, what the agent did after it is no
// answer to the request before; what it said right before it is one.
//
// SPEC: B18
func TestWhatFollowsANewerMessageIsNoAnswer(t *testing.T) {
	th, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "Make the editor less dumb."), message.TextOf(message.Assistant, "Done."),
		message.TextOf(message.User, "Even better, please."), message.TextOf(message.Assistant, "On it."),
	}))
	if err != nil {
		t.Fatal(err)
	}
	at := func(n int) summary.Source { return summary.Source{ID: th.ID(n - 1), N: n} }
	v := &View{Draft: NewDraft(th, nil, render.Style{}, token.Truncate(), 0)}
	span := plan.Span{IDs: []thread.ID{th.ID(0), th.ID(1), th.ID(3)}}
	for name, c := range map[string]struct{ last, want summary.Request }{
		"before it": {summary.Request{Status: summary.Done, Ended: at(2), From: at(1)}, summary.Request{Status: summary.Done, Ended: at(2), Again: 3, From: at(1)}},
		"after it":  {summary.Request{Status: summary.Done, Ended: at(4), Failed: at(4), Asks: true, From: at(1)}, summary.Request{Status: summary.Done, Ended: at(2), Again: 3, From: at(1)}},
		"not yet":   {summary.Request{Status: summary.Pending, From: at(1)}, summary.Request{Status: summary.Done, Ended: at(2), Again: 3, From: at(1)}},
		"at once":   {summary.Request{Status: summary.Done, Ended: at(4), From: at(2)}, summary.Request{From: at(2)}},
		"withdrawn": {summary.Request{Status: summary.Withdrawn, Ended: at(2), From: at(1)}, summary.Request{Status: summary.Withdrawn, Ended: at(2), From: at(1)}},
	} {
		made := &summary.Structured{From: at(1), To: at(4), Requests: []summary.Request{c.last}}
		apart := v.apart(span, made)
		if !slices.Equal(apart, []int{3}) {
			t.Fatalf("messages apart: %v", apart)
		}
		if got := answers(th, made, apart); got[0] != c.want {
			t.Errorf("%s: %+v", name, got[0])
		}
	}
	instructed, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "Make the editor less dumb."), message.TextOf(message.Assistant, "Done."),
		message.TextOf(message.System, "Be brief."), message.TextOf(message.Assistant, "On it."),
	}))
	if err != nil {
		t.Fatal(err)
	}
	within := &View{Draft: NewDraft(instructed, nil, render.Style{}, token.Truncate(), 0)}
	made := &summary.Structured{From: summary.Source{N: 1}, To: summary.Source{N: 4}, Requests: []summary.Request{{Status: summary.Done, Ended: summary.Source{N: 4}, From: summary.Source{N: 1}}}}
	apart := within.apart(plan.Span{IDs: []thread.ID{instructed.ID(0), instructed.ID(1), instructed.ID(3)}}, made)
	if got := answers(instructed, made, apart); !slices.Equal(apart, []int{3}) || got[0] != made.Requests[0] {
		t.Errorf("an instruction stands apart, and ends no request: %v, %+v", apart, got)
	}
	called, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "Make the editor less dumb."),
		{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: "I look."}, {Kind: message.Call, CallID: "c", Name: "ls", Args: "{}"}}},
		message.TextOf(message.User, "Even better, please."), message.TextOf(message.Assistant, "On it."),
	}))
	if err != nil {
		t.Fatal(err)
	}
	from := summary.Source{ID: called.ID(0), N: 1}
	want := summary.Request{Status: summary.Doing, Ended: summary.Source{ID: called.ID(1), N: 2}, From: from}
	if got := answers(called, &summary.Structured{Requests: []summary.Request{{Status: summary.Doing, From: from}}}, []int{3}); got[0] != want {
		t.Errorf("in work: %+v", got[0])
	}
	v.Draft = NewDraft(th, &plan.Plan{Records: []plan.Record{{ID: "r1", Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{th.ID(2)}}}}}, render.Style{}, token.Truncate(), 0)
	if apart := v.apart(span, &summary.Structured{From: at(1), To: at(4)}); len(apart) > 0 {
		t.Errorf("a message that was dropped is told to stand: %v", apart)
	}
}

// What the agent said right before a newer message of the user's may be a question.
//
// SPEC: B18
func TestAQuestionBeforeANewerMessageIsOne(t *testing.T) {
	asking, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "Cancel both orders."), message.TextOf(message.Assistant, "I found them. Shall I cancel them now?"),
		message.TextOf(message.User, "Yes, and quickly, please."), message.TextOf(message.Assistant, "On it."),
	}))
	if err != nil {
		t.Fatal(err)
	}
	source := func(n int) summary.Source { return summary.Source{ID: asking.ID(n - 1), N: n} }
	asked := &summary.Structured{From: source(1), To: source(4), Requests: []summary.Request{{Status: summary.Done, Ended: source(4), From: source(1)}}}
	want := summary.Request{Status: summary.Done, Ended: source(2), Asks: true, Again: 3, From: source(1)}
	if got := answers(asking, asked, []int{3}); got[0] != want {
		t.Errorf("a question right before it: %+v", got[0])
	}
}

// A message apart that only urges on leaves the request as it is where the agent was at work, or
// went on with calls: what follows is for the same request.
//
// SPEC: B18
func TestUrgingOnApartIsNoOtherRequest(t *testing.T) {
	call := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c", Name: "ls", Args: "{}"}}}
	result := message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "c"}}}
	asked, done, said := message.TextOf(message.User, "Make the editor less dumb."), message.TextOf(message.Assistant, "It is done."), message.TextOf(message.Assistant, "I look at it.")
	for _, urge := range []string{"continue", "Try again please.", "weiter", "继续", "sigue", "ok, go ahead"} {
		for name, c := range map[string]struct {
			ms   []message.Message
			at   int
			same bool
		}{
			"at work":           {[]message.Message{asked, call, result, message.TextOf(message.User, urge), done}, 4, true},
			"at work, no more":  {[]message.Message{asked, call, result, message.TextOf(message.User, urge+" with the docs of Kim"), done}, 4, false},
			"announced":         {[]message.Message{asked, said, message.TextOf(message.User, urge), call, result, done}, 3, true},
			"answered and told": {[]message.Message{asked, done, message.TextOf(message.User, urge), said}, 3, false},
		} {
			th, err := thread.New(thread.Extend("", c.ms))
			if err != nil {
				t.Fatal(err)
			}
			at := func(n int) summary.Source { return summary.Source{ID: th.ID(n - 1), N: n} }
			last := summary.Request{Status: summary.Done, Ended: at(th.Len()), From: at(1)}
			if got := answers(th, &summary.Structured{Requests: []summary.Request{last}}, []int{c.at}); (got[0] == last) != c.same {
				t.Errorf("%s, %s: %+v", urge, name, got[0])
			}
		}
	}
}

// A piece of a long line is marked where its sentence goes on and the rest does not stay, so that
// "… before we proceed" is not read as leave to do so. One that ends a sentence is not.
//
// SPEC: B2, V9
func TestPiecesAreMarked(t *testing.T) {
	told := func(line string, stays ...bool) string {
		k := newLineChooser(nil, nil, Limits{LinesClosely: true, OwnTokens: 1}, wordsOf)
		k.pieces.add(0, line+"\nanother line", prose)
		s := newSelection(k.pieces, k.heads, 0)
		if copy(s.stays, stays); len(s.stays) != 3 {
			t.Fatalf("%d pieces", len(s.stays))
		}
		return strings.TrimPrefix(s.text(), "#1 ")
	}
	const rest = "order_553311_of_all_who_travel is closed."
	sentence := strings.Repeat("Please tell me of it. ", 8) + "Confirm the price of ticket_998877 and its tax before "
	for _, c := range []struct{ got, want string }{
		{told(sentence+rest, true, true), sentence + rest},
		{told(sentence+rest, true), strings.TrimSpace(sentence) + "…"},
		{told(sentence+rest, false, true), "…" + rest},
		{told(sentence+rest, false, true, true), "…" + rest + "\nanother line"},
		{told(sentence+rest, false, false, true), "another line"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	ended := strings.Repeat("Please tell me of it. ", 10) + "Confirm it. "
	if got := told(ended+rest, false, true); got != rest {
		t.Errorf("a whole sentence is marked: %q", got)
	}
}
