package message

import "strings"

// derived begins the ids that a codec gives to calls which have none of their own.
const derived = "~"

// DerivedID returns the id of a call to which its provider gave none. The provider tells
// such calls apart by their place, so the same id may come again in a later turn.
func DerivedID(name string) string { return derived + name }

// IsDerivedID reports whether DerivedID made an id.
func IsDerivedID(id string) bool { return strings.HasPrefix(id, derived) }
