package token

import "testing"

func TestParseAmount(t *testing.T) {
	for in, want := range map[string]int{
		"32000": 32000, "32k": 32000, "32K": 32000, "0.5m": 500_000, "1.5k": 1500, "32,000": 32000, " 8k ": 8000, "1": 1,
		"": 0, "k": 0, "-5": 0, "0": 0, "many": 0, "1e3": 0, "0x10": 0, "inf": 0, "nan": 0, "9999999m": 0, "1_000": 0, "3 2": 0, "32kk": 0,
	} {
		got, err := ParseAmount(in)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("ParseAmount(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
}
