package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// blank lists the bytes that may surround a record. NUL bytes are what a crash leaves of
// blocks that were never written.
const blank = " \t\r\n\x00"

// line is one record: a line of a file, or an element of an array.
type line struct {
	no     int // 1-based
	offset int
	raw    []byte // never empty, without what surrounds it
	cut    bool   // the last line, without its newline
}

// lines splits data into its non-blank lines.
func lines(data []byte) []line {
	ls := make([]line, 0, bytes.Count(data, []byte{'\n'})+1)
	for no, at := 1, 0; at < len(data); no++ {
		end := bytes.IndexByte(data[at:], '\n')
		l := line{no: no, offset: at, cut: end < 0}
		next := at + end + 1
		if end < 0 {
			end, next = len(data)-at, len(data)
		}
		l.raw = data[at : at+end : at+end]
		if l.trim(); len(l.raw) > 0 {
			ls = append(ls, l)
		}
		at = next
	}
	return ls
}

// trim removes what surrounds the record, and all of a line that is blank. A
// line of NULs alone is not blank: something was to be written there.
func (l *line) trim() {
	kept := bytes.TrimLeft(l.raw, blank)
	if len(kept) == 0 && bytes.IndexByte(l.raw, 0) >= 0 {
		return
	}
	l.offset += len(l.raw) - len(kept)
	l.raw = bytes.TrimRight(kept, blank)
}

// object decodes a record into v, a pointer to a struct.
func (l line) object(v any) error {
	if l.raw[0] != '{' {
		return errors.New("not a JSON object")
	}
	return decode(l.raw, v)
}

// decode is json.Unmarshal for records of others: a field of another type
// than we know is as good as absent, and no reason to lose the record.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return nil
	}
	return err
}

// slashed joins the levels of a record's type: "system/compact_boundary".
func slashed(levels ...string) string {
	var at []string
	for _, l := range levels {
		if l != "" {
			at = append(at, l)
		}
	}
	return strings.Join(at, "/")
}
