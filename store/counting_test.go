package store_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// The store of the example keeps the contract.
//
// SPEC: L17
func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return &counting{Store: memory.New()} })
}
