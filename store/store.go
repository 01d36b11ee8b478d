// Package store is the contract of what Précis keeps: the log, the plans, the
// artifacts.
//
// Use: store/sqlite for one file, store/memory for tests and short lives. Law:
// the log is append-only and every commit is all or nothing (SPEC V1, L17).
// Promise: store/storetest proves the same behaviour of every implementation.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Errors callers branch on.
var (
	// ErrNotFound: no such thread, entry, plan or artifact for this key.
	ErrNotFound = errors.New("not found")
	// ErrStale: the tip or plan version moved since the caller read it.
	ErrStale = errors.New("stale version")
	// ErrForeign: the entries or plan belong to another line of the log.
	ErrForeign = errors.New("foreign lineage")
)

// Key names a thread within its tenant. One tenant never sees another's.
type Key struct {
	Tenant string // "" is the default tenant
	Thread string
}

// Head is what is known of a thread without reading it.
type Head struct {
	Key         Key
	Tip         thread.ID
	Len         int    // entries
	PlanVersion int    // 0 = no plan
	Source      string // format the thread was first read from
	Parent      string // thread it was forked from, "" if none
	Created     time.Time
	Updated     time.Time
}

// Batch is one durable addition to a thread.
type Batch struct {
	// Tip is the thread's tip as the caller knows it; "" for a new thread.
	Tip thread.ID
	// ForkOf and At make a new thread that shares the entries of ForkOf up to
	// and including At. Tip must be "" then.
	ForkOf  string
	At      thread.ID
	Entries []thread.Entry
	// Variants are other raw forms of entries already stored (SPEC V1).
	Variants []Variant
	// Envelope is the request around the messages, as it came; nil keeps the last.
	Envelope []byte
	Source   string // used when the thread is new
	Now      time.Time
}

// Variant is another raw form that an entry came in.
type Variant struct {
	ID      thread.ID
	Raw     []byte
	Dialect string
}

// PlanInfo is a plan version without its records.
type PlanInfo struct {
	Version   int
	Base      thread.ID
	Policy    string
	Original  int
	Compacted int
	Records   int
	Created   time.Time
}

// Log keeps threads.
type Log interface {
	// Head returns ErrNotFound for an unknown thread.
	Head(ctx context.Context, k Key) (Head, error)
	// Heads lists a tenant's threads, last updated first.
	Heads(ctx context.Context, tenant string) ([]Head, error)
	// Load returns the whole branch, first entry to tip.
	Load(ctx context.Context, k Key) ([]thread.Entry, error)
	// Append adds a batch in one durable transaction and returns the new head.
	// ErrStale when the tip is not b.Tip (then nothing is written); ErrForeign
	// when the entries do not chain from it.
	Append(ctx context.Context, k Key, b Batch) (Head, error)
	// Variants returns the other raw forms of an entry, oldest first.
	Variants(ctx context.Context, k Key, id thread.ID) ([]Variant, error)
	// Envelope returns the last envelope, ErrNotFound if there is none.
	Envelope(ctx context.Context, k Key) ([]byte, error)
}

// Plans keeps every version of every thread's plan.
type Plans interface {
	// Plan returns the current plan, ErrNotFound if there is none.
	Plan(ctx context.Context, k Key) (*plan.Plan, error)
	PlanAt(ctx context.Context, k Key, version int) (*plan.Plan, error)
	// PlanVersions lists all versions, oldest first.
	PlanVersions(ctx context.Context, k Key) ([]PlanInfo, error)
	// Commit makes p, with its new artifacts, the current plan if the current
	// version is p.Version-1; otherwise ErrStale and nothing is written. Base
	// must be an entry of the thread (ErrForeign).
	Commit(ctx context.Context, k Key, p *plan.Plan, artifacts []artifact.Artifact) error
}

// Artifacts reads externalized content.
type Artifacts interface {
	// Artifact returns content and metadata, ErrNotFound if the thread has no
	// such artifact.
	Artifact(ctx context.Context, k Key, id string) (artifact.Artifact, error)
	// ArtifactList returns metadata of all artifacts of a thread, Content nil.
	ArtifactList(ctx context.Context, k Key) ([]artifact.Artifact, error)
}

// Store is the whole contract.
type Store interface {
	Log
	Plans
	Artifacts
	Close() error
}
