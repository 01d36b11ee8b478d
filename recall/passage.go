package recall

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// freshWeight is the weight of a word that the prompt does not say against one that is
// searched; where none of those is worth 1, as in a thread of one text, so much less.
const freshWeight = 0.05

// lineCost is the bytes that a line costs beside its own.
const lineCost = 8

// weight returns what a term of a passage is worth.
func (s *findingReader) weight(t string) float64 {
	if s.news == nil {
		return s.q.worth[t]
	}
	w, known := s.weights[t]
	if !known {
		w = s.q.worth[t] + freshWeight*s.news.of(t)*min(1, s.q.most)
		s.weights[strings.Clone(t)] = w
	}
	return w
}

// lines adds the lines that come along with a passage of a text: some farther off, then those around.
func (s *findingReader) lines(f *Finding, text string, p passage) {
	room := s.room - len(p.text) - lineCost
	if room <= 0 || p.line == 0 {
		return
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	f.Others = s.others(lines, p)
	for _, l := range f.Others {
		room -= len(l.Text) + lineCost
	}
	f.Before, f.After = s.around(lines, p, room)
}

// mostOthers is how many lines farther off come along with a passage, and leastOther the part of its worth
// that each must add.
const mostOthers, leastOther = 3, 0.2

// others returns lines of a text, not next to a passage, that hold words of the query which it lacks.
func (s *findingReader) others(lines []string, p passage) (out []Line) {
	seen := s.asked(p.text, nil)
	for least := leastOther * s.sum(seen); len(out) < mostOthers; {
		best, most := -1, least
		for i, l := range lines {
			if w := s.sum(s.asked(l, seen)); w > most && len(l) <= s.room && (i+2 < p.line || i > p.line) {
				best, most = i, w
			}
		}
		if best < 0 {
			break
		}
		seen = append(seen, s.asked(lines[best], seen)...)
		out = append(out, Line{best + 1, strings.TrimSuffix(lines[best], "\r")})
	}
	slices.SortFunc(out, func(a, b Line) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// asked returns the words of the query in a text, each once, but for those that were seen.
func (s *findingReader) asked(text string, seen []string) (words []string) {
	terms(text, func(t string) {
		if s.q.worth[t] > 0 && !slices.Contains(seen, t) && !slices.Contains(words, t) {
			words = append(words, strings.Clone(t))
		}
	})
	return words
}

// sum returns what words of the query are worth.
func (s *findingReader) sum(words []string) (sum float64) {
	for _, w := range words {
		sum += s.q.worth[w]
	}
	return sum
}

// around returns the lines around a passage that have room with it. Of the line before and
// the one after, the one comes first that adds more.
func (s *findingReader) around(lines []string, p passage, room int) (before, after []string) {
	seen := map[string]bool{}
	s.worthBeside(p.text, seen)
	line := func(i int) (string, float64) {
		if i < 0 || i >= len(lines) {
			return "", -1
		}
		l := strings.TrimSuffix(lines[i], "\r")
		if len(l)+lineCost > room {
			return "", -1
		}
		return l, s.worthBeside(l, maps.Clone(seen))
	}
	for from, to := p.line-2, p.line; ; {
		up, more := line(from)
		down, most := line(to)
		switch {
		case more < 0 && most < 0:
			slices.Reverse(before)
			return before, after
		case more > most:
			before, from = append(before, up), from-1
			down = up
		default:
			after, to = append(after, down), to+1
		}
		s.worthBeside(down, seen)
		room -= len(down) + lineCost
	}
}
