package upstream

import (
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// Verdict tells how something ended that a Breaker allowed.
type Verdict int

// The verdicts. Neither says nothing about the other side: it was busy, or the
// caller gave up. Stalled trips a breaker at once: each further try would take as long.
const (
	Worked Verdict = iota
	Failed
	Neither
	Stalled
)

// Breaker stops what failed so many times in a row. After a cool-down it lets
// one try through (half open): if that works all may try again, else it cools
// down once more. Make it with NewBreaker; it is safe for concurrent use.
type Breaker struct {
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	mu      sync.Mutex // held while the circuit is told how a try ended
	stalled bool       // the try that it is being told of did
}

var (
	errFailed  = errors.New("failed")
	errNeither = errors.New("neither")
)

// NewBreaker makes a breaker that trips after so many failures in a row, at
// least one.
func NewBreaker(failures int, cooldown time.Duration) *Breaker {
	b := &Breaker{}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout: cooldown,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return b.stalled || int(c.ConsecutiveFailures) >= max(failures, 1)
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errNeither) },
	})
	return b
}

// Allow returns ErrOpen where nothing may be tried. Otherwise what it returns must be
// called once, with how the try ended.
func (b *Breaker) Allow() (func(Verdict), error) {
	done, err := b.circuit.Allow()
	if err != nil {
		return nil, ErrOpen
	}
	return func(v Verdict) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.stalled = v == Stalled
		done([...]error{Worked: nil, Failed: errFailed, Neither: errNeither, Stalled: errFailed}[v])
	}, nil
}
