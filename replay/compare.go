package replay

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-3db51b0e/precis/replay/judge"
)

// Judgement holds the finding of one judge on a policy: a share of Of that is better the
// larger it is, with its 95 % interval over runs.
type Judgement struct {
	Judge   string     `json:"judge"`
	Percent Percent    `json:"percent"`
	CI      [2]Percent `json:"ci"`
	Of      int        `json:"of"`
	// Than is the same less that of what the row is compared with, in points, of the
	// same runs and steps; nil where it is compared with nothing.
	Than *Difference `json:"difference,omitempty"`
}

// Difference is in points, with its 95 % interval: both sides are drawn again together,
// run by run.
type Difference struct {
	Points Percent    `json:"points"`
	CI     [2]Percent `json:"ci"`
}

// Noise reports whether the difference may be none; true without an interval.
func (d Difference) Noise() bool { return !(d.CI[0] > 0 || d.CI[1] < 0) }

// Control holds what a plain prompt of as many tokens as the policy's kept, at the steps
// at which it was asked. Its judgements are compared with those of the policy at the
// same steps: a difference above zero is the policy's lead.
type Control struct {
	Name   string      `json:"name"`
	Steps  int         `json:"steps"`
	Tokens float64     `json:"tokens"` // of the policy's
	Judges []Judgement `json:"judges"`
}

// ratio counts for a judge: a share of sums over runs.
type ratio struct {
	name string
	of   func(s *Score) (n, all float64)
}

// measures are the judges whose word is a share.
var measures = []ratio{
	{"needs", func(s *Score) (float64, float64) { return met(s.Recall[All]) }},
	{"strict", func(s *Score) (float64, float64) { return met(s.Recall[LongRangeStrict]) }},
	{"supported", func(s *Score) (float64, float64) {
		r := s.Recall[LongRangeStrict]
		return float64(r.Supported), float64(r.Needs)
	}},
	{"reuse", func(s *Score) (float64, float64) { n := s.sampled().copied(); return float64(n.Whole), float64(n.All) }},
	{"reuse_any", func(s *Score) (float64, float64) { n := s.sampled().copied(); return float64(n.Any), float64(n.All) }},
	{"bits", func(s *Score) (float64, float64) {
		b := s.sampled().Bits
		return b.Floor - b.Prompt, b.Floor - b.Whole
	}},
	state(AskTruth), state(judge.Outcomes), state(judge.Errors), state(judge.Steps), state(judge.Task), state(judge.Files), state(judge.Superseded),
	state(AskRedo), state(AskRules), state(unforged),
}

// state is a judge that counts what is as it should be.
func state(name string) ratio {
	return ratio{name, func(s *Score) (float64, float64) {
		n := s.sampled().State[name]
		return float64(n.Right), float64(n.All)
	}}
}

func met(r Recall) (n, all float64) { return float64(r.Literal), float64(r.Needs) }

// alone is a score of nothing but what was found at sampled steps.
func (s *Sampled) alone() Score {
	if s == nil {
		return Score{}
	}
	return Score{Recall: s.Recall, Sampled: s}
}

// judged returns the findings of every judge on scores, beside others of the same runs if there
// are any: the difference is theirs less these if lead is set, else these less theirs.
func judged(scores, beside []Score, lead bool) (out []Judgement) {
	for _, m := range measures {
		at := func(i int) (float64, float64) { return m.of(&scores[i]) }
		n, all := sumOf(len(scores), at)
		if all <= 0 {
			continue
		}
		j := Judgement{m.name, Percent(100 * n / all), resample(len(scores), at), int(math.Round(all)), nil}
		if beside != nil {
			a, b := at, func(i int) (float64, float64) { return m.of(&beside[i]) }
			if lead {
				a, b = b, a
			}
			j.Than = difference(len(scores), a, b)
		}
		out = append(out, j)
	}
	return out
}

func sumOf(runs int, of func(i int) (n, all float64)) (n, all float64) {
	for i := range runs {
		a, b := of(i)
		n, all = n+a, all+b
	}
	return n, all
}

// difference is the share a less the share b.
func difference(runs int, a, b func(i int) (n, all float64)) *Difference {
	share := func(draw func(i int) int) float64 {
		n, all := sumOf(runs, func(i int) (float64, float64) { return a(draw(i)) })
		m, some := sumOf(runs, func(i int) (float64, float64) { return b(draw(i)) })
		return 100 * (n/all - m/some)
	}
	whole := share(func(i int) int { return i })
	return &Difference{Percent(whole), bootstrap(runs, func(draw []int) float64 { return share(func(i int) int { return draw[i] }) })}
}

// controlsOf are the controls of a policy.
func controlsOf(scores []Score) (out []Control) {
	for _, c := range controls {
		var theirs, own []Score
		var all, beside Sampled
		for i := range scores {
			s := scores[i].Controls[c.name]
			if s == nil {
				continue
			}
			all.join(s)
			beside.join(scores[i].Sampled)
			theirs, own = append(theirs, s.alone()), append(own, scores[i].Sampled.alone())
		}
		if all.Steps > 0 {
			out = append(out, Control{c.name, all.Steps, float64(all.Tokens) / float64(max(beside.Tokens, 1)), judged(theirs, own, true)})
		}
	}
	return out
}

// Spoken counts how many needs the prompts met, by who said the value first and how long ago it was
// said last, in budgets.
type Spoken struct {
	By string `json:"by"`
	Rates
}

// speakers are in the order shown.
var speakers = []string{"user", "tool", "agent"}

func spokenOf(counts map[string]Recall) (out []Spoken) {
	for _, who := range speakers {
		for _, far := range judge.Agos {
			if n, ok := counts[who+" "+string(far)]; ok {
				r := n.rates(All)
				r.Class = string(far)
				out = append(out, Spoken{who, r})
			}
		}
	}
	return out
}

// Copied counts the text that actions copy, and holds the shares of it that the prompts
// had, by who said it last and how long ago, in budgets.
type Copied struct {
	Source     string  `json:"source"`
	Characters int     `json:"characters"`
	Whole      Percent `json:"whole"`
	Any        Percent `json:"any"`
}

func copiedOf(s *Sampled) (out []Copied) {
	for k, n := range s.Copied {
		out = append(out, Copied{k, n.All, percent(n.Whole, n.All), percent(n.Any, n.All)})
	}
	slices.SortFunc(out, func(a, b Copied) int {
		return cmp.Or(b.Characters-a.Characters, cmp.Compare(a.Source, b.Source))
	})
	return out
}
