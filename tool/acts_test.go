package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. Names of tools that change something act; those that look do not.
func TestToolsThatAct(t *testing.T) {
	for name, want := range map[string]bool{
		"update_reservation_flights": true, "cancel_order": true, "book": true, "mcp__mail__send": true,
		"get_update_status": false, "search_direct_flight": false, "calculate": false, "": false,
	} {
		if got := tool.ActsByName(name); got != want {
			t.Errorf("%s acts: %v", name, got)
		}
	}
}
