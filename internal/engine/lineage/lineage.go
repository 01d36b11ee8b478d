// Package lineage finds the conversation that a new one goes on from, after its client
// compacted that one itself.
//
// Use: Keep each reply, and ask Find for what is new of a history that begins or departs;
// store.Link writes what was found. Law: a conversation goes on from
// another only if it holds the whole of a long reply to it, of the same tenant and the
// same user, that no other conversation was given. Promise: what a link shows of the
// earlier thread ends where the reply was given; replies are kept as digests, and
// bounded, in memory and as notes for other processes.
package lineage

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Replies remembers the last long replies. Make one with New; it is safe for concurrent use.
type Replies struct{ kept lru.Cache[beginning, reply] }

// New returns Replies that hold nothing.
func New() *Replies {
	r := new(Replies)
	r.kept.MaxEntries = maxReplies
	return r
}

// beginning is how a reply begins, and who was given it.
type beginning struct{ tenant, user, head string }

// reply is the part of a reply that is kept.
type reply struct {
	letters int
	sum     string
	of      store.Origin // zero: more than one conversation was given it
}

// digest is a hash of letters, as JSON can hold it.
func digest(letters string) string {
	sum := sha256.Sum256([]byte(letters))
	return hex.EncodeToString(sum[:])
}

const (
	// maxReplies are remembered, each as some hundred bytes.
	maxReplies = 4096
	// minLetters is how many letters and digits a reply has that tells conversations apart,
	// and headLetters how many of them find it.
	minLetters, headLetters = 200, 48
	// Of a history so many lines are looked at.
	maxLines = 4000
)

// Keep remembers the reply to a thread that ends in tip, where it is long and calls no
// tool: it may be a summary. It returns what another process has to Take to know of it.
func (r *Replies) Keep(k store.Key, user string, tip thread.ID, ms []message.Message) (notes []Note) {
	for _, m := range ms {
		if m.Has(message.Call) {
			return nil
		}
	}
	for _, text := range summaries(textOf(ms)) {
		if s := fold(text); len(s) >= minLetters {
			notes = append(notes, Note{Head: digest(s[:headLetters]), Sum: digest(s), Letters: len(s), Thread: k.Thread, Tip: tip})
		}
	}
	r.Take(k.Tenant, user, notes)
	return notes
}

// Take remembers replies that a user of a tenant was given, the newest last.
func (r *Replies) Take(tenant, user string, notes []Note) {
	for _, n := range notes {
		now := reply{n.Letters, n.Sum, store.Origin{Thread: n.Thread, Tip: n.Tip}}
		r.kept.Update(beginning{tenant, user, n.Head}, func(was reply, _ int) (reply, int) {
			if was.letters > 0 && was.of.Thread != n.Thread && was.sum == now.sum {
				now.of = store.Origin{}
			}
			return now, 0
		})
	}
}

// textOf returns the text of a reply.
func textOf(ms []message.Message) string {
	var b strings.Builder
	for _, m := range ms {
		for _, p := range m.Parts {
			if p.Kind == message.Text {
				b.WriteString(p.Text + "\n")
			}
		}
	}
	return b.String()
}

// summaries are the parts of a reply that a client may go on with: all of it, and what
// stands in a summary's tags.
func summaries(text string) []string {
	out := []string{text}
	if _, rest, ok := strings.Cut(text, "<summary>"); ok {
		inner, _, _ := strings.Cut(rest, "</summary>")
		out = append(out, inner)
	}
	return out
}

// fold leaves a text's letters and digits, so that a client may set it in other tags and
// lines.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// Find returns the thread whose reply stands whole in what is new of a history: in
// what its users say, and where all is new in its first answers.
func (r *Replies) Find(k store.Key, user string, fresh []message.Message, begins bool) (store.Origin, bool) {
	lines := maxLines
	for text := range textsToSearch(fresh, begins) {
		if of, ok := r.replyIn(text, k, user, &lines); ok && of.Thread != k.Thread {
			return of, true
		}
	}
	return store.Origin{}, false
}

// MayHold reports whether Find has a text to look at in what is new of a history.
func MayHold(fresh []message.Message, begins bool) bool {
	for range textsToSearch(fresh, begins) {
		return true
	}
	return false
}

// textsToSearch are the texts in which a reply may stand.
func textsToSearch(fresh []message.Message, begins bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, m := range fresh {
			if m.Role != message.User && (m.Role != message.Assistant || !begins || i > 2) {
				continue
			}
			for _, p := range m.Parts {
				if p.Kind == message.Text && len(p.Text) >= minLetters && !yield(p.Text) {
					return
				}
			}
		}
	}
}

// replyIn finds the thread whose reply stands in a text. A reply may begin with a line, or
// behind a tag; lines counts down how many such places are still looked at.
func (r *Replies) replyIn(text string, k store.Key, user string, lines *int) (store.Origin, bool) {
	var starts []int
	var b strings.Builder
	begins := true
	for _, c := range text {
		switch {
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			if begins {
				starts = append(starts, b.Len())
			}
			b.WriteRune(unicode.ToLower(c))
			begins = false
		case c == '\n' || c == '>':
			begins = true
		}
	}
	folded := b.String()
	for _, at := range starts {
		if *lines--; *lines < 0 || len(folded)-at < minLetters {
			break
		}
		rest := folded[at:]
		got, ok := r.kept.Get(beginning{k.Tenant, user, digest(rest[:headLetters])})
		if ok && got.of != (store.Origin{}) && len(rest) >= got.letters && digest(rest[:got.letters]) == got.sum {
			return got.of, true
		}
	}
	return store.Origin{}, false
}
