package replay

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Row holds what one policy did with all runs of a source at one budget.
type Row struct {
	Source string         `json:"source"`
	Policy string         `json:"policy"`
	Budget int            `json:"budget"`
	Runs   int            `json:"runs"`
	Steps  int            `json:"steps"`
	Active int            `json:"active"`
	Recall [classes]Rates `json:"recall"`
	// LiteralCI and SupportedCI are 95 % intervals of LR strict, bootstrapped over runs.
	LiteralCI   [2]Percent `json:"lit_ci"`
	SupportedCI [2]Percent `json:"sup_ci"`
	Cost        []Cost     `json:"cost"`
	// Tokens of all prompts, relative to sending everything on the same runs.
	Tokens  float64            `json:"tokens"`
	Spent   map[string]float64 `json:"spent"`   // shares of the policy's tokens
	Peak    int                `json:"peak"`    // median over runs of the largest prompt, tokens
	Over    Percent            `json:"over"`    // of active steps
	Invalid Percent            `json:"invalid"` // of steps
	Fault   string             `json:"fault,omitempty"`
	Breaks  float64            `json:"breaks"` // per run
	Epochs  float64            `json:"epochs"` // plans committed, per run
	Failed  int                `json:"failed"` // steps
	Probes  map[string]Percent `json:"probes"`
	// Lost counts what was needed and not in the prompt, of LR strict, by kind.
	Lost     map[string]Loss `json:"lost,omitempty"`
	Outcomes map[string]int  `json:"outcomes,omitempty"`
	// Verdicts on the price of compactions, forced ones too, by the policy's word.
	Verdicts map[string]Judged `json:"verdicts,omitempty"`
	// Search is the share of what was lost that a search by the step's words finds,
	// of Sought needs; Named the share that one finds which has the names of the step,
	// too, but for those that were lost.
	Search Percent `json:"search"`
	Named  Percent `json:"search_named"`
	Sought int     `json:"sought"`
	// Judges holds the word of every judge, beside that on the first policy of the table;
	// Controls that on plain prompts of as many tokens.
	Judges   []Judgement `json:"judges"`
	Controls []Control   `json:"controls,omitempty"`
	Spoken   []Spoken    `json:"needs_by_speaker,omitempty"`
	Copied   []Copied    `json:"reuse_by_source,omitempty"`
	Asked    int         `json:"asked_steps"` // at which the judges of Ask were asked
	Wear     []Worn      `json:"wear,omitempty"`
	// Misses are examples of what was lost, with the prompts that lacked it.
	Misses []Miss   `json:"examples,omitempty"`
	Untrue []Untrue `json:"untrue,omitempty"`
	// Cheaper is the first bill of the first policy of the table less this one's, of that
	// for sending everything, in points; nil of the first itself.
	Cheaper *Difference `json:"cheaper,omitempty"`
}

// Cost is a bill relative to that for sending everything on the same runs, with
// its 95 % interval over runs.
type Cost struct {
	Price string     `json:"price"`
	Ratio float64    `json:"ratio"`
	CI    [2]Percent `json:"ci"`            // of Ratio, in percent
	USD   float64    `json:"usd,omitempty"` // per run, where the price is a model's
}

// Loss counts needs of a kind of value, and those the prompt did not meet.
type Loss struct {
	Needs int `json:"needs"`
	Unmet int `json:"unmet"`
}

// Rates is the recall of one class.
type Rates struct {
	Class      string  `json:"class"`
	Needs      int     `json:"needs"`
	Literal    Percent `json:"lit"`
	Supported  Percent `json:"sup"`
	Referenced Percent `json:"ptr"`
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

// rowOf fills in the row of a source, policy and budget from the scores of the policy; none are
// those of sending everything on the same runs, in the same order.
func rowOf(r Row, prices []Price, scores, none []Score) Row {
	r.Runs = len(scores)
	var t, base Score
	var peaks []int
	for i := range scores {
		t.join(&scores[i])
		base.join(&none[i])
		peaks = append(peaks, scores[i].Peak)
	}
	r.Steps, r.Active, r.Failed = t.Steps, t.Active, t.Failed
	for c, n := range t.Recall {
		r.Recall[c] = n.rates(Class(c))
	}
	r.LiteralCI = interval(scores, func(s *Score) (int, int) { return s.Recall[LongRangeStrict].Literal, s.Recall[LongRangeStrict].Needs })
	r.SupportedCI = interval(scores, func(s *Score) (int, int) { return s.Recall[LongRangeStrict].Supported, s.Recall[LongRangeStrict].Needs })
	for i, p := range prices {
		r.Cost = append(r.Cost, cost(p, i, scores, none))
	}
	r.Tokens = float64(t.Tokens) / float64(base.Tokens)
	r.Over, r.Invalid = percent(t.Over, t.Active), percent(t.Invalid, t.Steps)
	r.Fault, r.Outcomes, r.Verdicts = t.Fault, t.Outcomes, t.Verdicts
	r.Search, r.Sought = percent(t.Search.Met, t.Search.Asked), t.Search.Asked
	r.Named = percent(t.Named.Met, t.Named.Asked)
	runs := float64(len(scores))
	r.Breaks, r.Epochs = float64(t.Breaks)/runs, float64(t.Outcomes["compacted"])/runs
	r.details(&t)
	slices.Sort(peaks)
	if len(peaks) > 0 {
		r.Peak = (peaks[(len(peaks)-1)/2] + peaks[len(peaks)/2]) / 2
	}
	return r
}

// mostExamples bounds the examples of a row, about.
const mostExamples = 60

// judge fills in what the judges say; first are the scores of the first policy of the
// table, nil where this is it.
func (r *Row) judge(scores, first, none []Score) {
	r.Judges, r.Controls = judged(scores, first, false), controlsOf(scores)
	var all Sampled
	spoken := map[string]Recall{}
	for i := range scores {
		if len(r.Misses) < mostExamples {
			r.Misses = append(r.Misses, scores[i].Misses...)
		}
		if len(r.Untrue) < mostExamples {
			r.Untrue = append(r.Untrue, scores[i].sampled().Untrue...)
		}
		all.join(scores[i].sampled())
		for k, n := range scores[i].Spoken {
			n.join(spoken[k])
			spoken[k] = n
		}
	}
	r.Wear = worn(scores)
	r.Asked, r.Spoken, r.Copied = all.Steps, spokenOf(spoken), copiedOf(&all)
	if first != nil && len(r.Cost) > 0 {
		bill := func(of []Score) func(i int) (float64, float64) {
			return func(i int) (float64, float64) { return of[i].Billed[0], none[i].Billed[0] }
		}
		r.Cheaper = difference(len(scores), bill(first), bill(scores))
	}
}

// details returns what t spent, answered and lost.
func (r *Row) details(t *Score) {
	r.Spent, r.Probes, r.Lost = map[string]float64{}, map[string]Percent{}, map[string]Loss{}
	for i, n := range t.Spent {
		r.Spent[spend(i).String()] = float64(n) / float64(max(t.Tokens, 1))
	}
	for i, n := range t.Probes {
		r.Probes[Probe(i).String()] = percent(n.Met, n.Asked)
	}
	for k, n := range t.Lost {
		r.Lost[k] = Loss{n.Asked, n.Asked - n.Met}
	}
}

func (s *Score) join(o *Score) {
	s.Steps += o.Steps
	s.Active += o.Active
	s.Tokens += o.Tokens
	s.Over += o.Over
	s.Invalid += o.Invalid
	s.Fault = cmp.Or(s.Fault, o.Fault)
	s.Breaks += o.Breaks
	s.Failed += o.Failed
	for i := range s.Spent {
		s.Spent[i] += o.Spent[i]
	}
	for i := range s.Probes {
		s.Probes[i].Asked += o.Probes[i].Asked
		s.Probes[i].Met += o.Probes[i].Met
	}
	for c := range s.Recall {
		s.Recall[c].join(o.Recall[c])
	}
	if s.Outcomes == nil {
		s.Outcomes, s.Lost = map[string]int{}, map[string]Tally{}
	}
	for k, n := range o.Outcomes {
		s.Outcomes[k] += n
	}
	s.Search = Tally{s.Search.Asked + o.Search.Asked, s.Search.Met + o.Search.Met}
	s.Named = Tally{s.Named.Asked + o.Named.Asked, s.Named.Met + o.Named.Met}
	for k, n := range o.Verdicts {
		if s.Verdicts == nil {
			s.Verdicts = map[string]Judged{}
		}
		s.Verdicts[k] = Judged{s.Verdicts[k].Times + n.Times, s.Verdicts[k].Right + n.Right}
	}
	for k, n := range o.Lost {
		s.Lost[k] = Tally{s.Lost[k].Asked + n.Asked, s.Lost[k].Met + n.Met}
	}
}

// cost is the bill under price i.
func cost(p Price, i int, scores, none []Score) Cost {
	c := Cost{Price: p.Name}
	var sum, base float64
	for n := range scores {
		sum += scores[n].Billed[i]
		base += none[n].Billed[i]
	}
	c.Ratio = sum / base
	if p.Model != nil {
		c.USD = sum / float64(len(scores))
	}
	c.CI = resample(len(scores), func(n int) (float64, float64) { return scores[n].Billed[i], none[n].Billed[i] })
	return c
}

func (r Recall) rates(c Class) Rates {
	return Rates{c.String(), r.Needs, percent(r.Literal, r.Needs), percent(r.Supported, r.Needs), percent(r.Referenced, r.Needs)}
}

func percent(n, of int) Percent {
	if of == 0 {
		return Percent(math.NaN())
	}
	return Percent(100 * float64(n) / float64(of))
}

// resamples states how many times the runs are drawn again for an interval.
const resamples = 400

// interval is the 95 % bootstrap interval over runs of a pooled percentage.
func interval(scores []Score, of func(*Score) (n, all int)) [2]Percent {
	return resample(len(scores), func(i int) (float64, float64) {
		n, all := of(&scores[i])
		return float64(n), float64(all)
	})
}

// resample is the 95 % bootstrap interval of a ratio of sums over runs, in
// percent.
func resample(runs int, of func(i int) (n, all float64)) [2]Percent {
	return bootstrap(runs, func(draw []int) float64 {
		n, all := sumOf(runs, func(i int) (float64, float64) { return of(draw[i]) })
		return 100 * n / all
	})
}

// bootstrap is the 95 % interval of what a statistic is of runs drawn again. The draws
// are the same every time; where a statistic is no number they count for nothing. With
// fewer than two runs the interval is NaN.
func bootstrap(runs int, of func(draw []int) float64) [2]Percent {
	draw := rand.New(rand.NewPCG(1, 2))
	var ps []Percent
	at := make([]int, runs)
	for range resamples {
		for i := range at {
			at[i] = draw.IntN(runs)
		}
		if p := of(at); !math.IsNaN(p) && !math.IsInf(p, 0) {
			ps = append(ps, Percent(p))
		}
	}
	if len(ps) == 0 || runs < 2 {
		return [2]Percent{percent(0, 0), percent(0, 0)}
	}
	slices.Sort(ps)
	return [2]Percent{ps[len(ps)*25/1000], ps[(len(ps)*975-1)/1000]}
}
