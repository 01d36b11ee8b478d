package sqlite

import (
	"context"
	"fmt"
)

// leastFree is how many bytes must be free on the disk for a store to be ready.
const leastFree = 32 << 20

// Ready reports whether the store can be read and has room to be written; ErrFull where
// it has none.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := schemaVersion(ctx, s.r); err != nil {
		return fmt.Errorf("read store: %w", classify(err))
	}
	if free, err := s.free(s.dir); err == nil && free < leastFree {
		return fmt.Errorf("%w: %d bytes are free on its disk", ErrFull, free)
	}
	return nil
}
