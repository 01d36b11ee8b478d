package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/thread"
)

// FirstLine returns the first line of a user's message that the user wrote, "" where all of
// it is somebody else's.
func FirstLine(text string) (first string) {
	ownLines(text, func(line string) {
		if first == "" && line != oneline.Ellipsis {
			first = line
		}
	})
	return first
}

// ownLines calls f with the lines that a user wrote, and an ellipsis for the others: not
// with what is fenced, quoted or between tags, forwarded mail, tools' output, stack
// traces and pasted code. What follows the head of a mail, or a line that lets somebody
// else speak, is theirs to the end.
func ownLines(text string, f func(line string)) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = withoutTask(line)
	}
	closed, within := elements{lines: lines}, block{}
	for i := 0; i < len(lines); {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			i++
		case lets(line), isMail(lines[i:]), isHanded(line), startsAny(lowered(line), observed) && !strings.HasPrefix(line, "Error"):
			f(oneline.Ellipsis)
			return
		case isFence(line):
			f(oneline.Ellipsis)
			i = after(lines, i+1, func(l string) bool { return strings.HasPrefix(l, line[:3]) })
		case line[0] == '<' && tagOf(line) != "":
			f(oneline.Ellipsis)
			i = closed.after(i, tagOf(line))
		case line[0] == '>' || isData(line) || isPasted(line):
			f(oneline.Ellipsis)
			i++
		default:
			if i >= within.end {
				within = blockAt(lines, i)
			}
			if within.isOutput(i) && (i+1 == len(lines) || !heads(line, lines[i+1])) {
				f(oneline.Ellipsis)
				i = within.end
				continue
			}
			line, i = within.sentence(lines, i)
			f(line)
		}
	}
}

// A line that is wrapped has so many bytes at least; the lines of a sentence so many at most.
const (
	leastLine   = 50
	mostWrapped = 1000
)

// sentence returns a line of a user's with those that it goes on in, and the position behind them:
// it is long prose and ends in the middle of a clause, and the next begins so.
func (b *block) sentence(lines []string, i int) (string, int) {
	line := strings.TrimSpace(lines[i])
	last := line
	for i++; i < b.end && len(line) < mostWrapped && goesOver(last) && !b.isOutput(i); i++ {
		next := strings.TrimSpace(lines[i])
		if next[0] < 'a' || next[0] > 'z' || lets(next) || isPasted(next) || startsAny(lowered(next), observed) {
			break
		}
		line, last = line+" "+next, next
	}
	return line, i
}

// goesOver reports whether a line is so long that it may go on in the next.
func goesOver(line string) bool {
	return len(line) >= leastLine && strings.IndexByte(".,;:!?)", line[len(line)-1]) < 0 && isWrapped(line)
}

// taskTags are the tags in which agents' programs hand on what the user asks.
var taskTags = map[string]bool{"task": true, "user_query": true, "user_request": true, "pr_description": true, "issue": true, "question": true, "request": true}

// withoutTask takes such a tag off the head of a line, and one off its end.
func withoutTask(line string) string {
	if bare := strings.TrimLeft(line, " \t"); bare != "" && bare[0] == '<' && taskTags[tagOf(bare)] {
		_, line, _ = strings.Cut(bare, ">")
	}
	if i := strings.LastIndex(line, "</"); i >= 0 && taskTags[strings.TrimRight(line[i+2:], "> \t\r")] {
		line = line[:i]
	}
	return line
}

// after returns the position behind the first line from i on that ends something.
func after(lines []string, i int, ends func(string) bool) int {
	for ; i < len(lines); i++ {
		if ends(strings.TrimSpace(lines[i])) {
			return i + 1
		}
	}
	return i
}

// elements finds where the elements end that begin in lines.
type elements struct {
	lines []string
	last  map[string]int // by tag, the last line that closes it; made when the first one is asked for
}

// after returns the position behind an element; a tag that nothing closes is a line.
func (e *elements) after(i int, tag string) int {
	if e.last == nil {
		e.last = map[string]int{}
		for n, line := range e.lines {
			for _, part := range strings.Split(line, "</")[1:] {
				if name, _, ok := strings.Cut(part, ">"); ok {
					e.last[name] = n
				}
			}
		}
	}
	if last, ok := e.last[tag]; !ok || last < i {
		return i + 1
	}
	return after(e.lines, i, func(l string) bool { return strings.Contains(l, "</"+tag+">") })
}

// tagOf returns the name of the tag that a line opens, "" for none.
func tagOf(line string) string {
	n := 1
	for n < len(line) && (line[n]|0x20 >= 'a' && line[n]|0x20 <= 'z' || line[n] >= '0' && line[n] <= '9' || line[n] == '-' || line[n] == '_') {
		n++
	}
	if n == 1 || n == len(line) || line[n] != '>' && line[n] != ' ' {
		return ""
	}
	return line[1:n]
}

// observed begins what a tool or a program wrote.
var observed = openings(`observation | exitcode | exit code | stdout | stderr | tool output | tool result | tool response | function result | execution output | traceback most recent call last | begin forwarded message`)

// isHanded reports whether a line begins the result of a tool that an agent's program hands on.
func isHanded(line string) bool {
	by, _ := thread.Handed(line)
	return by != ""
}

// lets reports whether a line lets somebody else speak from the next line on.
func lets(line string) bool {
	if bare, ok := strings.CutSuffix(line, "："); ok {
		line = bare + ":"
	}
	if len(line) > 200 || !strings.HasSuffix(line, ":") {
		return strings.HasPrefix(line, "-----Original Message") || strings.HasPrefix(line, "---------- Forwarded")
	}
	low := strings.TrimRight(lowered(strings.ToLower(strings.TrimRight(line, ": "))), " ") + " "
	if endsAny(low, speaking) || endsAny(strings.TrimSpace(low), speakingLast) {
		return true
	}
	if saysAny(low, firstPerson) {
		return false
	}
	for len(low) > 1 && slices.ContainsFunc(listeners, func(w string) bool { return strings.HasSuffix(low, w) }) {
		low = low[:strings.LastIndexByte(low[:len(low)-1], ' ')+1]
	}
	return endsAny(low, speaking) || endsAny(low, speakingElsewhere) || slices.ContainsFunc(speakingBefore, func(w string) bool {
		at := strings.LastIndex(low, w)
		return at >= 0 && words(strings.TrimSpace(low[at+len(w):])) <= mostBehind
	})
}

// mostBehind is how many words a name has that stands behind its verb: "escribió Bob".
const mostBehind = 2

var (
	speaking          = phrases(`wrote | writes | email | e-mail | mail | letter | this email | this e-mail | replied`)
	speakingElsewhere = phrases(`schreibt | schrieb | geschrieben hat | hat geschrieben | antwortet | antwortete | escribe | escribió | ha escrito | respondió | écrit | répond | répondu |
		scritto | scrive | scrisse | risposto | escreveu | escreve | respondeu | schreef | schrijft | geschreven | antwoordde | написал | написала | написали | пишет | ответил | ответила | napisał | napisała | pisze | skrev | skriver`)
	// speakingBefore are those of them that may stand before who speaks.
	speakingBefore = phrases(`schrieb | escribió | escreveu | scrisse | schreef | написал | написала | skrev`)
	listeners      = phrases(`me | us | to | mir | uns | heute | gestern | today | yesterday`)
	speakingLast   = []string{"写的", "写道", "写信说", "来信", "回复", "回复说", "書いた", "書きました", "からのメール"}
	firstPerson    = phrases(`i | we | i've | we've | ich | wir | yo | je | j'ai | nous | io | я | мы | ja | jag | vi | ik`)
)

// isMail reports whether lines begin with the head of a mail: two of its fields.
func isMail(lines []string) bool {
	fields := 0
	for _, l := range lines[:min(len(lines), 6)] {
		name, _, ok := strings.Cut(strings.Trim(l, " *"), ":")
		switch strings.ToLower(name) {
		case "from", "to", "subject", "sent", "date", "cc", "reply-to":
			if ok {
				fields++
				continue
			}
		}
		break
	}
	return fields >= 2
}

// block is lines up to an empty one.
type block struct {
	end  int
	code []tally // of the lines from each to the end, the last line first
}

// tally counts lines that end or begin as those of code do; prose may be wrapped there in some.
type tally struct{ ends, wrapped int }

// blockAt returns the block that goes on at a line.
func blockAt(lines []string, i int) (b block) {
	for b.end = i; b.end < len(lines) && strings.TrimSpace(lines[b.end]) != ""; b.end++ {
	}
	b.code = make([]tally, 1, b.end-i+1)
	for n := b.end - 1; n >= i; n-- {
		c, line := b.code[len(b.code)-1], strings.TrimSpace(lines[n])
		if endsAsCode(line) {
			c.ends++
			if isWrapped(line) {
				c.wrapped++
			}
		}
		b.code = append(b.code, c)
	}
	return b
}

// isOutput reports whether a block is code or output from a line on: three lines and more, a
// third of which end or begin as no prose does, and more than prose that is wrapped so.
func (b *block) isOutput(from int) bool {
	n := b.end - from
	c := b.code[n]
	return n >= 3 && 3*c.ends >= n && 3*c.wrapped <= 2*c.ends
}

// endsAsCode reports whether a line ends or begins as lines of code and of output do.
func endsAsCode(line string) bool {
	if _, item, _ := bullet(line); item {
		return false
	}
	return strings.IndexByte("{};,([])", line[len(line)-1]) >= 0 || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "File \"") || strings.HasPrefix(line, "$ ")
}

// Wrapped prose has three words of letters in a line and more; twice as many beside a call.
const leastWrapped = 3

// isWrapped reports whether a line may be one of prose that goes on in the next: half of its
// words are of letters, and nothing in it is written as in code.
func isWrapped(line string) bool {
	words, plain, least := 0, 0, leastWrapped
	for w := range strings.FieldsSeq(strings.ReplaceAll(withoutSpans(line), "(s)", "s")) {
		words++
		if words == 1 && logLineWords[w] || strings.ContainsAny(w, "={}<>|") || strings.Contains(w, "\":") {
			return false
		}
		if call := strings.IndexByte(w, '('); call > 0 && unicode.IsLetter(rune(w[call-1])) {
			least = 2 * leastWrapped
		}
		bare := strings.Trim(w, "()[],.;:?!\"'`*")
		if len(bare) > 1 && strings.IndexFunc(bare, func(c rune) bool { return !unicode.IsLetter(c) && !strings.ContainsRune("-'’", c) }) < 0 {
			plain++
		}
	}
	return plain >= least && 2*plain >= words && !strings.HasPrefix(line, "at ")
}

// withoutSpans returns a line with a word in place of what stands between backquotes.
func withoutSpans(line string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 {
		return line
	}
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "code"
	}
	return strings.Join(parts, "")
}

// logLineWords begin lines of logs and of queries.
var logLineWords = wordSet(`INFO WARN WARNING ERROR DEBUG FATAL TRACE SELECT FROM WHERE INSERT UPDATE DELETE CREATE ALTER JOIN LEFT GROUP ORDER VALUES SET AND $ File`)

// isData reports whether a line is data rather than prose: longer than any line of prose, and
// without the ends of its sentences, or with marks of code.
func isData(line string) bool {
	return len(line) > maxProseLine && (isPasted(line) || len(line) > maxSentence*sentencesIn(line))
}

// maxSentence is how many bytes the sentences of prose have at most, taken together.
const maxSentence = 1000

func sentencesIn(line string) (n int) {
	for line != "" {
		end := sentenceEnd(line)
		if end < len(line) || strings.HasSuffix(line, "。") || strings.ContainsAny(line[len(line)-1:], ".!?") {
			n++
		}
		line = line[end:]
	}
	return n
}

// isObserved reports whether a message as a whole is what a tool or a program wrote.
func isObserved(text string) bool {
	return startsAny(lowered(oneline.Clip(strings.TrimSpace(text), 80)), observed)
}

// isPasted reports whether a line is one of code, output or a stack trace.
func isPasted(s string) bool {
	if strings.HasPrefix(s, "at ") && strings.ContainsAny(s, "(<:") || strings.HasPrefix(s, "{") || strings.Contains(s, `":`) ||
		strings.HasPrefix(s, "Error: ") || strings.HasPrefix(s, "File \"") || strings.HasPrefix(s, "Traceback") {
		return true
	}
	return looksLikeCode(s)
}

// looksLikeCode reports whether a text has more marks than prose.
func looksLikeCode(s string) bool {
	marks := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '}', ';', '|', '\\', '<', '>', '=', '$', '(', ')', '[', ']':
			marks++
		}
	}
	return marks*10 > len(s) && marks > 4
}
