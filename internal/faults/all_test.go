//go:build faults

package faults_test

func init() { all = true }
