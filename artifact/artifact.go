// Package artifact describes externalized content: what was taken out of a
// prompt and can be read back.
//
// Use: Of names content, a store keeps it. Law: an id means nothing outside its
// tenant and thread (SPEC V10). Promise: the same content in the same thread
// has the same id, so pointers are cache-stable.
package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/seed-3db51b0e/precis/thread"
)

// Sensitivity gates automatic rehydration (SPEC L15).
type Sensitivity string

// The levels; the zero value counts as Internal.
const (
	Public       Sensitivity = "public"
	Internal     Sensitivity = "internal"
	Confidential Sensitivity = "confidential"
	Restricted   Sensitivity = "restricted"
)

// Artifact is one piece of externalized content.
type Artifact struct {
	ID          string // "a" and 12 hex digits
	Source      thread.ID
	Part        int // of Source, counted from 1; 0 = the whole message
	Tool        string
	MediaType   string // "text/plain" when empty
	Created     time.Time
	TTL         time.Duration // 0 = never expires
	KeyID       string        // of the sealing key, "" when not sealed
	Sensitivity Sensitivity
	Content     []byte
}

// Of names content externalized from a part of an entry. The id follows from
// the entry (and so from the thread's whole prefix) and the part.
func Of(source thread.ID, part int, content []byte) Artifact {
	h := sha256.New()
	h.Write([]byte{0x02, byte(part)})
	h.Write([]byte(source))
	h.Write(content)
	return Artifact{
		ID:      "a" + hex.EncodeToString(h.Sum(nil)[:6]),
		Source:  source,
		Part:    part,
		Content: content,
	}
}
