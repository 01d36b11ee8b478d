package recall

import (
	"maps"
	"slices"
	"strings"
)

// freshWeight is the weight of a word that the prompt does not say against one that is
// searched.
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
		w = s.q.worth[t] + freshWeight*s.news.of(t)
		s.weights[strings.Clone(t)] = w
	}
	return w
}

// around returns the lines around a passage that have room with it. Of the line before and
// the one after, the one comes first that adds more.
func (s *findingReader) around(text string, p passage) (before, after []string) {
	room := s.room - len(p.text) - lineCost
	if room <= 0 || p.line == 0 {
		return nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
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
