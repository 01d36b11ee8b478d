package encoding

import "github.com/seed-3db51b0e/precis/plan"

// MayQuote reports whether the text of a record may hold what a message said: it covers
// the message, or it is a summary of later ones, which goes on from earlier summaries.
func MayQuote(r plan.Record, covers, later bool) bool {
	return covers || later && r.Action == plan.Summarize
}
