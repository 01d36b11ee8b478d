package encoding_test

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// Times come back to the nanosecond, sort as text, and stay within the years of the layout.
func TestTimesSort(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	have, err := encoding.ParseTime(encoding.Time(at))
	if err != nil || !have.Equal(at) {
		t.Errorf("%v came back as %v: %v", at, have, err)
	}
	var written []string
	for _, x := range []time.Time{time.Time{}.AddDate(-5, 0, 0), {}, at, at.Add(1), at.AddDate(9000, 0, 0)} {
		written = append(written, encoding.Time(x))
	}
	if !slices.IsSorted(written) {
		t.Errorf("not sorted: %q", written)
	}
	if _, err := encoding.ParseTime("yesterday"); err == nil {
		t.Error("a text that is no time was read")
	}
}

// Lists come back in their order, and a damaged one is an error.
func TestListsComeBack(t *testing.T) {
	for _, want := range [][]int64{nil, {1}, {7, 8, 9}, {1 << 40, 3, 3, 1 << 50}} {
		have, err := encoding.ParseList(encoding.List(want))
		if err != nil || !slices.Equal(have, want) {
			t.Errorf("%v came back as %v: %v", want, have, err)
		}
	}
	if n := len(encoding.List([]int64{500, 501, 502})); n != 4 {
		t.Errorf("neighbours take %d bytes", n)
	}
	if _, err := encoding.ParseList([]byte{0x80}); err == nil {
		t.Error("a list that is cut was read")
	}
}
