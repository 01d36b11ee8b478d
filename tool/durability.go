package tool

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Durability describes how well a result may be lost.
type Durability string

// The durabilities.
const (
	// Ephemeral results may be cleared entirely: logs, listings.
	Ephemeral Durability = "ephemeral"
	// Anchoring results keep a summary and their key fields.
	Anchoring Durability = "anchoring"
	// Replayable results may be cleared while their source is known unchanged.
	Replayable Durability = "replayable"
	// NonReplayable results are externalized or kept, never cleared.
	NonReplayable Durability = "non_replayable"
)

// Now is the durability in force given what is known of the source now: a
// replayable result whose source drifted, or cannot be checked, is not
// replayable.
func (d Durability) Now(then, now *Determinism) Durability {
	if d == Replayable && then.HasChanged(now) {
		return NonReplayable
	}
	return d
}

// Clearable reports whether a placeholder may stand in place of the result. Call
// it on what Now returned. Anchoring results are clearable because their
// placeholder keeps the key fields. A durability that is none of the four is not.
func (d Durability) Clearable() bool { return d == Ephemeral || d == Anchoring || d == Replayable }

// Policy describes how results of one tool are treated.
type Policy struct {
	Durability Durability `json:"durability"`
	// Preserve names the fields a placeholder keeps.
	Preserve []string `json:"preserve,omitempty"`
	// ExternalizeAt is the size in tokens from which a result is externalized
	// rather than summarized; 0 leaves it to the compaction policy.
	ExternalizeAt int `json:"externalize_at,omitempty"`
	// Sensitivity of what is externalized, as package artifact names it: "public",
	// "confidential", …; "" is internal. TTL is how long it is kept; 0 = for ever.
	Sensitivity string        `json:"sensitivity,omitempty"`
	TTL         time.Duration `json:"ttl,omitempty"`
}

// FieldError is a field of a Policy, by its name in JSON, that cannot be.
type FieldError struct {
	Field string
	Err   error
}

func (e *FieldError) Error() string { return fmt.Sprintf("%s: %v", e.Field, e.Err) }

// Unwrap returns Err.
func (e *FieldError) Unwrap() error { return e.Err }

// Validate returns a *FieldError about the first bad field. Sensitivity is package
// artifact's to check.
func (p Policy) Validate() error {
	switch {
	case p.Durability != "" && p.Durability != NonReplayable && !p.Durability.Clearable():
		return &FieldError{"durability", fmt.Errorf("%q: there are ephemeral, anchoring, replayable, non_replayable", p.Durability)}
	case p.ExternalizeAt < 0:
		return &FieldError{"externalize_at", fmt.Errorf("must not be negative, got %d", p.ExternalizeAt)}
	case p.TTL < 0:
		return &FieldError{"ttl", fmt.Errorf("must not be negative, got %v", p.TTL)}
	}
	return nil
}

// AnyTool is the name under which overrides hold the policy of the tools that neither
// they nor the built-in table name.
const AnyTool = "*"

// Resolve finds the policy of an envelope: its own durability, then the overrides by
// tool name, then the built-in table, then the override of AnyTool, then anchoring.
// An envelope's durability replaces only that field of what the rest gives.
func Resolve(e Envelope, overrides map[string]Policy) Policy {
	p := policyOf(e.Tool, overrides)
	p.Durability = cmp.Or(e.Durability, p.Durability, overrides[AnyTool].Durability, Anchoring)
	return p
}

func policyOf(name string, overrides map[string]Policy) Policy {
	if p, ok := overrides[name]; ok {
		return p
	}
	e, ok := known(name)
	if any, set := overrides[AnyTool]; !ok && set {
		return any
	}
	return e.policy
}

// ClassOf is the class of a tool by its name alone; Of refines it by the
// arguments of tools that do several things.
func ClassOf(name string) Class {
	e, _ := known(name)
	return e.class
}

type entry struct {
	class  Class
	policy Policy
}

// known looks a name up in the built-in table: as it is, without the prefix of a tool server,
// and with its words parted; without case.
func known(name string) (entry, bool) {
	e, ok := table[strings.ToLower(name)]
	if !ok {
		e, ok = table[strings.ToLower(bare(name))]
	}
	if !ok {
		e, ok = table[strings.Join(nameWords(name), "_")]
	}
	if !ok {
		e = entry{class: Other, policy: Policy{Durability: Anchoring}}
	}
	return e, ok
}
