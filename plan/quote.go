package plan

// MayQuote reports whether the text of the record may hold what a message said: it covers
// the message, or it is a summary of later ones, which goes on from earlier summaries.
func (r *Record) MayQuote(covers, later bool) bool {
	return covers || later && r.Action == Summarize
}
