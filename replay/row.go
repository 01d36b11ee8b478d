package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Row is what one policy did with all runs of a source at one budget.
type Row struct {
	Source string         `json:"source"`
	Policy string         `json:"policy"`
	Budget int            `json:"budget"`
	Runs   int            `json:"runs"`
	Steps  int            `json:"steps"`
	Active int            `json:"active"`
	Recall [classes]Rates `json:"recall"`
	// LitCI and SupCI are 95 % intervals of LR strict, bootstrapped over runs.
	LitCI [2]Percent `json:"lit_ci"`
	SupCI [2]Percent `json:"sup_ci"`
	// Cost (by Prices) and Tokens are relative to sending everything on the
	// same runs.
	Cost     [len(Prices)]float64 `json:"cost"`
	Tokens   float64              `json:"tokens"`
	Peak     int                  `json:"peak"`    // median over runs of the largest prompt, tokens
	Over     Percent              `json:"over"`    // of active steps
	Invalid  Percent              `json:"invalid"` // of steps
	Breaks   float64              `json:"breaks"`  // per run
	Failed   int                  `json:"failed"`  // steps
	Outcomes map[string]int       `json:"outcomes,omitempty"`
}

// Rates is the recall of one class.
type Rates struct {
	Class string  `json:"class"`
	Needs int     `json:"needs"`
	Lit   Percent `json:"lit"`
	Sup   Percent `json:"sup"`
	Ptr   Percent `json:"ptr"`
}

// Percent is a share; NaN, or null in JSON, when there was nothing to share.
type Percent float64

// MarshalJSON writes one decimal.
func (p Percent) MarshalJSON() ([]byte, error) {
	if p.none() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(p), 'f', 1, 64), nil
}

func (p Percent) none() bool { return math.IsNaN(float64(p)) }

// String is one decimal, or a dash.
func (p Percent) String() string {
	if p.none() {
		return "–"
	}
	return strconv.FormatFloat(float64(p), 'f', 1, 64)
}

// Sum makes a row of the scores of a policy; none are those of None on the
// same runs, in the same order.
func Sum(source, policy string, budget int, scores, none []Score) Row {
	r := Row{Source: source, Policy: policy, Budget: budget, Runs: len(scores), Outcomes: map[string]int{}}
	var t, base Score
	var peaks []int
	for i := range scores {
		t.join(&scores[i])
		base.join(&none[i])
		peaks = append(peaks, scores[i].Peak)
		for k, n := range scores[i].Outcomes {
			r.Outcomes[k] += n
		}
	}
	r.Steps, r.Active, r.Failed = t.Steps, t.Active, t.Failed
	for c, n := range t.Recall {
		r.Recall[c] = n.rates(Class(c))
	}
	r.LitCI = interval(scores, func(s *Score) (int, int) { return s.Recall[LRStrict].Lit, s.Recall[LRStrict].Needs })
	r.SupCI = interval(scores, func(s *Score) (int, int) { return s.Recall[LRStrict].Sup, s.Recall[LRStrict].Needs })
	for i := range Prices {
		r.Cost[i] = t.Billed[i] / base.Billed[i]
	}
	r.Tokens = float64(t.Tokens) / float64(base.Tokens)
	r.Over, r.Invalid = percent(t.Over, t.Active), percent(t.Invalid, t.Steps)
	r.Breaks = float64(t.Breaks) / float64(len(scores))
	slices.Sort(peaks)
	if len(peaks) > 0 {
		r.Peak = (peaks[(len(peaks)-1)/2] + peaks[len(peaks)/2]) / 2
	}
	return r
}

func (s *Score) join(o *Score) {
	s.Steps += o.Steps
	s.Active += o.Active
	s.Tokens += o.Tokens
	s.Over += o.Over
	s.Invalid += o.Invalid
	s.Breaks += o.Breaks
	s.Failed += o.Failed
	for i := range s.Billed {
		s.Billed[i] += o.Billed[i]
	}
	for c := range s.Recall {
		s.Recall[c].Needs += o.Recall[c].Needs
		s.Recall[c].Lit += o.Recall[c].Lit
		s.Recall[c].Sup += o.Recall[c].Sup
		s.Recall[c].Ptr += o.Recall[c].Ptr
	}
}

func (r Recall) rates(c Class) Rates {
	return Rates{c.String(), r.Needs, percent(r.Lit, r.Needs), percent(r.Sup, r.Needs), percent(r.Ptr, r.Needs)}
}

func percent(n, of int) Percent {
	if of == 0 {
		return Percent(math.NaN())
	}
	return Percent(100 * float64(n) / float64(of))
}

// resamples is how many times the runs are drawn again for an interval.
const resamples = 400

// interval is the 95 % bootstrap interval over runs of a pooled percentage.
// The draws are the same every time. With fewer than two runs it is NaN.
func interval(scores []Score, of func(*Score) (n, all int)) [2]Percent {
	draw := rand.New(rand.NewPCG(1, 2))
	var ps []Percent
	for range resamples {
		n, all := 0, 0
		for range scores {
			a, b := of(&scores[draw.IntN(len(scores))])
			n, all = n+a, all+b
		}
		if all > 0 {
			ps = append(ps, percent(n, all))
		}
	}
	if len(ps) == 0 || len(scores) < 2 {
		return [2]Percent{percent(0, 0), percent(0, 0)}
	}
	slices.Sort(ps)
	return [2]Percent{ps[len(ps)*25/1000], ps[(len(ps)*975-1)/1000]}
}
