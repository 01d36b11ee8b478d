package recall

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Work bounds what searches by expressions cost together, whatever the expressions and
// the text. Its unit is one instruction of an expression's program at one byte of text,
// some nanoseconds. A nil *Work is no bound. Safe for concurrent use.
type Work struct{ left atomic.Int64 }

// NewWork returns the work of one request that models' look-ups are part of.
func NewWork() *Work {
	w := &Work{}
	w.left.Store(requestWork)
	return w
}

// requestWork is a few seconds of the worst expressions: 50 MB of text for one with ten
// instructions.
const requestWork = 1 << 29

// maxProgram is the most instructions of a model's expression.
const maxProgram = 2000

// errWork reports that an expression was not searched for to the end of the text.
var errWork = &refusal{Stopped, "the expression takes too long over so much text, and was not searched for to the end: give an id, or plain words without regexp"}

// spend takes work, and reports whether there was so much.
func (w *Work) spend(n int) bool { return w == nil || w.left.Add(-int64(n)) >= 0 }

// expression compiles what a model wrote.
func expression(text string) (*regexp.Regexp, error) {
	n, err := instructions(text)
	if err == nil && n > maxProgram {
		err = fmt.Errorf("it has %d instructions, at most %d are allowed", n, maxProgram)
	}
	if err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// instructions is the size of an expression's program.
func instructions(text string) (int, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

// matcher finds an expression in lines, within a context and work.
type matcher struct {
	ctx     context.Context
	work    *Work
	pattern *regexp.Regexp
	prefix  string // of every match
	size    int    // of the program
}

func newMatcher(ctx context.Context, w *Work, p *regexp.Regexp) matcher {
	size, err := instructions(p.String())
	if err != nil { // of another syntax than it is compiled with here
		size = 1
	}
	prefix, _ := p.LiteralPrefix()
	return matcher{ctx, w, p, prefix, size}
}

// blink is the work after which the context is asked.
const blink = 1 << 20

// find returns where the first match of a line is, nil for none.
func (m matcher) find(line string) ([]int, error) {
	cost := (len(line) + 1) * m.size
	if !m.work.spend(cost) {
		return nil, errWork
	}
	if cost < blink {
		return m.pattern.FindStringIndex(line), nil
	}
	if !strings.Contains(line, m.prefix) {
		return nil, m.ctx.Err()
	}
	at := m.pattern.FindReaderIndex(&stretches{ctx: m.ctx, rest: line, each: blink/m.size + 1})
	return at, m.ctx.Err()
}

// stretches reads a text, and ends when the context does.
type stretches struct {
	ctx        context.Context
	rest       string
	each, left int // bytes between two questions; until the next
}

// ReadRune implements io.RuneReader.
func (s *stretches) ReadRune() (rune, int, error) {
	if s.left <= 0 {
		if s.ctx.Err() != nil {
			return 0, 0, io.EOF
		}
		s.left = s.each
	}
	if s.rest == "" {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(s.rest)
	s.rest, s.left = s.rest[n:], s.left-n
	return r, n, nil
}
