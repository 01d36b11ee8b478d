package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// approved resolves the errors that no exit code bears out where the agent finds, as it sees them,
// that all is well: their runs did not fail.
func (f *failures) approved(said *summary.Note) {
	f.settleFresh(said, (*freshFailure).isSoft)
}

// expected resolves the errors of which the agent says, as it sees them, that they had to come: the only
// one there is, or one that the sentence names.
func (f *failures) expected(low string, said *summary.Note) {
	one := len(f.fresh) == 1
	f.settleFresh(said, func(x *freshFailure) bool {
		return one || slices.ContainsFunc(x.words, func(w string) bool { return strings.Contains(low, w) })
	})
}

// settleFresh resolves those of the errors that the agent may speak of which it does speak of.
func (f *failures) settleFresh(said *summary.Note, spokenOf func(*freshFailure) bool) {
	f.fresh = slices.DeleteFunc(f.fresh, func(x freshFailure) bool {
		if !spokenOf(&x) {
			return false
		}
		f.wellAfter(&x, said)
		return true
	})
}

// wellAfter resolves an error by what the agent said of it. Where no exit code and no verdict of tests
// says otherwise, its run did not fail.
func (f *failures) wellAfter(x *freshFailure, said *summary.Note) {
	f.all[x.at].SettleBy(oneline.Clip(said.Text, maxFixText), said.From)
	if c := x.run; c != nil && c.Error != "" && x.isSoft() && !testrun.IsVerdict(c.Tail) && !testrun.IsVerdict(c.Error) {
		c.Error = ""
		c.Failed-- // of a run that an earlier summary counts it is one less
	}
}

// isSoft reports whether no exit code says that there was an error.
func (x *freshFailure) isSoft() bool { return x.run != nil && (x.run.Exit == nil || *x.run.Exit == 0) }

// expects reports whether a lowered sentence says of an error that it had to come.
func expects(low string) bool {
	if !saysAny(low, expecting) || saysAny(low, notExpecting) || strings.Contains(low, "n't ") {
		return false
	}
	return startsAny(low, ofErrors) || saysAny(low, errorWords)
}
