//go:build invariants

package precis_test

// verifies: each turn is checked against the laws, which counts all of it again.
const verifies = true
