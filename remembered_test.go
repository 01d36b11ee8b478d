package precis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// What is kept in memory is bounded in threads and in bytes, and its use is
// counted.
//
// SPEC: V5
func TestRememberedIsBounded(t *testing.T) {
	e := newEngine(t, memory.New(), policyOf(t, "balanced"))
	say := func(k string, ms ...message.Message) {
		t.Helper()
		in := request(k, ms, 4_000_000)
		in.Mode.NoCompact = true
		prepared(t, e, in)
	}
	one := message.TextOf(message.User, "one")
	two := []message.Message{one, message.TextOf(message.Assistant, "two"), message.TextOf(message.User, "three")}
	say("t0", one)
	first := e.CacheStats()
	if first.Threads != 1 || first.Bytes < 1000 || first.Hits+first.Misses != 0 {
		t.Fatalf("%+v", first)
	}
	say("t0", two...)
	if r := e.CacheStats(); r.Hits != 1 || r.Misses != 0 || r.Bytes <= first.Bytes {
		t.Fatalf("%+v", r)
	}
	for i := range 70 {
		say(fmt.Sprint("t", i+1), one)
	}
	say("t0", two...)
	if r := e.CacheStats(); r.Threads != 64 || r.Hits != 1 || r.Misses != 1 {
		t.Fatalf("%+v", r)
	}
}

// A few threads of many bytes make room for each other.
func TestRememberedBytes(t *testing.T) {
	e := newEngine(t, memory.New(), policyOf(t, "balanced"))
	large := strings.Repeat("x", 40<<20)
	for i := range 9 {
		in := request(fmt.Sprint("t", i), []message.Message{message.TextOf(message.User, large)}, 4_000_000)
		in.Mode.NoCompact = true
		_, _ = e.Prepare(t.Context(), in) // it is logged and kept, whatever becomes of the prompt
		if r := e.CacheStats(); r.Threads != min(i+1, 6) || r.Bytes > 256<<20 {
			t.Fatalf("after %d: %+v", i, r)
		}
	}
	var none precis.CacheStats
	if fresh := newEngine(t, memory.New(), policyOf(t, "balanced")).CacheStats(); fresh != none {
		t.Fatalf("%+v", fresh)
	}
}
