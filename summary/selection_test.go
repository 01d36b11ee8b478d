package summary_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
)

// SPEC: B18. A later run speaks of an error only where it picks all the tests that the run with the
// error picked: by the same pattern, by name, or by no choice at all.
func TestRunsCoverWhatTheyPick(t *testing.T) {
	for _, c := range []struct {
		failed, later string
		want          bool
	}{
		{"go test -run=TestA ./x", "go test -run=TestB ./x", false},
		{"go test -run TestA ./x", "go test -run TestB ./x", false},
		{"go test -run TestA ./x", "go test -v -run=TestA ./x", true},
		{"go test -run TestA ./x", "go test ./x", true},
		{"go test ./x", "go test -run TestA ./x", false},
		{"jest -t logout", "jest -t login", false},
		{"jest -t 'logs out'", "jest -t 'logs in'", false},
		{"jest -t 'logs out'", `jest --testNamePattern="logs out"`, true},
		{"mocha --grep out", "mocha --grep in", false},
		{"pytest a.py -k out", "pytest a.py -k in", false},
		{"pytest a.py -k out", "pytest a.py -k out -v", true},
		{"pytest a.py::test_xy", "pytest a.py::test_x", false},
		{"pytest a.py::test_x", "pytest ./a.py::test_x -v", true},
		{"pytest a.py::T::test_x", "pytest a.py::T", true},
		{"pytest a.py::T", "pytest a.py::T::test_x", false},
		{"pytest 'a.py::test_x[1]'", "pytest a.py::test_x", true},
		{"pytest a.py::test_x", "pytest a.py::test_x a.py::test_y", true},
		{"pytest a.py::test_x a.py::test_y", "pytest a.py::test_x", false},
		{"pytest a.py::T", "pytest a.py::T -k x", false},
		{"pytest a.py", "pytest a.py::test_x", false},
		{"make a", "make a", true},
		{"make a b", "make a", false},
		{"cargo test name", "cargo test other", false},
		{"cargo test name", "cargo test name -- --nocapture", true},
		{"cargo test name", "cargo test", true},
		{"cargo test", "cargo test name", false},
		{"go test ./x ./y", "go test ./x", false},
		{"go test ./x", "go test -count 1 ./x ./y", true},
		{"go test ./x/z", "go test ./x/...", true},
		{"go test ./x", "go vet ./x", false},
		{"npm run check", "npm run build", false},
		{"npm run check", "CI=1 npm run check --silent", true},
		{"npm test", "npm test -- a.test.ts", false},
		{"pytest a.py b.py", "pytest a.py", false},
		{"pytest -n 4 a.py", "python -m pytest a.py b.py", true},
		{"pytest a.py", "pytest a.py -m fast", false},
		{"npm run check && npm run build", "npm run build", false},
		{"npm run build", "npm run check && npm run build", true},
		{"python a.py; python b.py", "python a.py", false},
		{"python a.py 1", "timeout 9 python a.py 2 | tail", true},
	} {
		f := summary.Failure{Command: c.failed}
		if got := f.CoveredBy(c.later); got != c.want {
			t.Errorf("%q is covered by %q: %v", c.failed, c.later, got)
		}
	}
	f := summary.Failure{Test: "a.py::test_xy"}
	for line, want := range map[string]bool{"pytest a.py::test_x": false, "pytest './a.py::test_xy' -v": true, "pytest a.py::test_xy -k z": false, "pytest a.py": false} {
		if got := f.TestedBy(line); got != want {
			t.Errorf("%q tests %s: %v", line, f.Test, got)
		}
	}
}
