package plan

// MayQuote reports whether the text of the record may hold what a message said: it covers
// the message, or it is a summary of later ones, which goes on from earlier summaries.
func (r *Record) MayQuote(covers, later bool) bool {
	return covers || later && r.Action == Summarize
}

// Verbatim reports whether a part under the record, nil for none, stands in the prompt as it was
// said: a repair is of its form, and what is encoded anew says the same.
func (r *Record) Verbatim() bool {
	return r == nil || r.Kind == Repaired || r.Kind == Reencoded
}
