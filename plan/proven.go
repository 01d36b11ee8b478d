package plan

import (
	"bytes"
	"encoding/json"
	"index/suffixarray"
	"iter"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// witness tells what a plan was made from and a branch does not hold: messages that
// the branch left out or rewrote, or of another conversation that began alike. What
// they said must not come to the branch in the text of a record.
type witness struct {
	branch, lacking words
}

// words are the words of texts, and the pairs of words that follow each other.
type words struct {
	text *suffixarray.Index // all of it, in small letters
	has  map[string]bool    // words, and pairs with a space between
}

// hold reports whether a word stands in the texts, be it as a piece of a longer one. It takes
// logarithmic time: a plan may have a record for each message.
func (w words) hold(word string) bool { return len(w.text.Lookup([]byte(word), 1)) > 0 }

// wordsIn yields the words of a text in small letters without the marks around them.
func wordsIn(lower string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsSeq(lower) {
			if word = strings.Trim(word, "\"'`.,:;!?()[]{}<>…"); word != "" && !yield(word) {
				return
			}
		}
	}
}

// newWitness returns nil where the branch that m moves to holds all that the plan was made from.
func newWitness(p *Plan, m *mover) *witness {
	from, to := m.from, m.to
	if _, ok := to.Find(p.Base); ok {
		return nil
	}
	end := from.Len()
	if at, ok := from.Find(p.Base); ok {
		end = at + 1
	}
	var lacking []string
	for i := range end {
		if !m.held[i] {
			lacking = said(lacking, &from.At(i).Message)
		}
	}
	if lacking == nil {
		return nil
	}
	var own []string
	for i := range to.Len() {
		own = said(own, &to.At(i).Message)
	}
	return &witness{branch: wordsOf(own), lacking: wordsOf(lacking)}
}

// clear reports whether a text says nothing that only what is lacking said.
func (w *witness) clear(text string) bool {
	last := ""
	for word := range wordsIn(strings.ToLower(text)) {
		pair := last + " " + word
		if w.reveals(word) || last != "" && w.lacking.has[pair] && !w.branch.has[pair] {
			return false
		}
		last = word
	}
	return true
}

// reveals reports whether only what is lacking has a word, be it as a piece of a
// longer one. A single character tells nothing.
func (w *witness) reveals(word string) bool {
	return !w.branch.has[word] && len(word) > 1 && w.lacking.hold(word) && !w.branch.hold(word)
}

// passes returns the record as the branch may have it, or false where its text tells
// what the branch does not hold.
func (w *witness) passes(r Record) (Record, bool) {
	if w == nil {
		return r, true
	}
	shown := append([]string{r.Text, r.Answer, r.Outcome, r.Hint}, r.Excerpts...)
	shown = append(shown, unquoted(r.Summary)...)
	shown = append(shown, unquoted(r.Fields)...)
	shown = append(shown, unquoted(r.Meta)...)
	for _, text := range shown {
		if !w.clear(text) {
			return r, false
		}
	}
	if !w.clear(r.Reason) {
		r.Reason = ""
	}
	return r, true
}

func wordsOf(texts []string) words {
	text := strings.ToLower(strings.Join(texts, "\n"))
	w := words{text: suffixarray.New([]byte(text)), has: map[string]bool{}}
	last := ""
	for word := range wordsIn(text) {
		w.has[word] = true
		if last != "" {
			w.has[last+" "+word] = true
		}
		last = word
	}
	return w
}

// said appends what a message says: its texts, and arguments as they are written and
// as they are meant.
func said(to []string, m *message.Message) []string {
	for i := range m.Parts {
		p := &m.Parts[i]
		to = append(to, p.Name, p.Body(), p.Text, p.URL)
		if p.Args != "" {
			to = append(append(to, p.Args), unquoted([]byte(p.Args))...)
		}
	}
	return to
}

// unquoted are the strings of a JSON value, names included.
func unquoted(raw []byte) (out []string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	for len(raw) > 0 {
		t, err := d.Token()
		if err != nil {
			return out
		}
		if s, ok := t.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
