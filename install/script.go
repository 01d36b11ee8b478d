package install

import (
	"bytes"
	_ "embed"
	"errors"
	"strings"
)

// script is a whole file of ours.
type script struct{ what, text string }

func (s script) String() string { return s.what }

// mark is the beginning of every file of ours.
const mark = "// Written by precis install; precis uninstall removes it."

// errForeign says that a file of that name is somebody else's.
var errForeign = errors.New("there is a file of that name that precis did not write: move it away first")

func (s script) add(file []byte) ([]byte, error) {
	if file != nil && !bytes.HasPrefix(file, []byte(mark)) {
		return nil, errForeign
	}
	return []byte(s.text), nil
}

func (s script) remove(file []byte) ([]byte, error) {
	if bytes.HasPrefix(file, []byte(mark)) {
		return nil, nil
	}
	return file, nil
}

//go:embed pi.ts
var piExtension string

// piScript is the extension of pi, with the program that it calls.
func piScript(program string) string {
	path, err := marshal(program)
	if err != nil {
		path = []byte(`"precis"`)
	}
	return strings.ReplaceAll(piExtension, `"PRECIS"`, string(path))
}
