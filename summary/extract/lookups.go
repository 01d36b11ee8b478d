package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

const (
	// heldLookups is how many look-ups, the newest, are held against what is said and done after them.
	heldLookups = 12
	// largestLookup is the most bytes of a result that is read for that, and mostRecords the most
	// objects in it.
	largestLookup, mostRecords = 32 << 10, 64
	// mostChosen is how many objects of one list are told at most: of more, none is.
	mostChosen = 4
	// mostListed is how many named objects of a record stand whole.
	mostListed = 6
	// longestRecord is the most bytes in which what a look-up found is told.
	longestRecord = 300
	// longestRest is the most bytes of that up to which members are told that say little.
	longestRest = 150
)

// lookup is a call that looked something up, and what was said of what it found. What it found is
// held as long as it is one of the newest.
type lookup struct {
	tree   *node
	listed []*node // the objects of a list, in order
	asked  []string
	named  int     // number of the message that named last what it asked for or found, 0: none
	chosen []*node // of those listed, those that were named last
	text   string  // what is told of it, once it is not held any more
}

// lookUp reads a result in JSON of a tool that only looks, nil for another.
func lookUp(e *tool.Reading, call message.Part) *lookup {
	if e.Structured == nil || e.Outcome == tool.Failure || !tool.LooksByName(e.Tool) || len(e.Structured) > largestLookup {
		return nil
	}
	l := &lookup{tree: treeOf(e.Structured)}
	if l.tree == nil {
		return nil
	}
	for _, f := range fields([]byte(call.Args)) {
		l.asked = append(l.asked, f.Value)
	}
	l.listed = l.tree.records(mostRecords)
	return l
}

// lookups are the newest look-ups, which are held against what is said and done beside them.
type lookups struct {
	held   []*lookup // oldest first
	wished wish
	spoke  int // the number of the last message in which somebody said something
}

// wish is what a user said last: it may describe what is looked up next.
type wish struct {
	text  string
	at    int               // the number of the message
	lines []map[string]bool // the words of each line of it, once a look-up asked for them
}

// add holds a look-up, nil for none, and lets go of the oldest.
func (ls *lookups) add(l *lookup) {
	if l == nil {
		return
	}
	if len(ls.held) == heldLookups {
		ls.held[0].settle()
		ls.held = slices.Delete(ls.held, 0, 1)
	}
	ls.held = append(ls.held, l)
	if w := &ls.wished; w.lines == nil {
		w.lines = linesOfWords(w.text)
	}
	l.wanted(&ls.wished)
}

// wanted chooses what a wish before the look-up is about, where that tells more than its id.
func (l *lookup) wanted(w *wish) {
	now := l.namedIn(w.lines)
	if len(now) == 0 {
		now = l.calledIn(w.lines)
	}
	now = slices.DeleteFunc(now, func(n *node) bool { return n.told(l.asked) == n.id() })
	if len(now) > 0 {
		l.chosen, l.named = now, w.at
	}
}

// settle keeps of what was found what is told.
func (l *lookup) settle() {
	if l.tree != nil {
		l.text, l.tree, l.listed, l.chosen = l.found(), nil, nil, nil
	}
}

// heard notes what a user says in the n-th message: it may name what was looked up, or describe what is
// looked up next.
func (ls *lookups) heard(text string, n int) {
	ls.noteMentions(text, n, true)
	ls.wished = wish{text: text, at: n}
}

// noteMentions notes what of the look-ups somebody names in a text of the n-th message, or a call in its
// arguments.
func (ls *lookups) noteMentions(text string, n int, said bool) {
	if said && strings.TrimSpace(text) != "" {
		ls.spoke = n
	}
	if len(ls.held) == 0 {
		return
	}
	lines := linesOfWords(text)
	var called []*lookup
	for _, l := range ls.held {
		if len(l.asked) > 0 && slices.ContainsFunc(lines, func(in map[string]bool) bool { return holds(in, l.asked[0]) }) {
			l.named = n
		}
		if !said {
			continue
		}
		if now := l.namedIn(lines); len(now) > 0 {
			l.chosen, l.named = now, n
		} else if now := l.calledIn(lines); len(now) > 0 {
			l.chosen = now
			called = append(called, l)
		}
	}
	if len(called) == 1 { // else things of several are called the same
		called[0].named = n
	}
}

// noteUse notes which look-ups found what a later one in the n-th message asks for by its id.
func (ls *lookups) noteUse(args string, n int) {
	if len(ls.held) == 0 {
		return
	}
	asked := fields([]byte(args))
	for _, l := range ls.held {
		used := slices.DeleteFunc(slices.Clone(l.listed), func(n *node) bool {
			return !slices.ContainsFunc(asked, func(f summary.Field) bool { return f.Value == n.id() && f.Value != "" })
		})
		if len(used) > 0 {
			l.chosen, l.named = used, n
		}
	}
}

// namedIn returns the listed objects that lines name: by what tells one from the others, or by all that is
// said of one and of no other.
func (l *lookup) namedIn(lines []map[string]bool) (found []*node) {
	for _, in := range lines {
		var byID, alike []*node
		for _, n := range l.listed {
			switch {
			case holds(in, n.id()):
				byID = append(byID, n)
			case l.described(n, in):
				alike = append(alike, n)
			}
		}
		if len(byID) == 0 && len(alike) == 1 {
			byID = alike
		}
		for _, n := range byID {
			if !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	return found
}

// calledIn returns the listed objects whose names are words of a line.
func (l *lookup) calledIn(lines []map[string]bool) (found []*node) {
	for _, n := range l.listed {
		if slices.ContainsFunc(lines, func(in map[string]bool) bool { return holds(in, n.title()) }) {
			found = append(found, n)
		}
	}
	return found
}

// described reports whether a line holds all the words of an object that says something.
func (l *lookup) described(n *node, in map[string]bool) bool {
	words := n.words(nil)
	if len(words) < 2 {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !holds(in, w) })
}

// linesOfWords returns the words of each line, in small letters.
func linesOfWords(text string) (lines []map[string]bool) {
	for line := range strings.SplitSeq(text, "\n") {
		in := map[string]bool{}
		for _, w := range wordsOf(line) {
			in[w] = true
		}
		if len(in) > 0 {
			lines = append(lines, in)
		}
	}
	return lines
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	})
}

// holds reports whether a line holds all words of a text, which has some.
func holds(in map[string]bool, text string) bool {
	words := wordsOf(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !in[w] })
}

// found tells what a look-up came to: the objects of a list that were named, or the members of one object,
// those first that say what it is like. "" for nothing, and for a list that there is no room for.
func (l *lookup) found() string {
	if l.tree.kind != '{' {
		if len(l.chosen) > mostChosen {
			return ""
		}
		var said []string
		for _, x := range l.chosen {
			said = append(said, x.told(l.asked))
		}
		if text := strings.Join(said, "; "); text != "" && len(text) <= longestRecord {
			return "found " + text
		}
		return ""
	}
	kids := slices.Clone(l.tree.kids)
	slices.SortStableFunc(kids, func(a, b node) int { return cmp.Compare(a.weight(), b.weight()) })
	var said []string
	taken := 0
	for i := range kids {
		room := longestRecord
		if kids[i].weight() == len(memberWords) {
			room = longestRest
		}
		text := l.member(&kids[i])
		if taken+len(text) > room {
			text = l.ofNamed(&kids[i])
		}
		if text != "" && taken+len(text) <= room {
			taken += len(text)
			said = append(said, text)
		}
	}
	return strings.Join(said, ", ")
}

// weight is lower for members that a record is told by first.
func (k *node) weight() int {
	name := strings.ToLower(k.name)
	for i, words := range memberWords {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
			return i
		}
	}
	return len(memberWords)
}

// memberWords are parts of names of members, in the order in which they are told.
var memberWords = [][]string{
	{"status", "state", "membership", "payment_method", "address", "cabin", "insurance", "variant"},
	{"item", "flight", "date", "price", "amount", "total", "balance", "due"},
}

// member writes a member of a record with its name, "" where it holds nothing new. Of a long list it
// tells the objects that were named, and how many there are.
func (l *lookup) member(k *node) string {
	switch k.kind {
	case '"', '0', 't', 'f':
		if k.text == "" || namesRecord(k.name) || slices.Contains(l.asked, k.text) {
			return ""
		}
		if strings.ContainsFunc(k.text, func(c rune) bool { return !unicode.IsLetter(c) && c != '_' }) {
			return k.name + " " + k.text // its name is no part of an address or the like
		}
		return k.name + "=" + k.text
	case '{', '[':
	default:
		return ""
	}
	if len(k.records(mostRecords)) <= mostListed {
		return k.ofMany(l.asked)
	}
	return l.ofNamed(k)
}

// ofNamed writes those of the objects of a member that were named, and how many there are.
func (l *lookup) ofNamed(k *node) string {
	listed := k.records(mostRecords)
	var said []string
	for _, x := range listed {
		if slices.Contains(l.chosen, x) {
			said = append(said, x.told(l.asked))
		}
	}
	if len(said) == 0 || len(said) > mostChosen {
		return ""
	}
	return strconv.Itoa(len(said)) + " of " + strconv.Itoa(len(listed)) + " " + k.name + " (" + strings.Join(said, "; ") + ")"
}

// ofMany writes a list, or an object of which each member is one, or an object by itself.
func (k *node) ofMany(asked []string) string {
	var said []string
	if k.kind == '{' && !slices.ContainsFunc(k.kids, func(x node) bool { return x.kind == '{' }) {
		said = append(said, k.told(asked))
	} else {
		for i := range k.kids {
			switch x := &k.kids[i]; x.kind {
			case '{':
				said = append(said, x.told(asked))
			case '"', '0':
				said = append(said, x.text)
			}
		}
	}
	text := strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
	if text == "" {
		return ""
	}
	return k.name + " (" + text + ")"
}

// passedOver reports whether an outcome is one of several look-ups of the same tool, and nothing
// after it named what it asked for, though somebody spoke or used another of them: as long as nobody did,
// the agent is at it.
func (l *outcomes) passedOver(o *outcome) bool {
	f := o.found
	if f == nil || f.named > 0 || len(f.asked) == 0 {
		return false
	}
	others, over := false, l.lookups.spoke > o.from.N
	for _, x := range lastOf(l.all, maxPerKind) {
		if x.found == nil || x.call.Name != o.call.Name || len(x.found.asked) == 0 || x.found.asked[0] == f.asked[0] {
			continue
		}
		others, over = true, over || x.found.named > o.from.N
	}
	return others && over
}

// foundField is what a look-up found, nil for nothing.
func (o *outcome) foundField() []summary.Field {
	if o.found == nil {
		return nil
	}
	if o.found.settle(); o.found.text == "" {
		return nil
	}
	return []summary.Field{{Name: summary.FoundField, Value: o.found.text}}
}
