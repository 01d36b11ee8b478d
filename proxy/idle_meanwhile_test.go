package proxy

import (
	"testing"
	"time"
)

// What is remembered while the rest is being forgotten is looked at again, too: nothing
// else may come that would remind of it.
//
// SPEC: B6
func TestRememberedWhileForgetting(t *testing.T) {
	looked := make(chan struct{}, 10)
	i := idle{after: time.Millisecond, memory: func() int { return 0 }}
	first := true
	i.forget = func() int {
		looked <- struct{}{}
		if first {
			first = false
			i.remembered() // a request ends here
		}
		return 0
	}
	i.remembered()
	defer i.end()
	for range 2 {
		select {
		case <-looked:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing looks at it again")
		}
	}
}
