package token

import "math"

// Limits of learning.
const (
	learnRate  = 0.2  // weight of a new observation
	learnStep  = 0.15 // most the factor moves at once
	learnLeast = 0.5  // the factor's bounds
	learnMost  = 2.0
	outlier    = 2.0 // an observation beyond this ratio to the factor is ignored
	// learnMinimum is the estimate below which framing outweighs text.
	learnMinimum = 256
	// trusted states how many observations it takes to narrow a margin, and
	// leastMargin the narrowest.
	trusted     = 5
	leastMargin = 0.03
	// sameUsage states how much an estimate may move while the reported usage
	// stands still before the report is taken for an old one.
	sameUsage = 0.01
)

// Calibration holds what reported usage taught about one model's meter. It is
// data: keep it, pass it, compare it. The zero value has learned nothing.
type Calibration struct {
	// Factor is tokens reported for each token estimated; 0 = 1.
	Factor float64 `json:"factor,omitempty"`
	// Deviation is the running mean of the distance between observation and
	// factor, as a share.
	Deviation float64 `json:"deviation,omitempty"`
	Seen      int     `json:"seen,omitempty"` // observations that counted
	// Estimated and Reported are the last observation, to know a stale one.
	Estimated int `json:"estimated,omitempty"`
	Reported  int `json:"reported,omitempty"`
}

// Observe is c after a request that was estimated at one number of tokens (see
// Meter.Estimate) and reported by the provider at another. It keeps c where the
// pair teaches nothing: no numbers, a request too small, the same report again
// although the request has changed (usage copied from an earlier reply), or a
// ratio no tokenizer explains (usage of another request or model). Callers keep
// one Calibration for each model and pass only usage of the request estimated.
func (c Calibration) Observe(estimated, reported int) Calibration {
	if estimated < learnMinimum || reported <= 0 || c.stale(estimated, reported) {
		return c
	}
	f, ratio := c.factor(), float64(reported)/float64(estimated)
	c.Estimated, c.Reported = estimated, reported
	if ratio > f*outlier || ratio < f/outlier {
		return c
	}
	step := learnRate * (ratio - f)
	if c.Seen == 0 {
		step = ratio - f
	}
	c.Factor = clamp(f+clamp(step, -learnStep, learnStep), learnLeast, learnMost)
	c.Deviation += (math.Abs(ratio/c.Factor-1) - c.Deviation) * max(learnRate, 1/float64(c.Seen+1))
	c.Seen++
	return c
}

// noticeable states how much a factor moves before counts are worth making anew.
const noticeable = 0.03

// Follow returns what to count with, of a calibration that learns and the one counted
// with so far: a changed count is made anew for a whole history, so it moves in
// steps, when the factor has moved noticeably or, standing still, has grown more
// certain, which narrows the margin.
func (c Calibration) Follow(applied Calibration) Calibration {
	surer := c.Seen >= 2*applied.Seen
	if surer || math.Abs(c.factor()/applied.factor()-1) > noticeable {
		return c
	}
	return applied
}

func (c Calibration) stale(estimated, reported int) bool {
	if reported != c.Reported || c.Estimated == 0 {
		return false
	}
	return math.Abs(float64(estimated)/float64(c.Estimated)-1) > sameUsage
}

func (c Calibration) factor() float64 {
	if c.Factor == 0 {
		return 1
	}
	return clamp(c.Factor, learnLeast, learnMost)
}

// margin returns what is left of a meter's stated margin: twice the deviation seen,
// once enough has been seen, never more than was stated.
func (c Calibration) margin(stated float64) float64 {
	if c.Seen < trusted {
		return stated
	}
	return min(stated, max(leastMargin, 2*c.Deviation))
}

func clamp(v, low, high float64) float64 { return max(low, min(v, high)) }
