package strategy

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

const (
	// remarkWorth is what a remark is worth beside its values, in the steps of Relevance.Of.
	remarkWorth = 1000
	// endedWorth is what the line that tells how a run ended is worth beside its values, where the
	// agent says nothing of it.
	endedWorth = 400
	// shortRemark is up to how many bytes a remark tells nothing: "Good!".
	shortRemark = 30
	// soon is within how many messages of the agent's the call comes: dialects that give text,
	// thinking and call a message each have three.
	soon = 3
)

// intent is how somebody begins to say what comes next. Where a language is not known to it, a
// remark reaches to the end of its line.
var intent = regexp.MustCompile(`(?i)^(?:` +
	`(?:(?:now|so|then|next|first|okay|ok|also|and)\b,?\s+)*(?:let me|let['’]s|let us|i['’]ll|i will|i['’]m going to|i want to)\b` +
	`|(?:lass mich|lass uns|ich werde|déjame|voy a|vamos a)\b|(?:现在|那么)?(?:让我|我来|我将|接下来))`)

// Marks behind which a sentence may begin: after a blank, and where none is written.
const (
	marks     = ".!?:;,)\"'`"
	wideMarks = "。！；，："
)

// isMark tells the bytes that are marks.
var isMark = func() (t [utf8.RuneSelf]bool) {
	for _, c := range marks {
		t[c] = true
	}
	return t
}()

// nextMark returns where a text has its first mark and the bytes of it, a position of -1 for none.
func nextMark(text string) (at, size int) {
	for i, c := range text {
		if c < utf8.RuneSelf && isMark[c] || c >= utf8.RuneSelf && strings.ContainsRune(wideMarks, c) {
			return i, utf8.RuneLen(c)
		}
	}
	return -1, 0
}

func isBlank(c rune) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }

// cutAtIntent cuts a line in two: what it says, and from where somebody says what comes next; next is
// "" where nobody does.
func cutAtIntent(l string) (said, next string) {
	for at, blank := 0, false; ; { // blank says that one is to stand at that position
		rest := strings.TrimLeftFunc(l[at:], isBlank)
		start := len(l) - len(rest)
		if (start > at || !blank) && intent.MatchString(rest) {
			return l[:start], rest
		}
		i, size := nextMark(rest)
		if i < 0 {
			return l, ""
		}
		at, blank = start+i+size, size == 1
	}
}

// bodyOf returns what a part of the message at a position is.
func bodyOf(t *thread.Thread, at int, p *message.Part) bodyKind {
	switch {
	case p.Kind == message.Result:
		return output
	case p.Kind != message.Text:
		return matter
	case goesOn(t, at):
		return remarked
	}
	return prose
}

// goesOn reports whether the agent makes a call beside or right after what it says in the
// message at a position.
func goesOn(t *thread.Thread, at int) bool {
	for i := at; i < min(at+soon, t.Len()) && t.At(i).Message.Role == message.Assistant; i++ {
		if t.At(i).Message.Has(message.Call) {
			return true
		}
	}
	return false
}

// ended returns the line of a result that tells how its run ended, if the agent says nothing of it
// when it goes on; "" where there is none.
func (f *remarkFinder) ended(t *thread.Thread, at int, result *message.Part) string {
	if f.remarksOn(t, at+1) { // mostly, and faster found out
		return ""
	}
	calls := callsTo(t, at)
	if len(calls) != 1 {
		return ""
	}
	did := tool.Parse(*t.Part(calls[0]), result)
	if did.Action() == "" {
		return ""
	}
	return strings.TrimSpace(did.Telling())
}

// remarksOn reports whether the message at a position begins with what the agent says of the one before.
func (f *remarkFinder) remarksOn(t *thread.Thread, at int) bool {
	if at >= t.Len() || t.At(at).Message.Role != message.Assistant {
		return false
	}
	for _, p := range t.At(at).Message.Parts {
		if p.Kind == message.Text {
			return f.find(p.Text).at >= 0
		}
	}
	return false
}

// remark is what the agent says of a result before it says what comes next: the beginning of the
// first line of a text that tells something.
type remark struct {
	at         int    // which line of the text it is, -1 for none
	said, next string // the two parts of that line; next is "" where it says nothing of what comes
}

// remarkFinder finds remarks. It remembers the last: a text is asked for with the result before it,
// and with its own message.
type remarkFinder struct {
	text string
	last remark
}

// find returns the remark in a text.
func (f *remarkFinder) find(text string) remark {
	if text != f.text || text == "" {
		f.text, f.last = text, remarkIn(text)
	}
	return f.last
}

func remarkIn(text string) remark {
	none, at := remark{at: -1}, 0
	for l := range eachLine(text) {
		if isFence(l.text) {
			return none
		}
		said, next := cutAtIntent(l.text)
		switch is := isRemark(strings.TrimSpace(said)); {
		case is:
			return remark{at, said, next}
		case next != "":
			return none
		}
		at++
	}
	return none
}

// cut cuts the line of the remark, of the lines of its text, in two.
func (r remark) cut(lines []line) []line {
	if r.next == "" {
		return lines
	}
	lines[r.at].text = r.said
	return slices.Insert(lines, r.at+1, line{text: r.next, at: lines[r.at].at})
}

func isFence(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "```") }

// isRemark reports whether a line says something: it is no heading, no row of a table, no JSON, and
// does not only announce the lines below it.
func isRemark(l string) bool {
	return len(l) > shortRemark && l[0] != '#' && l[0] != '|' && !strings.HasSuffix(l, ":") && !isJSON(l)
}
