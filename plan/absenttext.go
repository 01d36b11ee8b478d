package plan

import (
	"bytes"
	"encoding/json"
	"index/suffixarray"
	"iter"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// absentText is what a plan was made from and a branch does not hold: the text of messages
// that the branch left out or rewrote, or of another conversation that began alike. It must
// not come to the branch in the text of a record. A nil absentText is empty.
type absentText struct {
	absent words
	branch words // what the branch does hold
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

// newAbsentText returns nil where the branch that m moves to holds all that the plan was made from.
func newAbsentText(p *Plan, m *mover) *absentText {
	from, to := m.from, m.to
	if _, ok := to.Find(p.Base); ok {
		return nil
	}
	end := from.Len()
	if at, ok := from.Find(p.Base); ok {
		end = at + 1
	}
	var absent []string
	for i := range end {
		if !m.held[i] {
			absent = said(absent, &from.At(i).Message)
		}
	}
	if absent == nil {
		return nil
	}
	var own []string
	for i := range to.Len() {
		own = said(own, &to.At(i).Message)
	}
	return &absentText{absent: wordsOf(absent), branch: wordsOf(own)}
}

// in reports whether a text says something that only the absent text says.
func (a *absentText) in(text string) bool {
	last := ""
	for word := range wordsIn(strings.ToLower(text)) {
		pair := last + " " + word
		if a.alone(word) || last != "" && a.absent.has[pair] && !a.branch.has[pair] {
			return true
		}
		last = word
	}
	return false
}

// alone reports whether the absent text alone has a word, be it as a piece of a longer
// one. A single character tells nothing.
func (a *absentText) alone(word string) bool {
	return !a.branch.has[word] && len(word) > 1 && a.absent.hold(word) && !a.branch.hold(word)
}

// without returns the record as the branch may have it, or false where what it shows holds
// absent text.
func (a *absentText) without(r Record) (Record, bool) {
	if a == nil {
		return r, true
	}
	shown := append([]string{r.Text, r.Answer, r.Outcome, r.Hint}, r.Excerpts...)
	shown = append(shown, unquoted(r.Summary)...)
	shown = append(shown, unquoted(r.Fields)...)
	shown = append(shown, unquoted(r.Meta)...)
	if slices.ContainsFunc(shown, a.in) {
		return r, false
	}
	if a.in(r.Reason) {
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
