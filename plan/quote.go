package plan

import "encoding/json"

// MayQuote reports whether the text of the record may hold what a message said: it covers
// the message, or it is a summary of later ones, which goes on from earlier summaries, or one
// that lost messages since it was made.
func (r *Record) MayQuote(covers, later bool) bool {
	return covers || r.Action == Summarize && (later || r.lost())
}

// lost reports whether a summary was made of more messages than it covers.
func (r *Record) lost() bool {
	var made struct {
		Count int `json:"count"`
	}
	return len(r.Summary) > 0 && json.Unmarshal(r.Summary, &made) == nil && made.Count > len(r.Span.IDs)
}

// Verbatim reports whether a part under the record, nil for none, stands in the prompt as it was
// said: a repair is of its form, and what is encoded anew says the same.
func (r *Record) Verbatim() bool {
	return r == nil || r.Kind == Repaired || r.Kind == Reencoded
}
