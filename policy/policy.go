// Package policy holds the presets: every number a compaction depends on, as data.
package policy

import "errors"

// ErrUnknown names a policy that does not exist.
var ErrUnknown = errors.New("unknown policy")

// Policy is everything the engine lets a user choose about compaction.
type Policy struct {
	Name string `json:"name"`
}

// Named returns a preset.
func Named(name string) (Policy, error) { return Policy{Name: name}, nil }

// Names lists the presets, the default first.
func Names() []string { return []string{"balanced", "ladder"} }
