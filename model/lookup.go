package model

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed models.json
var data []byte

// Table holds models by name, and families whose numbers stand in for models it
// lacks. It is immutable. Make one with Parse or With; nil is the embedded one.
type Table struct {
	models   map[string]Model // by key
	stated   map[string]Model // by key: what With added; they take precedence
	families []family         // in their order
}

type family struct {
	Prefix string `json:"prefix"`
	Like   string `json:"like"` // name of the model whose numbers stand in
}

// embedded is parsed at first use. The data is ours and tested, so an error
// leaves an empty table, which is Unknown for everybody.
var embedded = sync.OnceValue(func() *Table {
	t, err := Parse(data)
	if err != nil {
		return &Table{}
	}
	return t
})

// Lookup finds a model in the embedded table: see Table.Lookup.
func Lookup(name string) (Model, bool) { return embedded().Lookup(name) }

// With returns the table with more models, which take precedence over those of the
// same name. A model without a Name is left out.
func (t *Table) With(ms ...Model) *Table {
	if t == nil {
		t = embedded()
	}
	next := &Table{models: t.models, stated: maps.Clone(t.stated), families: t.families}
	for _, m := range ms {
		if m.Name == "" {
			continue
		}
		if next.stated == nil {
			next.stated = map[string]Model{}
		}
		key, _ := normalise(m.Name)
		next.stated[key] = m
	}
	return next
}

// Lookup finds a model by the name a client used. Case, a provider's prefix
// ("openai/", "us.anthropic."), dates, "-latest", and version suffixes are
// ignored; a bracketed window ("[1m]") is obeyed. A name that is not in the
// table gets the numbers of its nearest relative, which Like names, and is marked Guess; a name of
// no known family gives Unknown and false. Name is always as given.
func (t *Table) Lookup(name string) (Model, bool) {
	if t == nil {
		t = embedded()
	}
	key, window := normalise(name)
	m, ok := t.find(key)
	m.Name = name
	if window > 0 {
		m.Window, m.Input = window, 0
	}
	return m, ok
}

// Names lists the models of the table, aliases left out, in order.
func (t *Table) Names() []string {
	if t == nil {
		t = embedded()
	}
	names := map[string]bool{}
	for key, m := range t.models {
		if key == keyOf(m.Name) {
			names[m.Name] = true
		}
	}
	for _, m := range t.stated {
		names[m.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func (t *Table) find(key string) (Model, bool) {
	if m, ok := t.stated[key]; ok {
		return m, true
	}
	if m, ok := t.models[key]; ok {
		return m, true
	}
	for end := strings.LastIndexByte(key, '-'); end > 0; end = strings.LastIndexByte(key[:end], '-') {
		if m, ok := t.models[key[:end]]; ok && !notVariants[key[:end]] {
			m.Guess, m.Like = true, m.Name
			return m, true
		}
	}
	for _, f := range t.families {
		if strings.HasPrefix(key, keyOf(f.Prefix)) {
			m := t.models[keyOf(f.Like)]
			m.Guess, m.Like = true, m.Name
			return m, true
		}
	}
	return Unknown, false
}

// notVariants holds the names that later generations start with: gpt-4.5 is no
// variant of gpt-4, so these stand in for no longer name.
var notVariants = map[string]bool{"gpt-4": true, "gpt-5": true, "claude-opus-4": true, "claude-sonnet-4": true}

// normalise reduces a name to its key and the window in its brackets, if any.
func normalise(name string) (key string, window int) {
	s := strings.ToLower(strings.TrimSpace(name))
	if i := strings.IndexByte(s, '['); i >= 0 {
		window = size(strings.TrimSuffix(s[i+1:], "]"))
		s = s[:i]
	}
	if i := strings.IndexAny(s, "@:"); i >= 0 {
		s = s[:i]
	}
	s = keyOf(s[strings.LastIndexByte(s, '/')+1:])
	for _, vendor := range []string{"anthropic-", "openai-"} {
		if i := strings.Index(s, vendor); i >= 0 {
			s = s[i+len(vendor):]
		}
	}
	return undated(s), window
}

// keyOf writes versions with dashes, as Anthropic does, so that 4.5 and 4-5
// are the same.
func keyOf(name string) string { return strings.ReplaceAll(name, ".", "-") }

// size reads "1m" or "200k" as tokens; 0 if it is something else.
func size(s string) int {
	unit := 1
	if n := len(s) - 1; n > 0 {
		switch s[n] {
		case 'k':
			unit, s = 1_000, s[:n]
		case 'm':
			unit, s = 1_000_000, s[:n]
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1_000_000_000/unit {
		return 0
	}
	return n * unit
}

// undated cuts versions and dates from a name: "-v1", "-latest", "-20250929",
// "-2024-11-20".
func undated(s string) string {
	for _, tail := range []string{"-v1", "-v2", "-latest"} {
		s = strings.TrimSuffix(s, tail)
	}
	if n := len(s) - len("-20250929"); n > 0 && s[n] == '-' && digits(s[n+1:]) {
		return s[:n]
	}
	if n := len(s) - len("-2024-11-20"); n > 0 && s[n] == '-' && s[n+5] == '-' && s[n+8] == '-' &&
		digits(s[n+1:n+5]+s[n+6:n+8]+s[n+9:]) {
		return s[:n]
	}
	return s
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
