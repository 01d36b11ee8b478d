package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// An error of the disk comes with advice.
func TestDiskErrorsHaveAdvice(t *testing.T) {
	if hint := hintFor(fmt.Errorf("append: %w: disk I/O error (4874)", sqlite.ErrIO)); !strings.Contains(hint, "full") || !strings.Contains(hint, "--db") {
		t.Errorf("hint %q", hint)
	}
}
