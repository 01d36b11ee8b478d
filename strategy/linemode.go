package strategy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// lineMode says how the lines of a summary are chosen.
type lineMode uint8

const (
	// ladderLines takes lines by the worth of their values alone, as the examples of the
	// ladder's preset have them.
	ladderLines lineMode = iota
	// closeLines tells values that stand bare from spoken ones, and lines that say what another
	// says already from new ones. The last lines of the newest results stand before others.
	closeLines
	// closeBlocks is closeLines, and first the newest of what the agent and users said stands
	// in blocks, with its indentation.
	closeBlocks
)

// lineMode returns how lines are chosen within these limits.
func (l Limits) lineMode() lineMode {
	switch {
	case !l.LinesClosely:
		return ladderLines
	case l.OwnTokens > 0:
		return closeBlocks
	}
	return closeLines
}

// LinesHeading begins the line above lines of the log in an excerpt of a summary, or in its text; what
// stands behind that line is theirs to the end.
const LinesHeading = "Lines of the log, as they stood"

// heading stands above the lines of a summary.
func (m lineMode) heading() string {
	if m == ladderLines {
		return LinesHeading + ":"
	}
	return LinesHeading + "; an empty line stands for a gap:"
}

// quote gives a summary its lines, "" for none.
func (m lineMode) quote(summary *plan.Record, lines string) {
	switch {
	case lines == "":
	case m == ladderLines:
		summary.Text += "\n\n" + lines
	default:
		summary.Excerpts = append(slices.Clip(summary.Excerpts), lines)
	}
}

// gap stands between two lines of a message where something is left out between them.
func (m lineMode) gap() string {
	if m == ladderLines {
		return "\n… "
	}
	return "\n\n"
}

// textOf returns what a part says, a result without what agents' programs put around it. Where
// there are blocks, a call says its name, too.
func (m lineMode) textOf(p *message.Part) string {
	switch {
	case p.Kind == message.Result:
		return tool.Written(p.Body())
	case p.Kind != message.Call || m != closeBlocks:
		return p.Body()
	case jsontext.Value(p.Args).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return p.Name + " " + unescape(p.Args)
	}
	return p.Name + " " + p.Args
}

// unescape reads the strings of JSON as far as blocks of code need: they have lines, quotes and
// letters. The rest stays as it was written.
func unescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	b := []byte(s[:at])
	for at < len(s) {
		c, n := rune(s[at]), 1
		if c == '\\' && at+1 < len(s) {
			c, n = escaped(s[at:])
		}
		if n > 1 {
			b = utf8.AppendRune(b, c)
		} else {
			b = append(b, s[at])
		}
		at += n
	}
	return string(b)
}

// escaped returns the character for which the escape at the beginning of a text stands, and its
// length in bytes; 1 where it is to stay as it is.
func escaped(s string) (c rune, n int) {
	switch s[1] {
	case '\\', '"':
		return rune(s[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return '\\', 1
	}
	c, ok := hex(s)
	n = 6
	if low, again := hex(s[min(n, len(s)):]); again && utf16.IsSurrogate(c) {
		c, n = utf16.DecodeRune(c, low), 2*n
	}
	if !ok || c == unicode.ReplacementChar || !unicode.IsPrint(c) {
		return '\\', 1
	}
	return c, n
}

// hex reads an escape in hexadecimal digits at the beginning of a text, and reports whether there is one.
func hex(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
