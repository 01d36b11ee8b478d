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
// 0.5m. A comma parts thousands and is never a decimal point: 1,5k is an error. The number
// is at least 1 and at most a thousand million.
func ParseAmount(s string) (int, error) {
	digits, factor := strings.ToLower(strings.TrimSpace(s)), 1.0
	switch {
	case strings.HasSuffix(digits, "k"):
		digits, factor = digits[:len(digits)-1], 1e3
	case strings.HasSuffix(digits, "m"):
		digits, factor = digits[:len(digits)-1], 1e6
	}
	digits, grouped := ungrouped(digits)
	f, err := strconv.ParseFloat(digits, 64)
	n := f * factor
	switch {
	case err != nil || !grouped || math.IsNaN(n) || n < 1 || strings.ContainsAny(digits, "xpein"):
		return 0, fmt.Errorf("%q: not a token count", s)
	case n > maxAmount:
		return 0, fmt.Errorf("%q: more than 1,000,000,000 tokens", s)
	}
	return int(math.Round(n)), nil
}

// ungrouped returns a number without the marks that part its thousands, and false where
// one stands elsewhere.
func ungrouped(digits string) (string, bool) {
	whole, fraction, _ := strings.Cut(digits, ".")
	groups := strings.Split(strings.ReplaceAll(whole, "_", ","), ",")
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return digits, false
		}
	}
	if strings.ContainsAny(fraction, ",_") {
		return digits, false
	}
	return strings.Join(groups, "") + digits[len(whole):], true
}
