// Package testthread makes threads of messages, for tests.
//
// Use: Of. Law: tests alone import it. Promise: the thread holds the messages in
// their order, none of which is counted yet.
package testthread

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Of returns the thread of some messages.
func Of(t testing.TB, ms ...message.Message) *thread.Thread {
	t.Helper()
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}
