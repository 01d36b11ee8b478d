package adapt_test

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/adapt"
)

// Calls without ids are paired with their results by name and order, round by round; an
// id of the framework's own is never changed.
//
// SPEC: B26
func TestCallsWithoutIDsArePaired(t *testing.T) {
	var d adapt.IDs
	d.Round()
	calls := []string{d.Call("", "read"), d.Call("", "list"), d.Call("", "read"), d.Call("c7", "read")}
	results := []string{d.Result("", "list"), d.Result("c7", "read"), d.Result("", "read"), d.Result("", "")}
	if want := []string{calls[1], "c7", calls[0], calls[2]}; !slices.Equal(results, want) {
		t.Errorf("%v, want %v", results, want)
	}
	seen := map[string]bool{}
	for _, id := range calls {
		if seen[id] || id != "c7" && adapt.Own(id) != "" || id == "c7" && adapt.Own(id) != id {
			t.Errorf("%v", calls)
		}
		seen[id] = true
	}
	d.Round()
	if again := d.Call("", "read"); again != calls[0] {
		t.Errorf("the same call of the next round is %q", again)
	}
	if alone := d.Result("", "gone"); alone == "" || adapt.Own(alone) != "" {
		t.Errorf("a result without its call has %q", alone)
	}
}
