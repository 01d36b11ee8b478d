package schema

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Lines judges one body a line, {"provider": …, "body": …}, provider as in
// Check, and writes a line for each that is refused: its number, counted from
// 1, its provider and why. It returns how many were read and how many refused.
// A line that is not of this form counts as refused.
func Lines(r io.Reader, w io.Writer) (read, refused int, err error) {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			read++
			if fault := checkLine(line); fault != nil {
				refused++
				if _, err := fmt.Fprintf(w, "%d: %v\n", n, fault); err != nil {
					return read, refused, fmt.Errorf("write fault: %w", err)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return read, refused, nil
		}
		if err != nil {
			return read, refused, fmt.Errorf("read line %d: %w", n, err)
		}
	}
}

func checkLine(line []byte) error {
	var v struct {
		Provider string
		Body     json.RawMessage
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return fmt.Errorf("not a line: %w", err)
	}
	if err := Check(v.Provider, v.Body); err != nil {
		return fmt.Errorf("%s: %w", v.Provider, err)
	}
	return nil
}
