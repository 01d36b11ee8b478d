//go:build unix

package hook_test

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/hook"
)

// A command decides: it reads one line of JSON, and its exit code 2 is a veto
// with standard error as the reason. Give the hooks to precis.Options.Hooks;
// Ask is what the engine calls.
func ExampleShell() {
	demo := hook.Shell(`grep -q '"thread":"demo"' && { echo "not during the demo" >&2; exit 2; } || exit 0`, 0)
	for _, thread := range []string{"demo", "t"} {
		verdict, err := demo.Ask(context.Background(), event.Payload{Thread: thread, Trigger: event.Auto, Messages: 50, BeforeTokens: 90_000})
		fmt.Println(thread, verdict.Veto, verdict.Reason, err)
	}
	// Output:
	// demo true not during the demo <nil>
	// t false  <nil>
}
