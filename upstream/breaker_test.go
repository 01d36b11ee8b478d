package upstream

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// A try that stalled trips the breaker at once, also where others fail beside it.
func TestStalledAmongFailures(t *testing.T) {
	for range 3000 {
		b := NewBreaker(1000, time.Hour)
		var all []func(Verdict)
		for range 4 {
			done, err := b.Allow()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, done)
		}
		var wait sync.WaitGroup
		for i, done := range all {
			wait.Go(func() { done([]Verdict{Failed, Stalled, Failed, Failed}[i]) })
		}
		wait.Wait()
		if _, err := b.Allow(); !errors.Is(err, ErrOpen) {
			t.Fatalf("the next is allowed: %v", err)
		}
	}
}
