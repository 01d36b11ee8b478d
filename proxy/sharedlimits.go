package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/store"
)

// sharedLimits is the place in a store where all nodes keep the limits that answers
// taught. Of two nodes that write at the same moment the last one's stay; the other's
// are written again when they are next confirmed.
type sharedLimits struct{ store store.Summaries }

// SharedLimits returns the place of Limits.Shared in a store.
func SharedLimits(s store.Summaries) limits.Place { return sharedLimits{s} }

// The limits lie among the cached summaries of a tenant that no key can name.
const (
	limitsTenant = "\nlimits"
	limitsKey    = "limits"
	limitsTime   = 500 * time.Millisecond // of a call: a request may wait for it
)

// Read implements limits.Place.
func (p sharedLimits) Read() (data []byte, version string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limitsTime)
	defer cancel()
	data, err = p.store.Summary(ctx, limitsTenant, limitsKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return data, versionOf(data), nil
}

// Version implements limits.Place.
func (p sharedLimits) Version() (string, error) {
	_, version, err := p.Read()
	return version, err
}

// Write implements limits.Place.
func (p sharedLimits) Write(data []byte) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limitsTime)
	defer cancel()
	return versionOf(data), p.store.PutSummary(ctx, limitsTenant, limitsKey, data, time.Now())
}

func versionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
