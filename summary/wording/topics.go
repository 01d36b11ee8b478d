package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// How much a placeholder says.
const (
	maxTopic   = 60  // bytes of one topic
	maxTopics  = 10  // how many
	maxAsked   = 6   // of them, what users wrote
	topicBytes = 400 // read of one message
)

// Placeholder stands where n messages were left out and no summary could be written.
// It names what they were about, on one line; "…" where that is not known.
func Placeholder(n int, about []string) string {
	var said []string
	for _, x := range about {
		if x = oneline.Clip(oneline.Of(x), maxTopic); x != "" && len(said) < maxTopics {
			said = append(said, x)
		}
	}
	if len(said) == 0 {
		said = []string{oneline.Ellipsis}
	}
	return "[Context truncated. Earlier conversation contained " + strconv.Itoa(n) + " messages about: " + strings.Join(said, "; ") + "]"
}

// Topics says what the messages of a span are about without a model: how the
// first and the last messages of users begin, in order, then the files that
// calls named most. It reads the start of each message only.
func Topics(t *thread.Thread, span plan.Span) []string {
	var asked []string
	seen, files := map[string]bool{}, newTally()
	for _, id := range span.IDs {
		i, ok := t.Find(id)
		if !ok {
			continue
		}
		m := &t.At(i).Message
		if topic := topicOf(m); topic != "" && !seen[oneline.Fold(topic)] {
			seen[oneline.Fold(topic)] = true
			asked = append(asked, topic)
		}
		for _, j := range m.Calls() {
			files.read(m.Parts[j].Args)
		}
	}
	if over := len(asked) - maxAsked; over > 0 {
		asked = append(asked[:1:1], asked[1+over:]...)
	}
	return append(asked, files.most(maxTopics-len(asked))...)
}

// topicOf returns the first line that a user wrote with more than one word in it.
func topicOf(m *message.Message) string {
	if !thread.Speaks(*m) {
		return ""
	}
	w := thread.WordsOf(m)
	for i := range m.Parts {
		text := oneline.Start(w.Said(i), topicBytes)
		for line := range strings.SplitSeq(text, "\n") {
			if line = oneline.Of(line); strings.IndexByte(line, ' ') > 0 && line[0] != '<' {
				return oneline.Clip(line, maxTopic)
			}
		}
	}
	return ""
}

// tally counts the files that calls name.
type tally struct {
	seen  map[string]int
	order []string // as first seen
}

func newTally() *tally { return &tally{seen: map[string]int{}} }

// read counts the files in the start of a call's arguments; one that the cut
// goes through is not whole.
func (c *tally) read(args string) {
	whole := len(args)
	args = oneline.Start(args, topicBytes)
	identifier.Scan(args, func(k identifier.Kind, a, b int) {
		if k != identifier.Path && k != identifier.File || b == len(args) && b < whole {
			return
		}
		if x := args[a:b]; c.seen[x] == 0 {
			c.order = append(c.order, x)
		}
		c.seen[args[a:b]]++
	})
}

// most returns the n named most, of those named as often the first.
func (c *tally) most(n int) []string {
	slices.SortStableFunc(c.order, func(a, b string) int { return cmp.Compare(c.seen[b], c.seen[a]) })
	return c.order[:min(n, len(c.order))]
}
