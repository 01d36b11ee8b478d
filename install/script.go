package install

import (
	"bytes"
	"errors"
)

// script is a whole file of ours. Every form of it has the mark.
type script struct{ what, text, mark string }

func (s script) String() string { return s.what }

// written begins files that lie among those of others.
const written = "// Written by precis install; precis uninstall removes it."

// errForeign says that a file of that name is somebody else's.
var errForeign = errors.New("there is a file of that name that precis did not write: move it away first")

func (s script) add(file []byte) ([]byte, error) {
	if file != nil && !bytes.Contains(file, []byte(s.mark)) {
		return nil, errForeign
	}
	return []byte(s.text), nil
}

func (s script) remove(file []byte) ([]byte, error) {
	if bytes.Contains(file, []byte(s.mark)) {
		return nil, nil
	}
	return file, nil
}
