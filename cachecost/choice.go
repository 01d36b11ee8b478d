package cachecost

import "math"

// Choice asks whether to put a smaller prompt in the place of the one that stands.
// Sizes are tokens of a whole request.
type Choice struct {
	Before, After int
	// Cached states what of Before the cache holds if it is warm: the request before.
	Cached int
	// Kept is the head of After, as it stands in Before.
	Kept int
	// Cold says that the cache has expired.
	Cold bool
	// Growth states how many tokens a turn adds.
	Growth float64
	// Turns counts the turns of the conversation so far.
	Turns int
	// Gain is the least that must be freed.
	Gain int
	// Forced: Before does not fit, whatever it costs.
	Forced bool
}

// Verdict describes how a choice came out.
type Verdict string

// The verdicts. The first three are a yes.
const (
	Forced  Verdict = "forced"     // it does not fit
	Free    Verdict = "free"       // the cache is cold, or the rewrite costs nothing
	Pays    Verdict = "pays"       // both rules hold
	Little  Verdict = "too_little" // less than the minimum gain is freed
	NoTime  Verdict = "too_late"   // the conversation ends before it is paid back, as expected
	TooSoon Verdict = "too_soon"   // waiting costs less than the rewrite, so far
)

// Worth reports whether a verdict is a yes.
func (v Verdict) Worth() bool { return v == Forced || v == Free || v == Pays }

// Sums are the numbers behind a verdict. Costs are in tokens of input that no
// cache knows.
type Sums struct {
	Verdict Verdict
	Rewrite float64 // what the next request costs more
	Saved   float64 // what each request after it costs less
	// BreakEven is after how many turns the rewrite is paid back: 0 where it is
	// free, infinite where it never is.
	BreakEven float64
	Remaining float64 // turns expected
	Waited    float64 // reads spent since the prompt passed the smaller size
}

// Weigh works a choice out.
func (r Rates) Weigh(c Choice) Sums {
	s := Sums{Remaining: Remaining(c.Turns), BreakEven: math.Inf(1)}
	keep := r.Cost(Prompt{Total: c.Before, Shared: c.Cached, Marked: c.Cached, Cold: c.Cold})
	s.Rewrite = math.Max(r.Cost(Prompt{Total: c.After, Shared: c.Kept, Marked: c.Kept, Cold: c.Cold})-keep, 0)
	freed := float64(c.Before - c.After)
	s.Saved = r.Read * math.Max(freed, 0)
	if s.Saved > 0 {
		s.BreakEven = s.Rewrite / s.Saved
	}
	if c.Growth > 0 {
		s.Waited = s.Saved * freed / (2 * c.Growth)
	}
	s.Verdict = s.verdict(c)
	return s
}

func (s Sums) verdict(c Choice) Verdict {
	switch {
	case c.Forced:
		return Forced
	case c.Before-c.After < max(c.Gain, 1):
		return Little
	case s.Rewrite == 0:
		return Free
	case s.BreakEven*hysteresis > s.Remaining:
		return NoTime
	case s.Rewrite*hysteresis > s.Waited:
		return TooSoon
	}
	return Pays
}
