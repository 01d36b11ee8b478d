//go:build !invariants

package precis_test

// verifies: see verify_on_test.go.
const verifies = false
