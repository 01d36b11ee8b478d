package model

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed models.json
var data []byte

// table is models.json made ready: models by key, families in their order.
type table struct {
	models   map[string]Model
	families []family
}

type family struct {
	Prefix string `json:"prefix"`
	Like   string `json:"like"` // name of the model whose numbers stand in
}

// registry is parsed at first use. The data is ours and tested, so an error
// leaves an empty table, which is Unknown for everybody.
var registry = sync.OnceValue(func() table {
	t, _ := parse(data)
	return t
})

// Lookup finds a model by the name a client used. Case, a provider's prefix
// ("openai/", "us.anthropic."), dates, "-latest", and version suffixes are
// ignored; a bracketed window ("[1m]") is obeyed. A name that is not in the
// table gets the numbers of its nearest relative and is marked Guess; a name of
// no known family gives Unknown and false. Name is always as given.
func Lookup(name string) (Model, bool) {
	key, window := normalise(name)
	m, ok := registry().find(key)
	m.Name = name
	if window > 0 {
		m.Window, m.Input = window, 0
	}
	return m, ok
}

// Names lists the models of the table, aliases left out, in no order.
func Names() []string {
	var names []string
	for key, m := range registry().models {
		if key == keyOf(m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

func (t table) find(key string) (Model, bool) {
	if m, ok := t.models[key]; ok {
		return m, true
	}
	for end := strings.LastIndexByte(key, '-'); end > 0; end = strings.LastIndexByte(key[:end], '-') {
		if m, ok := t.models[key[:end]]; ok && !stem[key[:end]] {
			m.Guess = true
			return m, true
		}
	}
	for _, f := range t.families {
		if strings.HasPrefix(key, keyOf(f.Prefix)) {
			m := t.models[keyOf(f.Like)]
			m.Guess = true
			return m, true
		}
	}
	return Unknown, false
}

// stem holds the names that later generations start with: gpt-4.5 is no
// variant of gpt-4, so these stand in for no longer name.
var stem = map[string]bool{"gpt-4": true, "gpt-5": true, "claude-opus-4": true, "claude-sonnet-4": true}

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

// undated cuts what says when, not what: "-v1", "-latest", "-20250929",
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

// entry is one line of models.json.
type entry struct {
	Model
	Aliases      []string `json:"aliases"`
	CacheClass   string   `json:"cache"`
	CacheMinimum int      `json:"cache_minimum"`
}

// cacheClass is a provider's cache rules in models.json.
type cacheClass struct {
	Explicit    bool   `json:"explicit"`
	Minimum     int    `json:"minimum"`
	Step        int    `json:"step"`
	Breakpoints int    `json:"breakpoints"`
	LookBack    int    `json:"look_back"`
	TTL         string `json:"ttl"`
	LongTTL     string `json:"long_ttl"`
}

func parse(data []byte) (table, error) {
	var file struct {
		Caches   map[string]cacheClass `json:"caches"`
		Families []family              `json:"families"`
		Models   []entry               `json:"models"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return table{}, fmt.Errorf("parse models: %w", err)
	}
	t := table{models: make(map[string]Model, 2*len(file.Models)), families: file.Families}
	for _, e := range file.Models {
		c, err := file.Caches[e.CacheClass].rules()
		if err != nil {
			return table{}, fmt.Errorf("parse model %s: %w", e.Name, err)
		}
		e.Cache = c
		if e.CacheMinimum > 0 {
			e.Cache.Minimum = e.CacheMinimum
		}
		for _, name := range append(e.Aliases, e.Name) {
			t.models[keyOf(name)] = e.Model
		}
	}
	return t, nil
}

func (c cacheClass) rules() (Cache, error) {
	ttl, err := duration(c.TTL)
	if err != nil {
		return Cache{}, err
	}
	long, err := duration(c.LongTTL)
	if err != nil {
		return Cache{}, err
	}
	return Cache{
		Explicit: c.Explicit, Minimum: c.Minimum, Step: c.Step,
		Breakpoints: c.Breakpoints, LookBack: c.LookBack, TTL: ttl, LongTTL: long,
	}, nil
}

func duration(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	return time.ParseDuration(s)
}
