package responses

import "github.com/seed-3db51b0e/precis/codec/internal/span"

// compacts says whether context_management has the API compact (WO6).
func compacts(v []byte) bool {
	for _, e := range span.Elements(v) {
		if span.TextOf(span.Get(e, "type")) == "compaction" {
			return true
		}
	}
	return false
}
