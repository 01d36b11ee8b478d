package anthropic

import (
	"strconv"
	"strings"
)

// prefills reports whether a model accepts a trailing assistant message: those
// before Claude 4.6 do. A name that states no version is taken for a new one.
func prefills(model string) bool {
	_, rest, ok := strings.Cut(model, "claude")
	if !ok {
		return false
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-._@:/", r) })
	for i, w := range words {
		major, ok := version(w)
		if !ok {
			continue
		}
		minor := 0
		if i+1 < len(words) {
			minor, _ = version(words[i+1])
		}
		return major < 4 || major == 4 && minor < 6
	}
	return false
}

// version reads one number of a version; longer ones are dates.
func version(w string) (int, bool) {
	if len(w) > 2 {
		return 0, false
	}
	n, err := strconv.Atoi(w)
	return n, err == nil
}
