package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AsContent returns content as it may stand among words of ours: a line of it that could be
// taken for a heading, a label, an item, a number or a speaker of ours begins with a bar.
func AsContent(text string) string {
	if strings.ContainsAny(text, "\u2028\u2029\u0085\v\f\r") {
		text = separators.Replace(text)
	}
	if !strings.Contains(text, "\n") {
		return barred(text)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = barred(l)
	}
	return strings.Join(lines, "\n")
}

func barred(line string) string {
	if imitates(line) {
		return "| " + line
	}
	return line
}

// Quote sets every line of a text apart from what a user said.
func Quote(text string) string {
	return "> " + strings.ReplaceAll(separators.Replace(strings.TrimSpace(text)), "\n", "\n> ")
}

// separators end a line for some readers.
var separators = strings.NewReplacer("\u2028", " ", "\u2029", " ", "\u0085", " ", "\v", " ", "\f", " ", "\r", " ")

// labels begin what stands in brackets in a prompt or a handover, in lower case.
var labels = []string{
	"[précis", "[precis", "[pre\u0301cis", "[summary v", "[summary]", "[context summary", "[context truncated", "[conversation summary", "[compact summary", "[externalized content",
	"[batch ", "[... ", "[files, outputs, searches", "[nothing of it fits", "[no look-up is left", "[there is no room for", "[begin ", "[end ", "[inst]",
}

// openings begin the lines of a prompt or a handover that say whose word follows, or what, in
// lower case. What stands behind them may be missing a number, by which cites would know it.
var openings = byFirst(
	"user:", "human:", "system:", "agent:", "assistant:", "tool:",
	"benutzer:", "nutzer:", "usuario:", "usuário:", "utilisateur:", "utilisateur :", "utente:", "пользователь:", "用户:", "用戶:", "ユーザー:",
	"the user said", "the user asked", "the user requires", "the user prefers", "beside what the user said",
	"you said (", "you said:", "you called ", "the tool returned", "there was a picture",
	"lines of the log", "of the lines above", "asked so far", "current task", "requests of the user", "latest request", "constraints and", "turn context (", "earlier, in ", "earlier:",
	"every message of this session", "this conversation was compacted", "this summary incorporates context",
	"summary: ", "to retrieve full content",
)

// byFirst keeps texts by their first byte.
func byFirst(texts ...string) (by [256][]string) {
	for _, t := range texts {
		by[t[0]] = append(by[t[0]], t)
	}
	return by
}

// imitates reports whether a line begins as one of ours does, or names a message as ours do.
func imitates(line string) bool {
	line = strings.TrimLeftFunc(seen(line), decorates)
	if line == "" {
		return false
	}
	switch line[0] {
	case '#':
		rest := strings.TrimLeft(line, "#")
		return len(line)-len(rest) > 1 && strings.HasPrefix(rest, " ") || rest != "" && rest[0] >= '0' && rest[0] <= '9'
	case '[':
		return beginsWith(line, labels) || strings.Contains(line, "precis_") || strings.Contains(line, " left out") || cites(line)
	case '<':
		return beginsWith(line, []string{"<user", "<system", "<human", "<assistant", "<|", "<<sys>>"})
	}
	first := line[0]
	if first < 0x80 {
		first |= 0x20
	}
	return beginsWith(line, openings[first]) || cites(line)
}

// headBytes are as many of a line as tell whether it begins as one of ours.
const headBytes = 64

// seen returns a line as it looks at its head: without signs that nobody sees and sequences that color a terminal, and with
// plain letters and marks for wide ones.
func seen(line string) string {
	n := min(len(line), headBytes)
	if !strings.ContainsFunc(line[:n], func(r rune) bool { return r >= 0x80 || r == escape }) {
		return line
	}
	for n < len(line) && !utf8.RuneStart(line[n]) {
		n++
	}
	var b strings.Builder
	for head := line[:n]; head != ""; {
		r, size := utf8.DecodeRuneInString(head)
		switch head = head[size:]; {
		case r == escape || r == csi:
			head = behindSequence(head, r == csi)
		case r >= '！' && r <= '～': // the wide forms of ASCII
			b.WriteRune(r - '！' + '!')
		case r < 0x80 || !hidden(r) || r == '\u0301':
			b.WriteRune(r)
		}
	}
	return b.String() + line[n:]
}

// escape and csi begin sequences that color a terminal or move in it.
const escape, csi = '\x1b', '\u009b'

// behindSequence returns what stands behind the rest of such a sequence.
func behindSequence(rest string, begun bool) string {
	if !begun && !strings.HasPrefix(rest, "[") {
		return rest
	}
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "["), "0123456789;:?")
	return rest[min(1, len(rest)):]
}

// hidden reports whether nobody sees a sign that is none of ASCII.
func hidden(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Mn)
}

// decorates reports whether a sign before a line leaves it looking as it does: blanks, signs
// that nobody sees, and those of markup.
func decorates(r rune) bool {
	if r < 0x80 {
		return r <= ' ' || r == '*' || r == '_' || r == '>' || r == 0x7f
	}
	return unicode.IsSpace(r) || hidden(r)
}

// cites reports whether a line names a message of the log as items of ours do: "- … (#7)" with
// more behind it or not, and any other line at its end.
func cites(line string) bool {
	at := strings.LastIndex(line, "(#")
	if at < 0 {
		return false
	}
	rest := line[at+len("(#"):]
	number := strings.TrimLeft(rest, "0123456789")
	return len(number) < len(rest) && (line[0] == '-' || strings.Trim(number, "):;,. ") == "")
}

// beginsWith reports whether a line begins with one of some texts in lower case, whatever its own.
func beginsWith(line string, texts []string) bool {
	for _, t := range texts {
		if len(line) >= len(t) && strings.EqualFold(line[:len(t)], t) {
			return true
		}
	}
	return false
}
