package llm

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/model"
)

// Usage counts what a summarizer's calls came to, those whose answers were refused
// among them. Tokens are as the provider reports them.
type Usage struct {
	Calls      int // that were answered
	Refused    int // of them: answers that were no summary
	Input      int // tokens, cached or not
	CacheRead  int // of Input
	CacheWrite int // of Input
	Output     int
	USD        float64
	// Dropped counts statements that were left out because no message bears
	// them out.
	Dropped int
}

// Usage returns the total so far.
func (s *Summarizer) Usage() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent
}

func (s *Summarizer) spend(name string, u codec.Usage) {
	var price model.Price
	if s.cfg.Price != nil {
		price = *s.cfg.Price
	} else {
		m, _ := model.Lookup(name)
		price = m.PriceOf(u.Input)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent.Calls++
	s.spent.Input += u.Input
	s.spent.CacheRead += u.CacheRead
	s.spent.CacheWrite += u.CacheWrite
	s.spent.Output += u.Output
	s.spent.USD += cost(price, u)
}

func (s *Summarizer) tally(refused, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent.Refused += refused
	s.spent.Dropped += dropped
}

// cost returns the price in USD. A price that the provider does not state is that of
// plain input.
func cost(p model.Price, u codec.Usage) float64 {
	read, write := p.Read, p.Write
	if read == 0 {
		read = p.In
	}
	if write == 0 {
		write = p.In
	}
	plain := u.Input - u.CacheRead - u.CacheWrite
	return (float64(plain)*p.In + float64(u.CacheRead)*read + float64(u.CacheWrite)*write + float64(u.Output)*p.Out) / 1e6
}
