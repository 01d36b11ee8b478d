package store

import (
	"context"
	"errors"
)

// LastEnvelope returns the last envelope of a thread, nil if there is none: a session file has
// none.
func LastEnvelope(ctx context.Context, s Log, k Key) ([]byte, error) {
	around, err := s.Envelope(ctx, k)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return around, err
}
