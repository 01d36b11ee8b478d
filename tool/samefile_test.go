package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: L7. Two paths may name one file where one ends like the other; in paths with a drive letter
// both slashes part.
func TestSameFile(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"/r/src/a.go", "src/a.go", true},
		{"./a.go", "a.go", true},
		{"/r/src/a.go", "rc/a.go", false},
		{`C:\r\src\a.go`, "C:/r/src/a.go", true},
		{`C:\r\src\a.go`, "src/a.go", true},
		{`src\a.go`, `c:\r\src\a.go`, true},
		{`C:\r\src\a.go`, `D:\r\src\a.go`, false},
		{`C:\r\src\a.go`, "lib/a.go", false},
		{`src\a.go`, "src/a.go", false}, // a name may hold the mark elsewhere
	} {
		if tool.SameFile(c.a, c.b) != c.same || tool.SameFile(c.b, c.a) != c.same {
			t.Errorf("%s and %s are one file: %v", c.a, c.b, !c.same)
		}
	}
}
