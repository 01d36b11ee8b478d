package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	if err := t.fits(slices.Concat(file[:from], file[until:])); err != nil {
		return nil, err
	}
	if ok {
		return slices.Concat(file[:from], want, file[until:]), nil
	}
	before := ""
	switch {
	case len(file) > 0 && !bytes.HasSuffix(file, []byte("\n")):
		before = eol + eol
	case len(file) > 0:
		before = eol
	}
	return slices.Concat(file, []byte(before), want), nil
}

// fits reports why the table cannot stand at the end of a file that has none of ours.
func (t table) fits(file []byte) error {
	all, err := definitions(file)
	if err != nil {
		return err
	}
	want := strings.Split(t.name, ".")
	for _, d := range all {
		n := min(len(d.path), len(want))
		switch {
		case !slices.Equal(d.path[:n], want[:n]):
		case n == len(want):
			return fmt.Errorf("%s: %w", t.name, errOther)
		case !d.table:
			return fmt.Errorf("%s is a value, to which no table can be added: write it as [%[1]s]", strings.Join(d.path, "."))
		}
	}
	return nil
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
