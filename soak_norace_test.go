//go:build !race

package precis_test

// soakDefault is how many turns TestSoak has where no flag says it.
const soakDefault = 300
