package install

import (
	"bytes"
	"errors"
)

// script is a whole file of ours. A file is one of its forms if it is the text, has the
// mark, or lies in a folder that is ours; with mark "" none has it.
type script struct {
	what, text, mark string
	inOurs           bool
}

func (s script) String() string { return s.what }

// written begins files that lie among those of others.
const written = "// Written by precis install; precis uninstall removes it."

// errForeign is of a file of that name that is somebody else's.
var errForeign = errors.New("there is a file of that name that precis did not write: move it away first")

// ours reports whether a file may be replaced or removed.
func (s script) ours(file []byte) bool {
	return s.inOurs || string(file) == s.text || s.mark != "" && bytes.Contains(file, []byte(s.mark))
}

func (s script) add(file []byte) ([]byte, error) {
	if file != nil && !s.ours(file) {
		return nil, errForeign
	}
	return []byte(s.text), nil
}

func (s script) remove(file []byte) ([]byte, error) {
	if s.ours(file) {
		return nil, nil
	}
	return file, nil
}
