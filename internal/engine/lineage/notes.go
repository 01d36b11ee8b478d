package lineage

import (
	"encoding/json"
	"fmt"

	"github.com/seed-3db51b0e/precis/thread"
)

// Note tells another process of a reply, without its words.
type Note struct {
	Head    string    `json:"head"` // digest of how it begins
	Sum     string    `json:"sum"`  // digest of all of it
	Letters int       `json:"letters"`
	Thread  string    `json:"thread"`
	Tip     thread.ID `json:"tip"`
}

// MaxNotes is how many notes of a user's are kept for others.
const MaxNotes = 32

// NotesKey is the name under which the notes of a user lie.
func NotesKey(user string) string { return "replies of " + digest(user) }

// Join adds notes to those that lie in data, and leaves out the oldest of too many.
func Join(data []byte, notes []Note) ([]byte, error) {
	all, err := ReadNotes(data)
	if err != nil {
		all = nil // another program's
	}
	all = append(all, notes...)
	data, err = json.Marshal(all[max(0, len(all)-MaxNotes):])
	if err != nil {
		return nil, fmt.Errorf("write notes: %w", err)
	}
	return data, nil
}

// ReadNotes reads what Join wrote; nothing holds no notes.
func ReadNotes(data []byte) (notes []Note, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(data, &notes); err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return notes, nil
}
