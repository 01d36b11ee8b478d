package cachecost_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/model"
)

func rates(t *rapid.T) cachecost.Rates {
	read := rapid.Float64Range(.01, .9).Draw(t, "read")
	return cachecost.Rates{
		Read: read, Write: read + rapid.Float64Range(.05, 2).Draw(t, "write"), Plain: 1, Out: 5,
		Cache: model.Cache{Minimum: rapid.SampledFrom([]int{0, 512, 4096}).Draw(t, "minimum"), Explicit: rapid.Bool().Draw(t, "explicit"), LookBack: 20},
	}
}

func choice(t *rapid.T) cachecost.Choice {
	after := rapid.IntRange(5_000, 60_000).Draw(t, "after")
	before := after + rapid.IntRange(1, 60_000).Draw(t, "freed")
	return cachecost.Choice{
		Before: before, After: after, Cached: before - rapid.IntRange(0, 2_000).Draw(t, "news"), Kept: rapid.IntRange(0, after).Draw(t, "kept"),
		Growth: rapid.Float64Range(1, 3_000).Draw(t, "growth"), Turns: rapid.IntRange(1, 500).Draw(t, "turns"),
	}
}

// What is dearer to write is paid back later; what stands longer sooner; and time
// and growth turn a no into a yes, never back.
//
// SPEC: B5, V7
func TestMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := rates(t), choice(t)
		s := r.Weigh(c)
		dear := r
		dear.Write += rapid.Float64Range(0, 1).Draw(t, "dearer")
		if c.Kept <= c.After && c.Cached-c.Kept >= c.Before-c.After { // it writes more than it spares
			if d := dear.Weigh(c); d.BreakEven < s.BreakEven-1e-9 {
				t.Errorf("dearer writes pay back sooner: %v, then %v", s, d)
			}
		}
		less := c
		less.Kept = rapid.IntRange(0, c.Kept).Draw(t, "less")
		if l := r.Weigh(less); l.BreakEven < s.BreakEven-1e-9 {
			t.Errorf("more to write pays back sooner: %v, then %v", s, l)
		}
		cold := c
		cold.Cold = true
		if k := r.Weigh(cold); k.BreakEven > s.BreakEven+1e-9 || k.Verdict == cachecost.TooSoon || k.Verdict == cachecost.NoTime {
			t.Errorf("a cold cache is dearer: %v, then %v", s, k)
		}
		older := c
		older.Turns += rapid.IntRange(0, 500).Draw(t, "older")
		if o := r.Weigh(older); s.Verdict.Worth() && !o.Verdict.Worth() {
			t.Errorf("worth it at turn %d, not at %d", c.Turns, older.Turns)
		}
		slower := c
		slower.Growth /= rapid.Float64Range(1, 5).Draw(t, "slower")
		if o := r.Weigh(slower); s.Verdict.Worth() && !o.Verdict.Worth() {
			t.Errorf("worth it at %v tokens a turn, not at %v: it waited longer", c.Growth, slower.Growth)
		}
		forced := c
		forced.Forced = true
		if v := r.Weigh(forced).Verdict; v != cachecost.Forced {
			t.Errorf("forced, but %s", v)
		}
	})
}

// After exactly the break-even both ways have cost the same.
//
// SPEC: B5
func TestBreakEvenIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := rates(t), choice(t)
		s := r.Weigh(c)
		if s.Rewrite == 0 || math.IsInf(s.BreakEven, 1) {
			return
		}
		keep := s.BreakEven * r.Read * float64(c.Before)
		rewrite := s.Rewrite + s.BreakEven*r.Read*float64(c.After)
		if math.Abs(keep-rewrite) > 1e-6*keep {
			t.Errorf("after %v turns one has cost %v, the other %v", s.BreakEven, keep, rewrite)
		}
	})
}

// The rules of caches, one by one.
//
// SPEC: B5, T7
func TestHit(t *testing.T) {
	marked := cachecost.Rates{Read: .1, Write: 1.25, Plain: 1, Cache: model.Cache{Explicit: true, Minimum: 1024, LookBack: 20}}
	plain := cachecost.Rates{Read: .25, Write: 1, Plain: 1, Cache: model.Cache{Minimum: 1024, Step: 128}}
	for _, c := range []struct {
		about string
		r     cachecost.Rates
		p     cachecost.Prompt
		hit   int
		cost  float64
	}{
		{"all but the new", marked, cachecost.Prompt{Total: 10_000, Shared: 9_000, Behind: 2}, 9_000, 900 + 1250},
		{"out of reach", marked, cachecost.Prompt{Total: 10_000, Shared: 9_000, Marked: 2_000, Behind: 20}, 2_000, 200 + 10_000},
		{"expired", marked, cachecost.Prompt{Total: 10_000, Shared: 9_000, Cold: true}, 0, 12_500},
		{"head under the minimum", marked, cachecost.Prompt{Total: 10_000, Shared: 1_000}, 0, 12_500},
		{"prompt under the minimum", marked, cachecost.Prompt{Total: 1_000, Shared: 900}, 0, 1_000},
		{"in steps", plain, cachecost.Prompt{Total: 10_000, Shared: 9_000, Behind: 99}, 8_960, 2_240 + 1_040},
	} {
		if hit, cost := c.r.Hit(c.p), c.r.Cost(c.p); hit != c.hit || math.Abs(cost-c.cost) > 1e-9 {
			t.Errorf("%s: %d tokens hit at %v, want %d at %v", c.about, hit, cost, c.hit, c.cost)
		}
	}
}

// A model's rates are those of its table; a line is worth more where looking it
// up is dearer.
//
// SPEC: B5
func TestRatesOf(t *testing.T) {
	claude, _ := model.Lookup("claude-sonnet-4-5")
	if r := cachecost.RatesOf(claude, 1000); math.Abs(r.Read-.1) > 1e-9 || math.Abs(r.Write-1.25) > 1e-9 || math.Abs(r.Out-5) > 1e-9 || !r.Cache.Explicit {
		t.Errorf("claude: %+v", r)
	}
	r := cachecost.RatesOf(model.Unknown, 1000)
	if r.Read <= 0 || r.Read >= r.Write {
		t.Errorf("unknown: %+v", r)
	}
	if r.Carry(100_000, 10) >= r.Carry(10_000, 10) || r.Carry(10_000, 50) <= r.Carry(10_000, 10) {
		t.Error("carrying a line must look cheaper beside a larger prompt, dearer over more turns")
	}
	if !cachecost.Cold(claude.Cache, 0, time.Hour) || cachecost.Cold(claude.Cache, 2*time.Hour, time.Hour) || cachecost.Cold(model.Cache{}, 0, 5*time.Minute) {
		t.Error("cold at the wrong time")
	}
}

// Whether a prompt of 30,000 tokens is rewritten to 18,000 depends on how long
// the conversation has been and what its cache costs.
func Example() {
	claude, _ := model.Lookup("claude-sonnet-4-5")
	r := cachecost.RatesOf(claude, 30_000)
	c := cachecost.Choice{Before: 30_000, After: 18_000, Cached: 29_500, Kept: 3_000, Growth: 150, Gain: 1_600}
	for _, turns := range []int{10, 80} {
		c.Turns = turns
		s := r.Weigh(c)
		fmt.Printf("turn %d: %s, paid back after %.0f turns of %.0f expected\n", turns, s.Verdict, s.BreakEven, s.Remaining)
	}
	c.Cold = true
	fmt.Println("after a night:", r.Weigh(c).Verdict)
	// Output:
	// turn 10: too_late, paid back after 13 turns of 10 expected
	// turn 80: pays, paid back after 13 turns of 80 expected
	// after a night: free
}
