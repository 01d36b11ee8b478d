package proxy

import (
	"context"

	"github.com/seed-3db51b0e/precis/internal/keylock"
)

// maxLight is how many messages a request may have that never waits for another.
const maxLight = 5_000

// heavy has requests with many messages prepared one at a time; those of one tenant wait
// for each other first, so that tenants take turns.
type heavy struct {
	tenants keylock.Locks[string]
	one     keylock.Locks[struct{}]
}

// turn waits until a request may be prepared, and returns what ends that. The error is
// the context's.
func (h *heavy) turn(ctx context.Context, tenant string, messages int) (end func(), err error) {
	if messages <= maxLight {
		return func() {}, nil
	}
	leave, err := h.tenants.Lock(ctx, tenant)
	if err != nil {
		return nil, err
	}
	done, err := h.one.Lock(ctx, struct{}{})
	if err != nil {
		leave()
		return nil, err
	}
	return func() { done(); leave() }, nil
}
