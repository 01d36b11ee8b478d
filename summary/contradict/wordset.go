package contradict

import "slices"

// wordSet is a few words, none twice.
type wordSet struct {
	of   []string
	sums []uint32 // a hash of each
	bits uint64   // a bit of each hash, which several may share: most sets are told apart by these alone
}

func sumOf(w string) uint32 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(w) {
		h = (h ^ uint32(w[i])) * 16777619
	}
	return h
}

func bitOf(sum uint32) uint64 { return 1 << (sum >> 26) }

// fewWords is how many words a set has room for at first: most have no more.
const fewWords = 4

func (s *wordSet) add(w string) {
	if s.of == nil {
		s.of, s.sums = make([]string, 0, fewWords), make([]uint32, 0, fewWords)
	}
	if sum := sumOf(w); !s.holds(w, sum) {
		s.of, s.sums, s.bits = append(s.of, w), append(s.sums, sum), s.bits|bitOf(sum)
	}
}

func (s *wordSet) len() int { return len(s.of) }

func (s *wordSet) has(w string) bool { return slices.Contains(s.of, w) }

// holds is has for a word whose hash is known.
func (s *wordSet) holds(w string, sum uint32) bool {
	if s.bits&bitOf(sum) == 0 {
		return false
	}
	for i, have := range s.sums {
		if have == sum && s.of[i] == w {
			return true
		}
	}
	return false
}

// in reports whether t has all words of s.
func (s *wordSet) in(t *wordSet) bool { return s.bits&^t.bits == 0 && s.shared(t) == len(s.of) }

// shared counts the words that both have.
func (s *wordSet) shared(t *wordSet) (n int) {
	if s.bits&t.bits == 0 {
		return 0
	}
	for i, w := range s.of {
		if t.holds(w, s.sums[i]) {
			n++
		}
	}
	return n
}
