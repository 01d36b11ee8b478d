// Package policyfile reads policies from files, as TOML or JSON: every number of a
// policy by the name that policy.Policy has it under in JSON, and what goes with it,
// the words and the fallback of the model that writes summaries, what comes back by
// itself, and how results of tools may be treated.
//
// Use: Read, then Setup's fields for an engine and its summarizer. Law: a file
// changes the preset that it extends in what it says and in nothing else, and what it
// says is known and checked. Promise: an error names the line and the field.
package policyfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/summary/llm"
	"github.com/seed-3db51b0e/precis/tool"
)

// Setup is the content of a file.
type Setup struct {
	policy.Policy
	// Summary is for the model that writes summaries, if there is one.
	Summary Summary `json:"summary,omitzero"`
	// Rehydration says how externalized content comes back by itself.
	Rehydration rehydrate.Config `json:"rehydration,omitzero"`
	// Tools say how results of tools may be treated, by name; tool.AnyTool is every tool
	// that nothing is known of.
	Tools map[string]Tool `json:"tools,omitempty"`
}

// Tool is a tool.Policy with its time as text.
type Tool struct {
	Durability    tool.Durability `json:"durability,omitempty"`
	Preserve      []string        `json:"preserve,omitempty"`
	ExternalizeAt int             `json:"externalize_at,omitempty"`
	Sensitivity   string          `json:"sensitivity,omitempty"`
	TTL           string          `json:"ttl,omitempty"` // as in 5m or 24h
}

// policy is the tool's policy, or the field that cannot be.
func (t Tool) policy() (p tool.Policy, err error) {
	p = tool.Policy{
		Durability: t.Durability, Preserve: t.Preserve, ExternalizeAt: t.ExternalizeAt, Sensitivity: t.Sensitivity,
	}
	if t.TTL != "" {
		if p.TTL, err = time.ParseDuration(t.TTL); err != nil {
			return p, &tool.FieldError{Field: "ttl", Err: fmt.Errorf("%q: not a time, like 5m or 24h", t.TTL)}
		}
	}
	if err := p.Validate(); err != nil {
		return p, err
	}
	if err := artifact.Sensitivity(t.Sensitivity).Validate(); err != nil {
		return p, &tool.FieldError{Field: "sensitivity", Err: err}
	}
	return p, nil
}

// ToolPolicies are the file's tools for an engine; nil for none. A file that was read
// has no tool that cannot be.
func (s Setup) ToolPolicies() map[string]tool.Policy {
	if len(s.Tools) == 0 {
		return nil
	}
	all := make(map[string]tool.Policy, len(s.Tools))
	for name, t := range s.Tools {
		all[name], _ = t.policy()
	}
	return all
}

// Summary holds what a model that writes summaries is told; see llm.Config for the
// zero values.
type Summary struct {
	Prompt      string   `json:"prompt,omitempty"`
	Persona     string   `json:"persona,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	MaxOutput   int      `json:"max_output_tokens,omitempty"`
	MaxInput    int      `json:"max_input_tokens,omitempty"`
	// Fallback false leaves a compaction undone where the model fails; nil is true.
	Fallback *bool `json:"fallback,omitempty"`
}

// NoFallback reports whether the file wants none.
func (s Summary) NoFallback() bool { return s.Fallback != nil && !*s.Fallback }

// Tell gives a summarizer's configuration the file's words and caps.
func (s Summary) Tell(c *llm.Config) {
	c.Prompt, c.Persona, c.Temperature = s.Prompt, s.Persona, s.Temperature
	c.MaxOutput, c.MaxInput = s.MaxOutput, s.MaxInput
}

// Error is a mistake in a file.
type Error struct {
	Path string
	Line int // counted from 1; 0 where it is not known
	// Field is where the value stands, like rungs[0].keep_messages; "" where Line says it.
	Field string
	Err   error
}

func (e *Error) Error() string {
	at := e.Path
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Field != "" {
		at += ": " + e.Field
	}
	return fmt.Sprintf("read policy %s: %v", at, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// IsPath reports whether what stands where a policy is named is the path of a file.
func IsPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml") || strings.HasSuffix(name, ".json")
}

// Read reads a file, of JSON where its name ends in .json and else of TOML. A mistake
// in it is an *Error.
func Read(path string) (Setup, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Setup{}, fmt.Errorf("read policy: %w", err)
	}
	return Parse(path, data)
}

// Parse is Read of a file that holds data. A policy that the file does not name has
// the file's name, without its ending.
func Parse(path string, data []byte) (Setup, error) {
	d, err := parse(path, data)
	if err != nil {
		return Setup{}, err
	}
	s, err := d.base()
	if err != nil {
		return Setup{}, err
	}
	if err := json.Unmarshal(d.json, &s, json.RejectUnknownMembers(true)); err != nil {
		return Setup{}, d.decoding(err)
	}
	s.Name = cmp.Or(s.Name, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	return s, d.check(s)
}

// document is a file as JSON, and where its fields stand.
type document struct {
	path  string
	json  []byte
	lines map[string]int // by field
}

// base is what the file starts from, and the file without the word of it.
func (d *document) base() (s Setup, err error) {
	var top map[string]jsontext.Value
	if err := json.Unmarshal(d.json, &top); err != nil {
		return s, d.decoding(err)
	}
	from, ok := top["extends"]
	if !ok {
		return s, nil
	}
	var name string
	if err := json.Unmarshal(from, &name); err != nil {
		return s, d.wrong("extends", errors.New("want the name of a preset"))
	}
	if s.Policy, err = policy.Named(name); err != nil {
		return s, d.wrong("extends", fmt.Errorf("%w: there are %s", err, strings.Join(policy.Names(), ", ")))
	}
	s.Name = ""
	if _, ok := top["rungs"]; ok {
		s.Rungs = nil
	}
	delete(top, "extends")
	d.json, err = json.Marshal(top)
	return s, err
}

// check refuses what the file says where it cannot be.
func (d *document) check(s Setup) error {
	var bad *policy.FieldError
	if err := s.Policy.Validate(); errors.As(err, &bad) && bad.Value == "" {
		return d.wrong(bad.Field, fmt.Errorf("it is not stated: extends = \"balanced\" takes what a file leaves out from a preset; %s", cmp.Or(bad.Why, "state it")))
	} else if errors.As(err, &bad) {
		return d.wrong(bad.Field, fmt.Errorf("%v: %s", bad.Value, cmp.Or(bad.Why, policy.ErrInvalid.Error())))
	}
	for _, f := range s.fields() {
		if f.wrong != nil {
			return d.wrong(f.name, f.wrong)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		var bad *tool.FieldError
		if _, err := s.Tools[name].policy(); errors.As(err, &bad) {
			return d.wrong("tools."+name+"."+bad.Field, bad.Err)
		}
	}
	return nil
}

// field is one of the tables beside the policy, and what is wrong with it.
type field struct {
	name  string
	wrong error
}

// fields checks each by itself, so that an error is about one.
func (s Setup) fields() []field {
	r, words := s.Rehydration, func(w Summary) error {
		var c llm.Config
		w.Tell(&c)
		return c.ValidateWords()
	}
	return []field{
		{"rehydration.max_artifacts_per_turn", rehydrate.Config{Artifacts: r.Artifacts}.Validate()},
		{"rehydration.max_tokens_per_artifact", rehydrate.Config{Each: r.Each}.Validate()},
		{"rehydration.total_budget_tokens", rehydrate.Config{Total: r.Total}.Validate()},
		{"rehydration.cooldown_turns", rehydrate.Config{Cooldown: r.Cooldown}.Validate()},
		{"rehydration.auto_sensitivities", rehydrate.Config{Auto: r.Auto}.Validate()},
		{"summary.prompt", words(Summary{Prompt: s.Summary.Prompt})},
		{"summary.temperature", words(Summary{Temperature: s.Summary.Temperature})},
		{"summary.max_output_tokens", words(Summary{MaxOutput: s.Summary.MaxOutput})},
		{"summary.max_input_tokens", words(Summary{MaxInput: s.Summary.MaxInput})},
	}
}

// decoding is an error of the decoder with its field and line.
func (d *document) decoding(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return d.wrong("", err)
	}
	field := dotted(semantic.JSONPointer)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return d.wrong(field, errors.New("unknown field"))
	case semantic.GoType != nil && semantic.Err == nil:
		return d.wrong(field, fmt.Errorf("got a %s, want %s", semantic.JSONKind, kindOf(semantic.GoType)))
	}
	return d.wrong(field, cmp.Or(semantic.Err, err))
}

// wrong is an error about a field, at its line or that of what it stands in.
func (d *document) wrong(field string, err error) error {
	at := field
	for d.lines[at] == 0 && at != "" {
		at = at[:max(strings.LastIndexAny(at, ".["), 0)]
	}
	return &Error{Path: d.path, Line: d.lines[at], Field: field, Err: err}
}
