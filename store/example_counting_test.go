package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// counting is a store that counts the plans committed to the one beneath it.
// What it does not define is that store's.
type counting struct {
	store.Store
	commits atomic.Int64
}

func (c *counting) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	err := c.Store.Commit(ctx, k, p, artifacts)
	if err == nil {
		c.commits.Add(1)
	}
	return err
}

// A store of one's own may be another store with something around it. The suite
// of package storetest says whether it still keeps the contract:
//
//	func TestContract(t *testing.T) {
//		storetest.Run(t, func(*testing.T) store.Store { return &counting{Store: memory.New()} })
//	}
func Example_wrapper() {
	st := &counting{Store: memory.New()}
	engine, err := precis.New(precis.Options{Store: st})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	var history []message.Message
	for i := range 60 {
		history = append(history, message.TextOf(message.User, fmt.Sprintf("Chapter %d, please.", i)))
		if _, err := engine.Prepare(context.Background(), precis.Input{Thread: "t", Messages: history, Budget: 2000}); err != nil {
			panic(err)
		}
		history = append(history, message.TextOf(message.Assistant, strings.Repeat("call me Ishmael; ", 20)))
	}
	fmt.Println("requests: 60, plans:", st.commits.Load())
	// Output:
	// requests: 60, plans: 7
}
