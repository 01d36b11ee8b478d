package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The example runs without a key, finds what it looks for, and sends no more than its
// budget however long its history gets.
//
// SPEC: S8
func TestRun(t *testing.T) {
	const budget = 8_000
	var out bytes.Buffer
	if err := run(t.Context(), &out, "", 40, budget); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) < 45 || !strings.Contains(lines[40], "by hand") || !strings.Contains(out.String(), "What was taken out") || strings.Contains(out.String(), "precis read") {
		t.Fatalf("%d lines: %s", len(lines), out.String())
	}
	for _, line := range lines[:40] {
		var n, messages, sent int
		if _, err := fmt.Sscanf(line, "%d: %d messages of history, %d tokens sent", &n, &messages, &sent); err != nil || sent > budget || messages < n {
			t.Fatalf("%v: %q", err, line)
		}
	}
}
