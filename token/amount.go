package token

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxAmount is the most tokens that ParseAmount reads.
const maxAmount = 1e9

// ParseAmount reads a number of tokens as people write it: 32000, 32,000, 32_000, 32k,
// 0.5m. It is at least 1 and at most a thousand million.
func ParseAmount(s string) (int, error) {
	digits, factor := strings.NewReplacer(",", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(s))), 1.0
	switch {
	case strings.HasSuffix(digits, "k"):
		digits, factor = digits[:len(digits)-1], 1e3
	case strings.HasSuffix(digits, "m"):
		digits, factor = digits[:len(digits)-1], 1e6
	}
	f, err := strconv.ParseFloat(digits, 64)
	n := f * factor
	switch {
	case err != nil || math.IsNaN(n) || n < 1 || strings.ContainsAny(digits, "xpein"):
		return 0, fmt.Errorf("%q: not a token count", s)
	case n > maxAmount:
		return 0, fmt.Errorf("%q: more than 1,000,000,000 tokens", s)
	}
	return int(math.Round(n)), nil
}
