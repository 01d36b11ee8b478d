package responses

import "github.com/seed-3db51b0e/precis/codec/internal/jsonedit"

// compacts reports whether context_management has the API compact (WO6).
func compacts(v []byte) bool {
	for _, e := range jsonedit.Elements(v) {
		if jsonedit.TextOf(jsonedit.Get(e, "type")) == "compaction" {
			return true
		}
	}
	return false
}
