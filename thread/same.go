package thread

import "github.com/seed-3db51b0e/precis/message"

// sameMessage reports whether two messages are equal in everything a digest reads. Texts
// that share memory compare at once, so a client that sends its history again
// pays little for what has not changed.
func sameMessage(a, b *message.Message) bool {
	return a.Role == b.Role && a.Name == b.Name && sameParts(a.Parts, b.Parts)
}

func sameParts(a, b []message.Part) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !samePart(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

func samePart(a, b *message.Part) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.CallID == b.CallID && a.Name == b.Name && a.Args == b.Args &&
		a.Failed == b.Failed && a.URL == b.URL && sameParts(a.Parts, b.Parts) && sameRaw(a, b)
}

// sameRaw compares the raw JSON of parts whose digest reads it.
func sameRaw(a, b *message.Part) bool {
	if a.Kind != message.Media && a.Kind != message.Opaque && a.Kind != message.Fixed {
		return true
	}
	return string(a.Raw) == string(b.Raw)
}
