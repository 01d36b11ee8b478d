package plugins_test

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/seed-3db51b0e/precis/plugins"
)

// A shell takes a program's path as it is, whatever is in it.
//
// SPEC: B25
func TestShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its shells quote otherwise")
	}
	for _, path := range []string{"/usr/bin/precis", "/my folder/precis", "/d$HOME/precis", "/`date`/precis", `/o'k"/\n/precis`} {
		if got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+plugins.Shell(path)).Output(); err != nil || string(got) != path {
			t.Errorf("%s: %s %v", path, got, err)
		}
	}
}
