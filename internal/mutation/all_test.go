//go:build faults

package mutation_test

func init() { all = true }
