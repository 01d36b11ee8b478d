package token

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseAmount reads a number of tokens as people write it: 32000, 32k, 0.5m. It is
// at least 1 and at most a thousand million.
func ParseAmount(s string) (int, error) {
	digits, factor := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), ",", ""), 1.0
	switch {
	case strings.HasSuffix(digits, "k"):
		digits, factor = digits[:len(digits)-1], 1e3
	case strings.HasSuffix(digits, "m"):
		digits, factor = digits[:len(digits)-1], 1e6
	}
	f, err := strconv.ParseFloat(digits, 64)
	n := f * factor
	if err != nil || math.IsNaN(n) || n < 1 || n > 1e9 || strings.ContainsAny(digits, "xpein_") {
		return 0, fmt.Errorf("%q: not a token count", s)
	}
	return int(math.Round(n)), nil
}
