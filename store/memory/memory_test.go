package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// SPEC: V1, V8, L16, L17, L18
func TestContract(t *testing.T) {
	open := func(t *testing.T) store.Store { return memory.New() }
	storetest.Run(t, open)
	storetest.RunPlain(t, open)
}
