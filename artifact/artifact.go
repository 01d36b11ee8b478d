// Package artifact describes externalized content: what was taken out of a
// prompt and can be read back.
//
// Use: Of names content, a store keeps it. Law: an id means nothing outside its
// tenant and thread. Promise: the same content in the same thread
// has the same id, so pointers are cache-stable.
package artifact

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// Sensitivity limits who reads content, and what is rehydrated automatically.
type Sensitivity string

// The levels; the zero value counts as Internal.
const (
	Public       Sensitivity = "public"
	Internal     Sensitivity = "internal"
	Confidential Sensitivity = "confidential"
	Restricted   Sensitivity = "restricted"
)

// Validate returns an error that names the levels there are, nil for one of them or "".
func (s Sensitivity) Validate() error {
	switch s {
	case "", Public, Internal, Confidential, Restricted:
		return nil
	}
	return fmt.Errorf("%q: there are public, internal, confidential, restricted", string(s))
}

// Artifact is one piece of externalized content.
type Artifact struct {
	ID          string // "a" and 12 hex digits
	Source      thread.ID
	Part        int // of Source, counted from 1; 0 = the whole message
	Tool        string
	MediaType   string // "text/plain" when empty
	Created     time.Time
	TTL         time.Duration // 0 = never expires
	KeyID       string        // of the key that Content is sealed with, "" when it is not; in a list, as it is stored
	Sensitivity Sensitivity
	Content     []byte
	// Tenant and Thread name where it was committed. A store sets them on
	// reading and ignores them on writing.
	Tenant, Thread string
	// Erased is the tombstone of removed Content, nil while it is there. A store
	// sets it on reading and ignores it on writing.
	Erased *Tombstone
}

// Expired reports whether TTL has passed since Created.
func (a Artifact) Expired(now time.Time) bool {
	return a.TTL > 0 && now.After(a.Created.Add(a.TTL))
}

// The reasons a store gives where nobody named another.
const (
	ReasonErased  = "erased"
	ReasonExpired = "expired"
)

// Tombstone stands where content was removed for good.
type Tombstone struct {
	At     time.Time
	By     string // who did it, "" when nobody is named
	Reason string // ReasonErased when empty
}

// String is one line: "erased on 2030-01-02 03:04:05 UTC by ann: held a password".
func (t Tombstone) String() string {
	verb, why := ReasonErased, ": "+t.Reason
	if t.Reason == "" || t.Reason == ReasonErased {
		why = ""
	}
	if t.Reason == ReasonExpired {
		verb, why = ReasonExpired, ""
	}
	by := ""
	if t.By != "" {
		by = " by " + t.By
	}
	return verb + " on " + t.At.UTC().Format(time.DateTime) + " UTC" + by + why
}

// Of names content externalized from a part of an entry. The id follows from
// the entry (and so from the thread's whole prefix) and the part.
func Of(source thread.ID, part int, content []byte) Artifact {
	h := sha256.New()
	h.Write([]byte{0x02, byte(part)})
	h.Write([]byte(source))
	h.Write(content)
	return Artifact{
		ID:      ref.ArtifactID(h.Sum(nil)),
		Source:  source,
		Part:    part,
		Content: content,
	}
}
