package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// worded are the judges that conclusions speak of, in plain words.
var worded = []struct{ judge, words string }{
	{"strict", "strict long-range needs"},
	{"needs", "all needs"},
	{"reuse", "text that next actions copy"},
	{"bits", "what the history tells of next actions"},
	{AskTruth, "true statements of the state"},
	{AskRedo, "completed side effects"},
	{AskRules, "the users' rules"},
}

// Conclusion holds sentences on what the first policy of a table keeps, and beside whom.
type Conclusion struct {
	Source string   `json:"source"`
	Budget int      `json:"budget"`
	Says   string   `json:"says"`
	Beside []string `json:"beside,omitempty"` // the other policies
	Plain  []string `json:"plain,omitempty"`  // prompts of the same size, recency first
}

// Conclusions has one for each table.
func (c *Comparison) Conclusions() (out []Conclusion) {
	for i := range c.Rows {
		r := &c.Rows[i]
		if len(out) == 0 || out[len(out)-1].Source != r.Source || out[len(out)-1].Budget != r.Budget {
			out = append(out, Conclusion{Source: r.Source, Budget: r.Budget, Says: r.keeps()})
			for _, x := range r.Controls {
				said := besides(x.Judges, r.Runs, false)
				out[len(out)-1].Plain = append(out[len(out)-1].Plain, "Against "+strings.ReplaceAll(x.Name, "-", " ")+" at the same tokens: "+said+".")
			}
			continue
		}
		last := &out[len(out)-1]
		last.Beside = append(last.Beside, "Against "+r.Policy+r.bill()+": "+besides(r.Judges, r.Runs, true)+r.dearer()+".")
	}
	return out
}

// keeps is the sentence about one policy alone.
func (r *Row) keeps() string {
	var parts []string
	truth := ""
	for _, n := range worded {
		i := slices.IndexFunc(r.Judges, func(j Judgement) bool { return j.Judge == n.judge })
		switch {
		case i >= 0 && n.judge == AskTruth:
			truth = " Of the statements of its state that can be checked " + r.Judges[i].Percent.String() + " % are true."
		case i >= 0:
			parts = append(parts, r.Judges[i].Percent.String()+" % of "+n.words)
		}
	}
	if r.Runs == 1 {
		truth += " One run has no interval."
	}
	return r.Policy + " keeps " + listed(parts) + r.bill() + "." + truth
}

func (r *Row) bill() string {
	if len(r.Cost) == 0 {
		return ""
	}
	return fmt.Sprintf(", at %.2f of the cost of sending everything", r.Cost[0].Ratio)
}

// besides returns in words where the first policy is ahead, behind or neither. With
// turned, the differences are the other's less the first's.
func besides(js []Judgement, runs int, turned bool) string {
	var ahead, behind, noise, equal []string
	for _, n := range worded {
		for _, j := range js {
			if j.Judge != n.judge || j.Than == nil || j.Than.Points.none() {
				continue
			}
			d := *j.Than
			if turned {
				d = Difference{-d.Points, [2]Percent{-d.CI[1], -d.CI[0]}}
			}
			said := fmt.Sprintf("%s by %s", n.words, d.size())
			switch {
			case d.Points == 0:
				equal = append(equal, n.words)
			case runs > 1 && d.Noise():
				noise = append(noise, n.words)
			case d.Points > 0:
				ahead = append(ahead, said)
			default:
				behind = append(behind, said)
			}
		}
	}
	var said []string
	for _, x := range []struct {
		word string
		of   []string
	}{{"ahead in ", ahead}, {"behind in ", behind}, {"within noise in ", noise}, {"equal in ", equal}} {
		if len(x.of) > 0 {
			said = append(said, x.word+listed(x.of))
		}
	}
	if len(said) == 0 {
		return "nothing to compare"
	}
	return strings.Join(said, "; ")
}

// size is a difference without its sign, and its interval where there is one.
func (d Difference) size() string { return d.written("%.1f", " points") }

// share is the same of a part of one.
func (d Difference) share() string {
	d = Difference{d.Points / 100, [2]Percent{d.CI[0] / 100, d.CI[1] / 100}}
	return d.written("%.2f", "")
}

func (d Difference) written(format, unit string) string {
	low, high := math.Abs(float64(d.CI[0])), math.Abs(float64(d.CI[1]))
	if low > high {
		low, high = high, low
	}
	s := fmt.Sprintf(format+unit, math.Abs(float64(d.Points)))
	if math.IsNaN(low) {
		return s
	}
	return s + fmt.Sprintf(" ("+format+" to "+format+")", low, high)
}

// dearer returns in words by how much the first policy costs more than the row's, or less.
func (r *Row) dearer() string {
	d := r.Cheaper
	switch {
	case d == nil || d.Points.none():
		return ""
	case r.Runs > 1 && d.Noise() || d.Points == 0:
		return "; at the same cost within noise"
	case d.Points > 0:
		return "; dearer by " + d.share()
	}
	return "; cheaper by " + d.share()
}

// listed joins words by commas and an "and".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
