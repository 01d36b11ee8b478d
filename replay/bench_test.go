package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// BenchmarkCompare replays a run of n messages under a sliding mask, with every
// step's whole prompt made and judged: the square of n is in the task.
func BenchmarkCompare(b *testing.B) {
	mask, _ := Baseline("mask10")
	for _, n := range []int{100, 300, 1_000} {
		ms := []message.Message{message.TextOf(message.User, "Start with ticket_number_zero please.")}
		for i := 0; len(ms) < n; i++ {
			id := fmt.Sprintf("c%d", i)
			ms = append(ms,
				message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "run", Args: fmt.Sprintf(`{"command":"show item-%04d-x"}`, max(i-5, 0))}}},
				message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{
					message.TextOf(message.User, fmt.Sprintf("the shelf holds item-%04d-x%s", i, strings.Repeat(" and dust", 20))).Parts[0],
				}}}})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			o := Options{Judge: Judge{Count: chars4}, Policies: []Policy{mask}, Budgets: []int{8_000}}
			for b.Loop() {
				if _, err := Compare(b.Context(), each(Run{ID: "r", Source: "s", Messages: ms}), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
