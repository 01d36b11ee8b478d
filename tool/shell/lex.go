// Package shell takes a shell's command line apart: its commands, what they read and
// write, where they run, and what they run in their turn.
//
// Use: Lex for the simple commands of a line; Simple.Commands for all that one of them runs;
// Program for what stands behind sudo, timeout and the like; Join for the other way. Law: a line is
// data, and is never expanded; what is not known (substitutions, arrays) passes through as words.
// It knows the programs that run others, and no program else: what they do is package program's.
// Promise: one pass; every line has an answer, a cut or broken one too.
//
// Files: lex.go the lexer, command.go what a command runs and where, words.go the words of one command.
package shell

import "strings"

// Simple is one simple command of a shell line: its words, its redirections
// and the body of its here-document.
type Simple struct {
	Start     int  // of its first word in the line
	End       int  // of its last, or of what it reads
	Op        byte // what ended it: '\n', '|', '&', ';', '(', ')', 'o' for "||", or 0
	Loops     bool // "while" or "until" stands before it
	Words     []string
	Redirects []Redirect
	Body      string
}

// Redirect is a file that a command reads from or writes to.
type Redirect struct {
	Op   string // ">", ">>" or "<"
	Path string
}

// Writes reports whether it writes a file: one under /dev is none.
func (r *Redirect) Writes() bool { return r.Op != "<" && !strings.HasPrefix(r.Path, "/dev/") }

// lexer splits a shell line into simple commands, by hand and in one pass. It
// knows quotes, escapes, comments, redirections and here-documents; what it
// does not know (substitutions, arrays) passes through as words.
type lexer struct {
	s     string
	i     int
	cur   Simple
	heads []heredoc // whose bodies start at the next newline
	out   []Simple
}

type heredoc struct {
	word string
	at   int // index in out of its command, or len(out) for the current one
	tabs bool
}

// Lex takes a line apart.
func Lex(s string) []Simple {
	l := &lexer{s: s}
	for l.i < len(l.s) {
		l.step()
	}
	l.end(0)
	return l.out
}

func (l *lexer) step() {
	switch c := l.s[l.i]; c {
	case ' ', '\t', '\r':
		l.i++
	case '\n':
		l.i++
		l.end('\n')
		l.bodies()
	case ';', '|', '&', '(', ')':
		l.operator(c)
	case '>', '<':
		l.redirect(c)
	case '#':
		l.skipLine()
	default:
		l.bareWord()
	}
}

func (l *lexer) operator(c byte) {
	if c == '&' && l.i+1 < len(l.s) && l.s[l.i+1] == '>' {
		l.i++ // &> file
		l.redirect('>')
		return
	}
	l.i++
	if c == '|' && l.i < len(l.s) && l.s[l.i] == '|' {
		l.i++
		c = 'o'
	}
	l.end(c)
}

// bareWord reads a word; digits right before a redirection belong to it.
func (l *lexer) bareWord() {
	start := l.i
	w := l.word()
	if l.i < len(l.s) && (l.s[l.i] == '>' || l.s[l.i] == '<') && isDescriptor(w) {
		return
	}
	if w == "" {
		return
	}
	if raw := l.s[start:l.i]; len(l.cur.Words) == 0 && IsKeyword(raw) {
		l.cur.Loops = l.cur.Loops || raw == "while" || raw == "until"
		return
	}
	if len(l.cur.Words) == 0 {
		l.cur.Start, l.cur.Words = start, make([]string, 0, 8)
	}
	l.cur.Words, l.cur.End = append(l.cur.Words, w), l.i
}

func (l *lexer) end(op byte) {
	l.cur.Op = op
	if len(l.cur.Words) > 0 || len(l.cur.Redirects) > 0 {
		l.out = append(l.out, l.cur)
	}
	l.cur = Simple{}
}

func (l *lexer) skipLine() {
	if j := strings.IndexByte(l.s[l.i:], '\n'); j >= 0 {
		l.i += j
		return
	}
	l.i = len(l.s)
}

func (l *lexer) redirect(c byte) {
	start := l.i
	l.i++
	for l.i < len(l.s) && (l.s[l.i] == c || l.s[l.i] == '|' || l.s[l.i] == '-' && l.s[start:l.i] == "<<") {
		l.i++
	}
	op := l.s[start:l.i]
	if l.i < len(l.s) && (l.s[l.i] == '&' || l.s[l.i] == '(') {
		l.i++ // >&1, >(…)
		l.word()
		return
	}
	l.blanks()
	w := l.word()
	switch {
	case w == "":
	case op == "<<" || op == "<<-":
		l.heads = append(l.heads, heredoc{word: w, at: len(l.out), tabs: op == "<<-"})
	case op == "<<<":
	default:
		if op == "<" && len(l.cur.Words) > 0 {
			l.cur.End = l.i // what a program reads says what it does
		}
		l.cur.Redirects = append(l.cur.Redirects, Redirect{Op: strings.TrimSuffix(op, "|"), Path: w})
	}
}

func (l *lexer) blanks() {
	for l.i < len(l.s) && (l.s[l.i] == ' ' || l.s[l.i] == '\t') {
		l.i++
	}
}

// bodies reads the here-documents announced on the line that just ended.
func (l *lexer) bodies() {
	for _, h := range l.heads {
		body, rest := untilLine(l.s[l.i:], h.word, h.tabs)
		if h.at < len(l.out) {
			l.out[h.at].Body = body
		}
		l.i = len(l.s) - len(rest)
	}
	l.heads = l.heads[:0]
}

// untilLine splits s at the line that is word alone.
func untilLine(s, word string, tabs bool) (body, rest string) {
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		next := at + end + 1
		if end < 0 {
			end, next = len(s)-at, len(s)
		}
		line := strings.TrimRight(s[at:at+end], "\r")
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == word {
			return s[:at], s[next:]
		}
		at = next
	}
	return s, ""
}

// word reads one word, taking quotes and escapes away. It allocates only when
// there were any.
func (l *lexer) word() string {
	start := l.i
	var b []byte
	plain := true
	unplain := func() {
		if plain {
			b, plain = append(b, l.s[start:l.i]...), false
		}
	}
	for l.i < len(l.s) {
		c := l.s[l.i]
		switch c {
		case ' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>':
			if plain {
				return l.s[start:l.i]
			}
			return string(b)
		case '\\':
			unplain()
			if l.i+1 < len(l.s) && l.s[l.i+1] != '\n' {
				b = append(b, l.s[l.i+1])
			}
			l.i += 2
		case '\'', '"':
			unplain()
			b = l.quoted(b, c)
		default:
			n := 1
			if c == '$' {
				n = arithmetic(l.s[l.i:])
			}
			if !plain {
				b = append(b, l.s[l.i:l.i+n]...)
			}
			l.i += n
		}
	}
	l.i = min(l.i, len(l.s))
	if plain {
		return l.s[start:]
	}
	return string(b)
}

// arithmetic returns how many bytes the "$((…))" at the beginning of a text takes, 1 where there is none.
func arithmetic(s string) int {
	if !strings.HasPrefix(s, "$((") {
		return 1
	}
	end := strings.IndexAny(s, "\n;&|<>")
	if end < 0 {
		end = len(s)
	}
	if n := strings.Index(s[:end], "))"); n > 0 {
		return n + len("))")
	}
	return 1
}

// quoted appends what stands between two quotes.
func (l *lexer) quoted(b []byte, q byte) []byte {
	l.i++
	for l.i < len(l.s) && l.s[l.i] != q {
		if q == '"' && l.s[l.i] == '\\' && l.i+1 < len(l.s) {
			if next := l.s[l.i+1]; next != '"' && next != '\\' && next != '$' && next != '`' {
				b = append(b, '\\')
			}
			l.i++
		}
		b = append(b, l.s[l.i])
		l.i++
	}
	l.i++
	return b
}

// isDescriptor reports whether a word may be the number of an open file.
func isDescriptor(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
