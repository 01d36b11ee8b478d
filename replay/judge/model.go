package judge

import "math"

// Model tells how many bits a text costs after another: it predicts each bit from
// the bytes before it, by contexts of zero to six bytes, by the word at hand and
// by the longest match, mixed by weights that it learns as it reads. It reads each
// prompt from the state that the priming text left. Not safe for concurrent use.
type Model struct{ primed, now *state }

// NewModel reads the priming text: what any agent knows of the language and of
// the form of messages. Take it from other runs than those judged.
func NewModel(priming string) *Model {
	m := &Model{primed: newState(), now: new(state)}
	for i := range len(priming) {
		m.primed.code(priming[i])
	}
	return m
}

// Fork is a model that was primed with the same, for another goroutine.
func (m *Model) Fork() *Model { return &Model{primed: m.primed, now: new(state)} }

// Bits is the cost of an action after a prompt.
func (m *Model) Bits(prompt, action string) float64 {
	*m.now = *m.primed
	for i := range len(prompt) {
		m.now.code(prompt[i])
	}
	cost := 0
	for i := range len(action) {
		cost += m.now.code(action[i])
	}
	return float64(cost) / one
}

const (
	contexts    = 7       // of bytes and words; the match is one input more
	tableBits   = 20      // slots of a context's table
	historySize = 1 << 22 // bytes
	one         = 1 << 16 // of probabilities, weights and bits
	unit        = 1 << 12 // of the logistic scale
	widest      = 12 * unit
	matchSlots  = 1 << 18
	longest     = 31 // match lengths told apart
)

// state is all that the model knows. It holds no pointer, so it is copied whole.
type state struct {
	tables  [contexts][1 << tableBits]uint16 // probability of a one, by context
	weights [17][contexts + 1]int            // by length of the match
	trust   [longest + 1]int                 // probability that a match goes on, by its length
	history [historySize]byte
	at      uint32
	matches [matchSlots]uint32 // position after six bytes, by their hash
	match   uint32             // position of the byte that the match predicts
	length  int                // of the match, 0 for none
	hashes  [contexts]uint32
	word    uint32
}

func newState() *state {
	s := &state{}
	for i := range s.tables {
		for j := range s.tables[i] {
			s.tables[i][j] = one / 2
		}
	}
	for i := range s.weights {
		for j := range contexts {
			s.weights[i][j] = one / 4
		}
		s.weights[i][contexts] = one * 2 / 5
	}
	for i := range s.trust {
		s.trust[i] = 60_000
	}
	return s
}

// code is the cost of a byte, in 1/65536 bits; the model has learned it then.
func (s *state) code(c byte) (cost int) {
	known := uint32(1) // the bits before, behind a one
	for bit := 7; bit >= 0; bit-- {
		y := int(c>>bit) & 1
		cost += s.bit(known, bit, y)
		known = known<<1 | uint32(y)
	}
	s.learn(c)
	return cost
}

// bit predicts one bit, learns it, and is its cost.
func (s *state) bit(known uint32, bit, y int) int {
	var inputs [contexts + 1]int
	var slots [contexts]*uint16
	for i, h := range s.hashes {
		k := (h + known*0x9E3779B1) * 0x85EBCA6B
		k ^= k >> 15
		slots[i] = &s.tables[i][k>>(32-tableBits)]
		inputs[i] = stretched[*slots[i]>>4]
	}
	set, expected := 0, -1
	if s.length > 0 {
		if next := uint32(s.history[s.match]) | 256; next>>(bit+1) == known {
			expected = int(next>>bit) & 1
			set = min(s.length, 15) + 1
			inputs[contexts] = stretched[s.trust[min(s.length, longest)]>>4] * (2*expected - 1)
		}
	}
	p := s.mix(set, &inputs, y)
	for _, slot := range slots {
		*slot = uint16(min(max(moved(int(*slot), y, 3), 64), one-65))
	}
	if expected >= 0 {
		t := &s.trust[min(s.length, longest)]
		went := 0
		if expected == y {
			went = 1
		}
		*t = min(max(moved(*t, went, 6), 33_000), 65_400)
	}
	if y == 0 {
		p = one - p
	}
	return costs[p]
}

// mix is the probability of a one, and moves the weights towards what came.
func (s *state) mix(set int, inputs *[contexts + 1]int, y int) int {
	w, sum := &s.weights[set], 0
	for i, x := range inputs {
		sum += w[i] * x
	}
	const rarest = 7 // of 65,536: about a ten-thousandth
	p := min(max(squashed[min(max(sum/one, -widest), widest)+widest], rarest), one-rarest)
	const rate = 50 // the share of an error that is learned
	miss := y*one - p
	for i, x := range inputs {
		w[i] += miss * x / (unit * rate)
	}
	return p
}

// moved is a probability moved towards what came.
func moved(p, y, shift int) int {
	if y == 1 {
		return p + (one-1-p)>>shift
	}
	return p - p>>shift
}

// learn takes a byte into the contexts and follows or seeks a match.
func (s *state) learn(c byte) {
	if s.length > 0 && s.history[s.match] == c {
		s.length, s.match = s.length+1, (s.match+1)%historySize
	} else {
		s.length = 0
	}
	s.history[s.at%historySize] = c
	s.at++
	var order [7]uint32
	for i := uint32(1); i <= 6; i++ {
		order[i] = (order[i-1]+uint32(s.before(i))+1)*0x2F0B4C47 + i
	}
	if low := c | 0x20; low >= 'a' && low <= 'z' || c >= '0' && c <= '9' || c == '_' {
		s.word = (s.word + uint32(c) + 1) * 0x3D4D51CB
	} else {
		s.word = 0
	}
	s.hashes = [contexts]uint32{
		0, order[1] + 1, order[2] + 2, order[3] + 3, order[4] + 4, order[6] + 5,
		s.word*0x9E3779B1 + uint32(s.before(1)) + 7,
	}
	if s.at > 6 {
		s.seek(order[6] >> 14)
	}
}

// before is the byte n back.
func (s *state) before(n uint32) byte { return s.history[(s.at-n)%historySize] }

// seek looks for an earlier place after the same bytes, at least five, and notes
// this one.
func (s *state) seek(hash uint32) {
	if from := s.matches[hash]; s.length == 0 && from > 0 {
		n := uint32(0)
		for n < 32 && n < from && s.history[(from-1-n)%historySize] == s.before(n+1) {
			n++
		}
		if n >= 5 {
			s.length, s.match = int(n), from%historySize
		}
	}
	s.matches[hash] = s.at
}

// stretched is ln(p/(1-p)) in units, of probabilities of 12 bits.
var stretched = func() (t [4096]int) {
	for i := range t {
		p := (float64(i) + .5) / float64(len(t))
		t[i] = int(math.Round(unit * math.Log(p/(1-p))))
	}
	return t
}()

// squashed is the inverse of stretched, from -widest on.
var squashed = func() (t [2*widest + 1]int) {
	for i := range t {
		t[i] = int(math.Round(one / (1 + math.Exp(float64(widest-i)/unit))))
	}
	return t
}()

// costs returns the cost of a bit of a probability.
var costs = func() (t [one]int) {
	for p := 1; p < one; p++ {
		t[p] = int(math.Round(-one * math.Log2(float64(p)/one)))
	}
	return t
}()
