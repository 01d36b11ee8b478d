package main

import (
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a server, a connection or an engine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
