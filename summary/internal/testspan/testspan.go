// Package testspan makes threads with the span of all their messages, for tests.
//
// Use: Of. Law: tests alone import it. Promise: the span names each message once, in order.
package testspan

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Of returns the thread of some messages and the span of all of them.
func Of(t testing.TB, ms []message.Message) (*thread.Thread, plan.Span) {
	t.Helper()
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	var span plan.Span
	for i := range th.Len() {
		span.IDs = append(span.IDs, th.At(i).ID)
	}
	return th, span
}
