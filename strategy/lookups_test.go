package strategy_test

import (
	"fmt"
	"strings"
	"testing"
)

// What was looked up for the user is told whole where half of the room for lines holds it, and takes
// none from what the agent said.
//
// SPEC: B18
func TestLookUpsStandBeforeLines(t *testing.T) {
	rs := []round{
		calls("get_user", `{"user_id":"mia_7"}`, text(`{"user_id":"mia_7","address":{"street":"159 Hickory Lane","town":"Charlotte","zip":"28243"},"payment_methods":{"paypal_7729105":{"source":"paypal","id":"paypal_7729105"}},"membership":"silver"}`)),
		calls("get_order", `{"order_id":"W527"}`, text(`{"order_id":"W527","status":"pending","address":{"street":"584 Sunset Drive","town":"Washington","zip":"20353"},"items":[{"name":"Backpack","item_id":"2492465580","price":201.95},{"name":"Desk Lamp","item_id":"7453605304","price":150.01}]}`)),
	}
	for i := range 30 {
		rs = append(rs, calls("bash", fmt.Sprintf(`{"command":"show part_%d of the list"}`, i), text(fmt.Sprintf("value_%d of the list is total_%d", i, i))))
	}
	rs = append(rs, calls("bash", `{"command":"for name in first second third\ndo\n  echo begin $name\n  make $name\n  echo end $name\ndone"}`, text("made")))
	for _, limit := range []int{280, 300, 320} {
		got := inBlocks(t, 400, 0, limit, rs...)
		for _, w := range []string{
			"get_user: user_id=mia_7, address (159 Hickory Lane, Charlotte, 28243), payment_methods (paypal_7729105), membership=silver",
			"get_order: order_id=W527, status=pending, address (584 Sunset Drive, Washington, 20353), items (2492465580, Backpack, price 201.95; 7453605304, Desk Lamp, price 150.01)",
			"for name in first second third\ndo\n  echo begin $name\n  make $name\n  echo end $name\ndone",
			"Lines of the log",
		} {
			if !strings.Contains(got, w) {
				t.Errorf("%d tokens: no %q in\n%s", limit, w, got)
			}
		}
	}
}
