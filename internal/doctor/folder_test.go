package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/doctor"
)

// A data folder that cannot be made is named itself, not the folder above it that is
// there: nobody should make that one writable for the sake of a database.
//
// SPEC: B6
func TestDataFolderThatCannotBeMade(t *testing.T) {
	if _, err := os.Stat("/proc"); err != nil {
		t.Skip("no folder in which root cannot make another")
	}
	const dir = "/proc/share/precis"
	f := doctor.Installation(t.Context(), doctor.Database{Path: filepath.Join(dir, "precis.db")}, func(error) string { return "" })[0]
	if f.OK || !strings.Contains(f.Found, dir+" cannot be made") || strings.Contains(f.Fix, "writable") || !strings.Contains(f.Fix, dir) {
		t.Errorf("%+v", f)
	}
}
