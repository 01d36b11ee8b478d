package timeline

import (
	"testing"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/message"
)

func BenchmarkChoose(b *testing.B) {
	var ms []message.Message
	for range 2000 {
		ask, done := of(message.Assistant, call("c", "bash", "{}")), of(message.Tool, result("c", ""))
		ms = append(ms, said(message.User, "u"), ask, done, ask, done, said(message.Assistant, "a"))
	}
	th := testthread.Of(b, ms...)
	b.ReportAllocs()
	for b.Loop() {
		bs := Blocks(th, func(int) Stands { return Shown }, func(int, int) int { return 10 })
		if c := Choose(bs, 5000, 1000); c.Reason != "" {
			b.Fatal(c.Reason)
		}
	}
}
