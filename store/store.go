// Package store is the contract of what Précis keeps: the log, the plans, the
// artifacts, and a cache of summaries.
//
// Use: store/sqlite for one file, which it seals where it is given keys, store/memory for
// tests and short lives, store/sealed for artifacts encrypted in any other store. Law: the
// log is append-only and every commit is all or nothing; only Erasures remove content, and
// leave a tombstone. Promise: store/storetest proves the same behaviour of every implementation.
//
// Implementations are safe for concurrent use. What they are given they copy or
// write before they return, and what they return is the caller's own: changing
// either never changes the store. Times come back in UTC.
package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	// ErrFull: the disk, or the size allowed, is used up.
	ErrFull = errors.New("no space left for the store")
	// ErrErased: the content was removed on purpose; errors.As with
	// *ErasedError gives the time, the person and the reason.
	ErrErased = errors.New("content was erased")
)

// Key names a thread within its tenant. One tenant never sees another's. Both
// names may hold any bytes.
type Key struct {
	Tenant string // "" is the default tenant
	Thread string
}

// Upstream returns the key under which a proxy keeps, beside the log, the messages
// that only the provider sees. It is of a tenant of its own, so that no list of
// threads shows it and no client's key can equal it.
func (k Key) Upstream() Key {
	return Key{Tenant: k.Tenant + "\nupstream", Thread: k.Thread}
}

// Answers returns the key of the replies to a thread as the provider sent them; like
// Upstream it is of a tenant of its own. Its envelope holds the name that a person gave
// the thread, if any did.
func (k Key) Answers() Key {
	return Key{Tenant: k.Tenant + answers, Thread: k.Thread}
}

const answers = "\nanswers"

// IsAnswers reports whether k is a key that Answers returned.
func (k Key) IsAnswers() bool { return strings.HasSuffix(k.Tenant, answers) }

// Beside reports whether k stands beside a thread: Upstream or Answers returned it.
func (k Key) Beside() bool { return strings.Contains(k.Tenant, "\n") }

// Head describes a thread without its entries.
type Head struct {
	Key         Key
	Tip         thread.ID
	Len         int    // entries
	PlanVersion int    // 0 = no plan; a fork starts at 0, whatever its parent has
	Source      string // format the thread was first read from, see Format and ByProxy
	Parent      string // thread it was forked from, "" if none
	Created     time.Time
	Updated     time.Time // Now of the last batch, or CreatedAt of the last plan if that is later
}

// Batch is one durable addition to a thread. A batch without entries may still
// bring variants or an envelope, or make an empty thread.
type Batch struct {
	// Tip is the thread's tip as the caller knows it; "" for a new thread.
	Tip thread.ID
	// ForkOf and At make a new thread that shares the entries of ForkOf up to
	// and including At. Tip must be "" then. At "" shares no entry and only
	// names the parent.
	ForkOf  string
	At      thread.ID
	Entries []thread.Entry
	// Variants are other raw forms of entries already stored or in this batch. A form that
	// is already kept is not kept twice.
	Variants []Variant
	// Envelope is the request around the messages, as it came; nil keeps the
	// last. A fork that brings none starts with its parent's last.
	Envelope []byte
	Source   string // used when the thread is new; "" in a fork: its parent's
	Now      time.Time
}

// Addition is a batch with the thread it goes to.
type Addition struct {
	Key   Key
	Batch Batch
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

// InfoOf is the info of a plan.
func InfoOf(p *plan.Plan) PlanInfo {
	return PlanInfo{
		Version: p.Version, Base: p.Base, Policy: p.Policy, Original: p.Original, Compacted: p.Compacted,
		Records: len(p.Records), Created: p.CreatedAt,
	}
}

// Log keeps threads.
type Log interface {
	// Head returns ErrNotFound for an unknown thread.
	Head(ctx context.Context, k Key) (Head, error)
	// Heads lists a tenant's threads, last updated first, then by name.
	Heads(ctx context.Context, tenant string) ([]Head, error)
	// Load returns the whole branch, first entry to tip; ErrNotFound for an
	// unknown thread. Of an erased entry only a tombstone is left, see
	// Erasures.
	Load(ctx context.Context, k Key) ([]thread.Entry, error)
	// Append adds a batch in one durable transaction and returns the new head.
	// On an error nothing is written.
	//
	// ErrStale when the tip is not b.Tip, or when a fork's key is taken;
	// ErrForeign when the entries do not chain from it, or when At is not an
	// entry of ForkOf; ErrNotFound when ForkOf is no thread of the tenant, or
	// a variant names no entry of the thread.
	//
	// Append is idempotent: when the thread already ends in the batch's
	// entries, the head comes back without an error, and what the repeat
	// brings beyond the first (a raw form, an envelope) is kept. Two writers
	// that race with the same messages so both succeed; the loser's raw forms
	// become variants.
	Append(ctx context.Context, k Key, b Batch) (Head, error)
	// Variants returns the other raw forms of an entry, oldest first, none if
	// there are none. They belong to the entry: threads that share it see the
	// same. An erased entry has none, and what is brought for it later is not
	// kept. ErrNotFound when the thread has no such entry.
	Variants(ctx context.Context, k Key, id thread.ID) ([]Variant, error)
	// Envelope returns the last envelope, ErrNotFound if there is none.
	Envelope(ctx context.Context, k Key) ([]byte, error)
}

// Plans keeps every version of every thread's plan.
type Plans interface {
	// Plan returns the current plan, ErrNotFound if there is none.
	Plan(ctx context.Context, k Key) (*plan.Plan, error)
	// PlanAt returns one version, ErrNotFound if there is none.
	PlanAt(ctx context.Context, k Key, version int) (*plan.Plan, error)
	// PlanVersions lists all versions, oldest first; ErrNotFound for an
	// unknown thread.
	PlanVersions(ctx context.Context, k Key) ([]PlanInfo, error)
	// Commit makes p, with its new artifacts, the current plan if the current
	// version is p.Version-1; otherwise ErrStale and nothing is written. Base,
	// every id a record spans and every artifact's Source must be entries of
	// the thread (ErrForeign); ErrNotFound for an unknown thread.
	//
	// A record's id tells its span, as that of plan.Build does: records of a tenant that are
	// equal but for their spans may be kept once, and erasing an entry under one of them
	// then leaves what they say.
	//
	// Committing the current version again, equal in every field, is no error.
	// An artifact id committed again with other content
	// or metadata (sealed with another key, say) takes the place of the
	// earlier one in reading. What was erased stays so: of an erased artifact,
	// or one from an erased entry, only the metadata is kept.
	Commit(ctx context.Context, k Key, p *plan.Plan, artifacts []artifact.Artifact) error
}

// Artifacts reads externalized content. A thread sees its own artifacts, and
// of the threads it was forked from those whose Source it shares. Until Expire
// is called, expiry is for the reader to judge: a store has no clock.
type Artifacts interface {
	// Artifact returns content and metadata, ErrNotFound if the thread has no
	// such artifact, ErrErased if its content is gone.
	Artifact(ctx context.Context, k Key, id string) (artifact.Artifact, error)
	// ArtifactList returns metadata of all artifacts of a thread, erased ones
	// too, Content nil, ordered by the position of their source, part and id.
	ArtifactList(ctx context.Context, k Key) ([]artifact.Artifact, error)
}

// MaxSummaries is how many summaries a tenant's cache holds. One more drops the
// one that was put longest ago.
const MaxSummaries = 1024

// Summaries caches what models wrote, by a key that names everything it depends on.
// Threads of a tenant share it, tenants do not. Anything in it may be gone the next
// time.
type Summaries interface {
	// Summary returns what was last put under the key, ErrNotFound if there is
	// nothing.
	Summary(ctx context.Context, tenant, key string) ([]byte, error)
	// PutSummary keeps data under the key, in place of what was there.
	PutSummary(ctx context.Context, tenant, key string, data []byte, now time.Time) error
}

// Store is the whole contract.
type Store interface {
	Log
	Plans
	Artifacts
	Erasures
	Summaries
	// Close releases everything. The store is of no use after it.
	Close() error
}

// Check reports whether the batch is sound in itself: its entries follow each
// other from Tip, or At for a fork, and every id is derived from its parent
// and digest. It returns ErrForeign if not, and ErrErased for an entry that is
// only a tombstone. Bodies are not hashed again.
func (b Batch) Check() error {
	if b.ForkOf != "" && b.Tip != "" {
		return fmt.Errorf("check batch: fork with a tip: %w", ErrForeign)
	}
	if b.ForkOf == "" && b.At != "" {
		return fmt.Errorf("check batch: fork point without a parent thread: %w", ErrForeign)
	}
	parent := b.Tip
	if b.ForkOf != "" {
		parent = b.At
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.Parent != parent || e.ID != thread.Chain(parent, e.Digest) {
			return fmt.Errorf("check batch: entry %d (%s): %w", i, e.ID, ErrForeign)
		}
		if e.Erased {
			return fmt.Errorf("check batch: entry %d (%s): %w", i, e.ID, ErrErased)
		}
		parent = e.ID
	}
	return nil
}

// Last is the tip of a thread that holds the batch.
func (b Batch) Last() thread.ID {
	if n := len(b.Entries); n > 0 {
		return b.Entries[n-1].ID
	}
	if b.ForkOf != "" {
		return b.At
	}
	return b.Tip
}
