package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// table is a table of ours at the end of a TOML file, between two comments that tell it
// from others.
type table struct {
	name   string
	fields object
}

func (t table) String() string { return t.name }

// The comments around a table.
const (
	begins = "# precis install: begin"
	ends   = "# precis install: end"
)

// errOther says that the file has a table of the name that is not ours.
var errOther = errors.New("there is a table of that name already: take it out first")

func (t table) text(eol string) ([]byte, error) {
	lines := []string{begins, "[" + t.name + "]"}
	for _, f := range t.fields {
		v, err := inTOML(f.value)
		if err != nil {
			return nil, err
		}
		lines = append(lines, f.name+" = "+v)
	}
	return []byte(strings.Join(append(lines, ends), eol) + eol), nil
}

// inTOML is a text, or an array of texts. A text is the same as in JSON.
func inTOML(value any) (string, error) {
	all, ok := value.([]any)
	if !ok {
		text, err := marshal(value)
		return string(text), err
	}
	var texts []string
	for _, v := range all {
		text, err := inTOML(v)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return "[" + strings.Join(texts, ", ") + "]", nil
}

// find is where the table stands in a file, with the empty line before it.
func (t table) find(file []byte) (from, until int, ok bool) {
	from = bytes.Index(file, []byte(begins))
	if from < 0 {
		return 0, 0, false
	}
	n := bytes.Index(file[from:], []byte(ends))
	if n < 0 {
		return 0, 0, false
	}
	until = from + n + len(ends)
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(file[until:], []byte(eol)) {
			until += len(eol)
			break
		}
	}
	return from, until, true
}

func (t table) add(file []byte) ([]byte, error) {
	eol := "\n"
	if bytes.Contains(file, []byte("\r\n")) {
		eol = "\r\n"
	}
	want, err := t.text(eol)
	if err != nil {
		return nil, err
	}
	from, until, ok := t.find(file)
	rest := slices.Concat(file[:from], file[until:])
	with := slices.Concat(file[:from], want, file[until:])
	if !ok {
		with = slices.Concat(file, []byte(lineBefore(file, eol)), want)
	}
	if err := t.fits(rest, with); err != nil {
		return nil, err
	}
	return with, nil
}

// lineBefore returns what stands between a file and the table at its end.
func lineBefore(file []byte, eol string) string {
	switch {
	case len(file) > 0 && !bytes.HasSuffix(file, []byte("\n")):
		return eol + eol
	case len(file) > 0:
		return eol
	}
	return ""
}

// fits reports why the table cannot stand at the end of a file that has none of ours; with is that
// file and the table.
func (t table) fits(file, with []byte) error {
	have, err := decodeTOML(file)
	if err != nil {
		return err
	}
	names := strings.Split(t.name, ".")
	last := len(names) - 1
	for _, name := range names[:last] {
		have, _ = have[name].(map[string]any) // nil has no member
	}
	if _, ok := have[names[last]]; ok {
		return fmt.Errorf("%s: %w", t.name, errOther)
	}
	if _, err := decodeTOML(with); err != nil {
		return noPlaceError{fmt.Errorf("add table %s: %w: write what stands above it as [%s]", t.name, err, strings.Join(names[:last], "."))}
	}
	return nil
}

// byteOrderMark is what editors of Windows begin files with.
var byteOrderMark = []byte("\ufeff")

// decodeTOML reads a TOML file, which may begin with a byte order mark; its error names the line.
func decodeTOML(file []byte) (all map[string]any, err error) {
	err = toml.Unmarshal(bytes.TrimPrefix(file, byteOrderMark), &all)
	if bad := new(toml.DecodeError); errors.As(err, &bad) {
		line, _ := bad.Position()
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return all, err
}

func (t table) remove(file []byte) ([]byte, error) {
	from, until, ok := t.find(file)
	if !ok {
		return file, nil
	}
	for _, eol := range []string{"\r\n", "\n"} { // the empty line that add put before it
		if bytes.HasSuffix(file[:from], []byte(eol+eol)) {
			from -= len(eol)
			break
		}
	}
	return slices.Concat(file[:from], file[until:]), nil
}
