package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// WriteOptions say in which form a conversation is written.
type WriteOptions struct {
	// Raw writes the exact bytes of every record instead of one JSON value a line.
	Raw bool
	// Envelope is the request around the messages, nil for none: with Raw, the request is
	// written whole. Source is its format.
	Envelope []byte
	Source   string
}

// Write writes messages as they came.
func Write(w io.Writer, ms []message.Message, o WriteOptions) error {
	if o.Raw && o.Envelope != nil {
		var raws [][]byte
		for _, m := range ms {
			if m.Dialect == o.Source && !m.Meta {
				raws = append(raws, m.Raw)
			}
		}
		_, err := w.Write(codec.Refill(o.Envelope, raws))
		return err
	}
	for i := range ms {
		b, err := record(ms[i], o.Raw)
		if err != nil {
			return fmt.Errorf("write message %d: %w", i+1, err)
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// record is a message as it came; on one line if it need not be exact.
func record(m message.Message, raw bool) ([]byte, error) {
	if len(m.Raw) == 0 {
		return json.Marshal(m)
	}
	if raw || !bytes.ContainsAny(m.Raw, "\n\r") {
		return bytes.Clone(m.Raw), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, m.Raw); err != nil {
		return bytes.Clone(m.Raw), nil // it came so
	}
	return b.Bytes(), nil
}
