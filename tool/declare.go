package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/message"
)

// ErrDeclaration is wrapped by every error about an envelope that cannot be
// declared.
var ErrDeclaration = errors.New("invalid declaration")

// declared holds what of an envelope a tool may declare. The rest follows from the
// call and the result, and is read each time.
type declared struct {
	Outcome     Outcome         `json:"outcome,omitempty"`
	KeyFields   json.RawMessage `json:"key_fields,omitempty"`
	Durability  Durability      `json:"durability,omitempty"`
	Determinism *Determinism    `json:"determinism,omitempty"`
	Started     time.Time       `json:"started,omitzero"`
	Completed   time.Time       `json:"completed,omitzero"`
}

// Declare attaches to a result what its tool says about it: outcome, key
// fields, durability, determinism and timing of e; other fields of e are left
// aside, zero ones declare nothing. It stands beside the content, so no text of
// a result can pretend to be one. A later Declare replaces an
// earlier. It fails with ErrDeclaration, and leaves p alone, where p is no
// result, a name is unknown or the key fields are no JSON object.
func Declare(p *message.Part, e Envelope) error {
	d := declared{e.Outcome, e.KeyFields, e.Durability, e.Determinism, e.Started, e.Completed}
	if p.Kind != message.Result {
		return fmt.Errorf("declare on a %s part: %w", p.Kind, ErrDeclaration)
	}
	if err := d.valid(); err != nil {
		return err
	}
	raw, err := plain(d)
	if err != nil { // a year beyond 9999, a modification time that is no number
		return fmt.Errorf("declare: %w: %w", ErrDeclaration, err)
	}
	p.Declared = raw
	return nil
}

// plain is JSON for a model to read: "<" stays "<".
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (d *declared) valid() error {
	switch d.Outcome {
	case "", Success, Failure, Partial:
	default:
		return fmt.Errorf("declare outcome %q: %w", d.Outcome, ErrDeclaration)
	}
	switch d.Durability {
	case "", Ephemeral, Anchoring, Replayable, NonReplayable:
	default:
		return fmt.Errorf("declare durability %q: %w", d.Durability, ErrDeclaration)
	}
	if len(d.KeyFields) > 0 && !isObject(d.KeyFields) {
		return fmt.Errorf("declare key fields %.40q: %w", d.KeyFields, ErrDeclaration)
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	i := firstByte(string(raw))
	return i >= 0 && raw[i] == '{' && json.Valid(raw)
}

// declaredOn reads what Declare attached. What is damaged counts as a
// declaration that the result cannot be had again: the safe side.
func declaredOn(p *message.Part) declared {
	if len(p.Declared) == 0 {
		return declared{}
	}
	var d declared
	if json.Unmarshal(p.Declared, &d) != nil || d.valid() != nil {
		return declared{Durability: NonReplayable}
	}
	return d
}
