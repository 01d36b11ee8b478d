package store

import (
	"context"
	"strings"
)

// Usage is what a tenant has in a store.
type Usage struct {
	Threads int   // without forks
	Bytes   int64 // of content as it is kept, with what a proxy keeps beside the threads
}

// Measured is a store that knows what a tenant has in it.
type Measured interface {
	Usage(ctx context.Context, tenant string) (Usage, error)
}

// byProxy begins the Source of threads that a proxy made.
const byProxy = "proxy "

// ProxySource is the Source of a thread that a proxy makes of requests in a format.
func ProxySource(format string) string { return byProxy + format }

// ByProxy reports whether a proxy made the thread: whoever could call it may have.
func (h Head) ByProxy() bool { return strings.HasPrefix(h.Source, byProxy) }

// Format is the format that the thread was first read from.
func (h Head) Format() string { return strings.TrimPrefix(h.Source, byProxy) }
