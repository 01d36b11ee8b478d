// Package bpe counts the tokens of OpenAI's public encodings, o200k_base and
// cl100k_base, exactly.
//
// Use: Meter gives the meter of a model, Counter that of an encoding by name.
// Law: the count is that of OpenAI's tiktoken for the same text, with special
// tokens ("<|endoftext|>") read as ordinary text. Promise: no input takes more
// than time linear in its length, nothing is allocated per word, and counters
// are safe for concurrent use. docs/tokens.md has the speeds.
//
// # How it counts
//
// A hand-written scanner cuts the text where the encoding's published pattern
// does, ASCII 64 characters at a time by masks of bits. Each piece is looked up in
// a small memory of pieces seen before; a new piece is encoded by backtracking
// over longest matches in a trie of the vocabulary (the algorithm of GitHub's
// rust-gems), which gives the same tokens as merging pairs by rank without ever
// merging; only pieces without any order are merged. The vocabularies are
// tables in the binary, used where they lie: nothing is built at start.
//
// # Where it can differ from tiktoken
//
// A byte that is not part of valid UTF-8 counts as one U+FFFD, as Go's range and
// encoding/json read it; tiktoken never sees such text, and decoders that put one
// U+FFFD for several such bytes give it less. Letters, marks and numbers are those
// of Unicode 16.0, as in the reference; builds of tiktoken with other tables cut
// the characters elsewhere that lie between. The cl100k pattern is the one all
// published libraries share; a later form of it takes white space at the very end
// of a text whole, a token less at most.
package bpe

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/token"
)

// ErrUnknown is wrapped by the error about an encoding that is not here.
var ErrUnknown = errors.New("unknown encoding")

//go:generate go run generate.go

var (
	//go:embed o200k.table
	o200kTable string
	//go:embed cl100k.table
	cl100kTable string
)

var (
	o200k  = sync.OnceValue(func() *encoding { return newEncoding("o200k", o200kTable, nextO200k, false) })
	cl100k = sync.OnceValue(func() *encoding { return newEncoding("cl100k", cl100kTable, nextCl100k, true) })
)

// Counter is the exact counter of an encoding, by its short or full name:
// "o200k", "o200k_base", "cl100k", "cl100k_base".
func Counter(name string) (token.Counter, error) {
	e, err := named(name)
	if err != nil { // a nil *encoding would be a Counter
		return nil, err
	}
	return e, nil
}

func named(name string) (*encoding, error) {
	switch strings.TrimSuffix(name, "_base") {
	case "o200k":
		return o200k(), nil
	case "cl100k":
		return cl100k(), nil
	}
	return nil, fmt.Errorf("count with %q: %w", name, ErrUnknown)
}

// Meter is the meter of a model: exact where the model's encoding is public,
// else o200k scaled, with a margin (see token.For).
func Meter(m model.Model) (token.Meter, error) { return token.For(m, Counter) }

// encoding is a token.Counter.
type encoding struct {
	name     string
	next     func(s string, i int) int // end of the piece that starts at i
	caseless bool                      // the pattern does not tell cases apart
	vocab
	workers sync.Pool
}

func newEncoding(name, table string, next func(string, int) int, caseless bool) *encoding {
	e := &encoding{name: name, next: next, caseless: caseless, vocab: newVocab(table)}
	e.workers.New = func() any { return new(worker) }
	return e
}

func (e *encoding) Name() string { return e.name }
func (e *encoding) Exact() bool  { return true }

// Count is the number of tokens of text. A large text is counted in parts by
// several goroutines.
func (e *encoding) Count(text string) int {
	if !utf8.ValidString(text) {
		text = strings.Map(func(r rune) rune { return r }, text)
	}
	if len(text) < 2*share {
		return e.count(text)
	}
	return e.together(parts(text))
}

// count counts a valid text.
func (e *encoding) count(text string) int {
	w := e.workers.Get().(*worker)
	n := w.text(e, text)
	e.workers.Put(w)
	return n
}
