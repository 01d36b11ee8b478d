package testrun_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// SPEC: B18. A verdict that counts a failure fails, however its runner words it; one that counts none
// does not.
func TestVerdictsThatFail(t *testing.T) {
	for line, want := range map[string]bool{
		"Tests run: 5, Failures: 2, Errors: 0": true, "Tests run: 5, Failures: 0, Errors: 1, Skipped: 0": true, "Tests run: 5, Failures: 0, Errors: 0, Skipped: 2": false,
		"Tests: 5, Assertions: 9, Failures: 1.": true, "Tests: 5, Assertions: 9, Skipped: 1.": false, "Tests:       1 failed, 4 passed, 5 total": true, "Tests:       5 passed, 5 total": false,
		"tests failed: 12 failed, 3 passed": true, "0 failed, 1 failed": true, "0 failed, 3 passed": false, "10 failed, 3 passed": true, "3 passing": false, "2 failing": true, "0 failing": false,
		"test result: FAILED. 1 passed; 1 failed": true, "test result: ok. 2 passed; 0 failed": false, "BUILD FAILED in 3s": true, "BUILD SUCCESSFUL in 3s": false,
		"FAILED (failures=1)": true, "Ran 3 tests in 0.1s: FAILED (failures=1)": true, "Ran 3 tests in 0.1s: OK": false, "FAIL\tx/a\t0.482s": true, "ok  \tx/b\t0.2s": false, "all 12 tests ok": false,
	} {
		if !testrun.IsVerdict(line) {
			t.Errorf("%q is no verdict", line)
		}
		if got := testrun.Fails(line); got != want {
			t.Errorf("%q fails: %v", line, got)
		}
	}
	for _, line := range []string{"it failed", "passed 3", "Ran 3 tests", "Testing 3 files"} {
		if testrun.IsVerdict(line) {
			t.Errorf("%q is a verdict", line)
		}
	}
}
