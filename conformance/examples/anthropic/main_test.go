package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The example runs without a key, and what it sends stays small however long its
// history gets.
//
// SPEC: B7
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, "", 40, 8_000); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 41 || !strings.Contains(lines[40], "by hand") {
		t.Fatalf("%d lines: %s", len(lines), out.String())
	}
	most, history := 0, 0
	for _, line := range lines[:40] {
		var n, sent int
		if _, err := fmt.Sscanf(line, "%d: %d bytes of history, %d sent", &n, &history, &sent); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		most = max(most, sent)
	}
	if most > 32_000 || history < 3*most {
		t.Errorf("%d bytes of history, %d sent", history, most)
	}
}
