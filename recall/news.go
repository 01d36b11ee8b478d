package recall

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/message"
)

// What a word is worth that stands nowhere in the prompt, in tenths: a name, a path or a
// number that the agent did not say itself is more likely to be what is missed than a word of
// letters alone, or a name of which it has said what there was to say.
const plainNews, nameNews = 3, 10

// related is what a name counts more for the word of the query that it holds, for each unit of
// the word's worth: what is missed of a subject is often called by the subject's words.
const related = 3

// news holds the words that stand nowhere in the prompt. Nil knows of none.
type news struct {
	words *bm25
	said  map[string]bool // by the records of the plan
	gone  []bool          // by text: the prompt does not show it as it was said
	agent []bool          // by text: the agent said it
	posts [][]post        // of each word that stands nowhere
	worth []float64       // … and its worth; whole numbers, so that sums are the same in any order
	texts []float64       // by text: the worth of all its words
}

// news finds the words that the prompt does not say, and what they are worth to a query.
func (r *Reader) news(q query) *news {
	l := &r.words
	n := &news{words: l, said: map[string]bool{}, gone: make([]bool, len(l.docs)), agent: make([]bool, len(l.docs)), texts: make([]float64, len(l.docs))}
	if r.Plan != nil {
		for i := range r.Plan.Records {
			terms(r.Plan.Records[i].Body(), func(t string) { n.said[t] = true })
		}
	}
	for i, d := range l.docs {
		n.gone[i], n.agent[i] = r.compacted(d), RoleOf(r.Thread.At(d.index).Message) == message.Assistant
	}
	n.posts, n.worth = make([][]post, 0, len(l.posts)), make([]float64, 0, len(l.posts))
	for t, ps := range l.posts {
		w := n.of(t)
		if w == 0 {
			continue
		}
		w = math.Round(w * (1 + related*q.asked(t)))
		for _, p := range ps {
			n.texts[p.doc] += w
		}
		n.posts, n.worth = append(n.posts, ps), append(n.worth, w)
	}
	return n
}

// of returns the worth of a word, 0 for one that the prompt says.
func (n *news) of(t string) float64 {
	if n == nil || len(t) < shortest || n.said[t] || slices.ContainsFunc(n.words.posts[t], func(p post) bool { return !n.gone[p.doc] }) {
		return 0
	}
	plain := strings.IndexFunc(t, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	if plain || slices.ContainsFunc(n.words.posts[t], func(p post) bool { return n.agent[p.doc] }) {
		return plainNews
	}
	return nameNews
}

// asked returns the worth of the rarest word of a query that a name is made of, 0 for a name of
// one word.
func (q query) asked(name string) (most float64) {
	for w := range strings.FieldsFuncSeq(name, joins) {
		if w != name {
			most = max(most, q.worth[stem(w)])
		}
	}
	return most
}

// factor is the weight of a text whose words that the prompt has not are worth so much, for a search
// that describes so much.
func factor(worth, describes float64) float64 {
	return 1 + describes*unseen*math.Log2(1+worth/nameNews)
}

// cover has what a hit shows count as news in no other text.
type cover struct {
	base  []float64 // by text of the choice: its score but for its news
	left  []float64 // … and the worth of what is still new in it
	worth []float64 // by word, 0 once it is shown
	has   map[int32][]int32
	in    [][]int32 // by word: the texts of the choice
}

// cover begins for the texts of a choice; base are the scores of texts, by doc.
func (n *news) cover(c *choice, base map[int]float64) *cover {
	v := &cover{left: make([]float64, len(c.texts)), worth: slices.Clone(n.worth), has: map[int32][]int32{}, in: make([][]int32, len(n.posts))}
	at := make([]int32, len(n.gone)) // the text of a doc and one more, -1 for what may stand beside one
	for _, s := range c.texts {
		if d := c.r.words.docs[s.doc]; d.artifact < 0 {
			for i := max(0, d.index-c.beside); i <= d.index+c.beside && i < c.r.Thread.Len(); i++ {
				at[i] = -1 // entries are the first docs
			}
		}
	}
	for i, s := range c.texts {
		v.base = append(v.base, base[s.doc])
		at[s.doc] = int32(i) + 1
	}
	for w, ps := range n.posts {
		for _, p := range ps {
			if at[p.doc] != 0 {
				v.has[p.doc] = append(v.has[p.doc], int32(w))
			}
			if at[p.doc] > 0 {
				v.in[w] = append(v.in[w], at[p.doc]-1)
				v.left[at[p.doc]-1] += n.worth[w]
			}
		}
	}
	return v
}

// show notes that a text is shown.
func (v *cover) show(doc int) {
	for _, w := range v.has[int32(doc)] {
		for _, i := range v.in[w] {
			v.left[i] -= v.worth[w]
		}
		v.worth[w] = 0
	}
}
