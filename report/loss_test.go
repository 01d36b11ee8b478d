package report

import "testing"

// What the report proposes to search for is a name that left the prompt; a number only where no
// name did.
func TestWhatIsSearchedFor(t *testing.T) {
	number, long, flag, name := Loss{Kind: "number", first: "12600"}, Loss{Kind: "path", first: "a/path/that/is/longer.go"}, Loss{Kind: "file", first: "-x.go"}, Loss{Kind: "id", first: "M20IZO"}
	for _, c := range []struct {
		want string
		lost []Loss
	}{
		{"M20IZO", []Loss{long, flag, number, name}},
		{"12600", []Loss{long, flag, number}},
		{"", []Loss{long, flag, {Kind: "id"}}},
	} {
		if got := (&Report{Lost: c.lost}).searchable(); got != c.want {
			t.Errorf("%q, want %q of %+v", got, c.want, c.lost)
		}
	}
}
