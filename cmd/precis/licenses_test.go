package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// The program holds the licences of what it contains.
func TestLicenses(t *testing.T) {
	var out bytes.Buffer
	code := run(t.Context(), []string{"licenses"}, strings.NewReader(""), &out, io.Discard)
	for _, want := range []string{"github.com/spf13/cobra", "modernc.org/sqlite", "the Go standard library", "Apache License", "Permission is hereby granted"} {
		if code != exitOK || !strings.Contains(out.String(), want) {
			t.Errorf("exit code %d, no %q in %d bytes", code, want, out.Len())
		}
	}
}
