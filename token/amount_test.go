package token

import (
	"strings"
	"testing"
)

func TestParseAmount(t *testing.T) {
	for in, want := range map[string]int{
		"32000": 32000, "32k": 32000, "32K": 32000, "0.5m": 500_000, "1.5k": 1500, "32,000": 32000, " 8k ": 8000, "1": 1,
		"": 0, "k": 0, "-5": 0, "0": 0, "many": 0, "1e3": 0, "0x10": 0, "inf": 0, "nan": 0, "1_000": 1000, "8_000k": 8_000_000, "_": 0, "3 2": 0, "32kk": 0,
		"1,5k": 0, "0,5m": 0, "32,00": 0, "1,000,00": 0, "3.2,000": 0, "1,000,000": 1_000_000, "1,234.5k": 1_234_500,
	} {
		got, err := ParseAmount(in)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("ParseAmount(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"9999m", "9999999m", "1000000001"} {
		if got, err := ParseAmount(in); got != 0 || err == nil || !strings.Contains(err.Error(), "more than 1,000,000,000 tokens") {
			t.Errorf("ParseAmount(%q) = %d, %v; want that it is too large", in, got, err)
		}
	}
}
