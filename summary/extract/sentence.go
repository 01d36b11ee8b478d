package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// sentence is one statement of a text.
type sentence struct {
	text string
	own  string // of a user's: the text without what it quotes
	line string // that it stands in, without the mark of a list
	item bool   // stood as an item of a list
	num  bool   // of a numbered list
	head bool   // is a heading
	box  byte   // ' ' or 'x' of a checkbox, 0 for none

	low string   // in statements: the text in small letters, see lowered
	in  triggers // and what stands in it
}

// eachSentence calls f with the statements of a text, line by line. Fenced
// blocks, quotes and what an agent injects between tags is someone else's text
// and left out.
func eachSentence(text string, f func(sentence)) {
	fenced, injected := false, ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if isFence(line) {
			fenced = !fenced
			continue
		}
		if injected != "" {
			if strings.Contains(line, injected) {
				injected = ""
			}
			continue
		}
		if tag := injectedTag(line); tag != "" {
			if !strings.Contains(line, "</"+tag+">") {
				injected = "</" + tag + ">"
			}
			continue
		}
		if fenced || line == "" || line[0] == '>' || isData(line) {
			continue
		}
		splitLine(line, f)
	}
}

// isFence reports whether a line begins or ends what stands between fences.
func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// maxProseLine is the longest line that is read as prose however it looks.
const maxProseLine = 4000

var injectedTags = []string{"system-reminder", "environment_context", "local-command-stdout", "command-message", "ide_opened_file", "function_results"}

func injectedTag(line string) string {
	if line == "" || line[0] != '<' {
		return ""
	}
	for _, t := range injectedTags {
		if strings.HasPrefix(line[1:], t+">") {
			return t
		}
	}
	return ""
}

// eachStatement calls f with what a user states in the user's own words: sentences, each
// with those behind it that say nothing alone: exceptions, conditions, permissions. A question
// stands alone.
func eachStatement(text string, f func(sentence)) {
	ownLines(text, func(line string) {
		if line == oneline.Ellipsis {
			return
		}
		var held sentence
		splitOwn(line, func(s sentence) {
			if held.text != "" && len(held.text)+len(s.text) < maxStatement && goesWith(s.text, held.text) {
				held.text, held.own = besides(held.text, s.text), besides(held.own, s.own)
				return
			}
			if held.text != "" {
				f(held)
			}
			held = s
		})
		if held.text != "" {
			f(held)
		}
	})
}

// goesWith reports whether a sentence says nothing without the one before it.
func goesWith(text, before string) bool {
	return startsAny(lowered(text), dependent) && !strings.HasSuffix(text, "?") || correctsValue(text, before)
}

const maxStatement = 400 // bytes of sentences that stand together

func splitLine(line string, f func(sentence)) {
	s := sentence{}
	line, s.item, s.num = bullet(line)
	if len(line) > 3 && line[0] == '[' && line[2] == ']' {
		s.box = line[1] | 0x20
		line = strings.TrimSpace(line[3:])
	}
	s.head = !s.item && (strings.HasPrefix(line, "#") || len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**"))
	line = plain(strings.TrimLeft(line, "# "))
	s.line = line
	for line != "" {
		end := sentenceEnd(line)
		if s.text = plain(line[:end]); s.text != "" {
			f(s)
		}
		line = strings.TrimLeft(line[end:], " ")
	}
}

// plain returns a text without the marks around it that make all of it bold.
func plain(s string) string {
	s = strings.TrimSpace(s)
	if bare := strings.Trim(s, "*"); !strings.Contains(bare, "**") {
		return strings.TrimSpace(bare)
	}
	return s
}

// bullet takes the mark of a list item off.
func bullet(line string) (rest string, item, num bool) {
	if len(line) > 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ' {
		return strings.TrimSpace(line[2:]), true, false
	}
	if strings.HasPrefix(line, "• ") {
		return strings.TrimSpace(line[len("• "):]), true, false
	}
	i := 0
	for i < len(line) && i < 3 && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	if i > 0 && i+1 < len(line) && (line[i] == '.' || line[i] == ')') && line[i+1] == ' ' {
		return strings.TrimSpace(line[i+2:]), true, true
	}
	return line, false, false
}

// sentenceEnd finds where the first sentence of a line ends.
func sentenceEnd(s string) int {
	for i := 0; i < len(s)-1; i++ {
		switch s[i] {
		case 0xe3, 0xef: // the first byte of those of Chinese
			if mark := s[i:min(i+3, len(s))]; mark == "。" || mark == "！" || mark == "？" {
				return i + len(mark)
			}
		case '!', '?':
			if s[i+1] == ' ' {
				return i + 1
			}
		case '.':
			if s[i+1] == ' ' && !abbreviated(s[:i]) {
				return i + 1
			}
		}
	}
	return len(s)
}

// countsIn reports whether a word is a figure of the sentence that it stands in, rather than the
// number of what follows.
func countsIn(s string, word int) bool {
	return word > 1 && word < len(s) && s[word] >= '0' && s[word] <= '9' && strings.IndexByte(".:;!?'\")", s[word-2]) < 0
}

func abbreviated(s string) bool {
	i := strings.LastIndexByte(s, ' ')
	if len(s)-i <= 2 && !countsIn(s, i+1) {
		return true // an initial, a number of a list
	}
	switch strings.ToLower(strings.TrimLeft(s[i+1:], `("`)) {
	case "e.g", "i.e", "n.b", "vs", "etc", "no", "mr", "mrs", "dr", "approx", "fig", "st", "inc", "ltd", "corp", "lt", "sgt", "prof", "dept", "a.m", "p.m", "u.s", "jan", "feb", "aug", "sept", "oct", "nov", "dec":
		return true
	}
	return false
}

// words counts the words of a text.
func words(s string) int {
	n, in := 0, false
	for i := 0; i < len(s); i++ {
		if blank := s[i] == ' '; blank == in {
			in = !blank
			if in {
				n++
			}
		}
	}
	return n
}
