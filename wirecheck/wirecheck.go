// Package wirecheck is a strict, independent checker of request bodies: does
// this body obey the rules its provider enforces?
//
// Use: Anthropic, OpenAI, Responses and Gemini judge one body; a Session judges the
// successive calls of one Anthropic conversation as well. Law: it judges
// whether requests are valid, so it shares no code with what makes them and imports
// nothing but the standard library. Promise: every fault names the rule it breaks and
// the place in the body; no input makes it panic.
package wirecheck

import "fmt"

// The basic rules. The others carry the ids of docs/wire-rules.md: WA validity, WT
// thinking, WC caching and WN compaction of Anthropic, WO of OpenAI, WG of Gemini.
const (
	JSON   = "json"   // one valid JSON value, valid UTF-8, no member twice, no lone surrogate
	Shape  = "shape"  // a required member is missing or of the wrong type
	Role   = "role"   // unknown role, or a block its role may not hold
	Block  = "block"  // unknown block, part or item type
	Unique = "unique" // an id or a tool name used twice
	Text   = "text"   // empty text
	Args   = "args"   // tool-call arguments of the wrong type, or not a JSON object
	Name   = "name"   // a tool name or id outside its alphabet
)

// Fault is one broken rule.
type Fault struct {
	Rule   string // "WA5", "json", …
	Path   string // of the value at fault, as in messages.3.content.1; "" is the body
	Detail string // for people
}

func (f Fault) String() string { return fmt.Sprintf("%s %s: %s", f.Rule, f.Path, f.Detail) }

// Options name the model and what may pass. The zero value is the
// strictest but for JSONArgs.
type Options struct {
	// Model decides rules that depend on it; "" is the body's own model.
	Model string
	// AllowUnknown lets block, part, item and tool types pass that the checker
	// does not know, or not at that place.
	AllowUnknown bool
	// AllowNeighbours lets messages of the same role follow each other (WA2):
	// Anthropic merges them, and the other rules are judged on the merged turn.
	AllowNeighbours bool
	// AllowEmpty lets empty text pass where OpenAI accepts it.
	AllowEmpty bool
	// JSONArgs demands that OpenAI tool-call arguments are JSON objects, which
	// a truncated call's need not be.
	JSONArgs bool
}

// Check judges a body by the name of its dialect: "anthropic", "openai" (Chat
// Completions), "responses" or "gemini".
func Check(provider string, body []byte, o Options) []Fault {
	switch provider {
	case "anthropic":
		return Anthropic(body, o)
	case "openai":
		return OpenAI(body, o)
	case "responses":
		return Responses(body, o)
	case "gemini":
		return Gemini(body, o)
	}
	return []Fault{{Rule: Shape, Detail: fmt.Sprintf("no checker for provider %q", provider)}}
}

// checker collects the faults of one body.
type checker struct {
	opt    Options
	faults []Fault
}

func (c *checker) fault(rule, path, format string, args ...any) {
	c.faults = append(c.faults, Fault{Rule: rule, Path: path, Detail: fmt.Sprintf(format, args...)})
}

// object parses a body that must be a JSON object; nil means it is none and the
// faults say so.
func (c *checker) object(body []byte) *node {
	root := c.parse(body)
	if root != nil && root.kind != '{' {
		c.fault(Shape, "", "the body is not an object")
		return nil
	}
	return root
}

// needString demands a non-empty string member and returns it.
func (c *checker) needString(n *node, path, name string) string {
	v := n.get(name)
	if v == nil || v.kind != '"' || v.str == "" {
		c.fault(Shape, join(path, name), "want a non-empty string")
		return ""
	}
	return v.str
}

// needKind demands a member of a kind and returns it, nil if it is missing.
func (c *checker) needKind(n *node, path, name string, kind byte) *node {
	v := n.get(name)
	if v == nil || v.kind != kind {
		c.fault(Shape, join(path, name), "want %s", kindNames[kind])
		return nil
	}
	return v
}

// named faults a name that is empty, too long, or outside [a-zA-Z0-9_-].
func (c *checker) named(s, path string, limit int) {
	ok := s != "" && len(s) <= limit
	for i := 0; ok && i < len(s); i++ {
		b := s[i]
		ok = b == '_' || b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
	}
	if !ok {
		c.fault(Name, path, "%.80q: want 1 to %d of a-z A-Z 0-9 _ -", s, limit)
	}
}

// once remembers ids and faults the second use of one.
type once map[string]string

func (o once) add(c *checker, id, path string) {
	if first, ok := o[id]; ok {
		c.fault(Unique, path, "%.80q is already at %s", id, first)
		return
	}
	o[id] = path
}
