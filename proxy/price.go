package proxy

import (
	"sync"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/token"
)

// prices are what tools cost that are always the same ones: a meter counts them
// once.
type prices struct {
	mu    sync.Mutex
	known map[price]int
}

// price is what a meter's count of tools follows from.
type price struct {
	counter                 string
	factor, margin, learned float64
	tool                    int
}

// mostPrices are kept: what is learned changes with the answers.
const mostPrices = 256

// of are the tokens of the tools.
func (s *prices) of(tools []codec.Tool, m token.Meter) (n int) {
	at := price{m.Counter.Name(), m.Factor, m.Margin, m.Learned, m.Overhead.Tool}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.known[at]; ok {
		return n
	}
	for _, t := range tools {
		n += m.Tool(t.Name, t.Description, t.Schema)
	}
	if s.known == nil || len(s.known) == mostPrices {
		s.known = map[price]int{}
	}
	s.known[at] = n
	return n
}
