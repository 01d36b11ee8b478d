//go:build race

package precis_test

// soakDefault is how many turns TestSoak has: a taste under the race detector.
const soakDefault = 60
