package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrTable is wrapped by every error about a table's data.
var ErrTable = errors.New("invalid table of models")

// file is the content of models.json, which Refresh writes.
type file struct {
	Caches map[string]cacheClass `json:"caches"`
	// Limits bound one request, by the provider's name.
	Limits   map[string]limits `json:"limits"`
	Families []family          `json:"families"`
	Models   []entry           `json:"models"`
}

// entry is one line of models.json.
type entry struct {
	Model
	Aliases      []string `json:"aliases,omitempty"`
	CacheClass   string   `json:"cache,omitempty"`
	CacheMinimum int      `json:"cache_minimum,omitempty"`
}

// cacheClass is a provider's cache rules in models.json.
type cacheClass struct {
	Explicit    bool   `json:"explicit,omitempty"`
	Minimum     int    `json:"minimum,omitempty"`
	Step        int    `json:"step,omitempty"`
	Breakpoints int    `json:"breakpoints,omitempty"`
	LookBack    int    `json:"look_back,omitempty"`
	TTL         string `json:"ttl,omitempty"`
	LongTTL     string `json:"long_ttl,omitempty"`
}

// limits are the most images and bytes of one request; models with a window of
// Short tokens or less take ShortImages.
type limits struct {
	Images      int `json:"images,omitempty"`
	Short       int `json:"short,omitempty"`
	ShortImages int `json:"short_images,omitempty"`
	Bytes       int `json:"bytes,omitempty"`
}

// Parse reads a table in the form of models.json. Its error names the first invalid
// model and wraps ErrTable.
func Parse(data []byte) (*Table, error) {
	f, err := parseFile(data)
	if err != nil {
		return nil, err
	}
	t := &Table{models: make(map[string]Model, 2*len(f.Models)), families: f.Families}
	for _, e := range f.Models {
		m, err := f.model(e)
		if err != nil {
			return nil, fmt.Errorf("%w: model %q: %w", ErrTable, e.Name, err)
		}
		for _, name := range append(e.Aliases, e.Name) {
			t.models[keyOf(name)] = m
		}
	}
	for _, v := range f.Families {
		if _, ok := t.models[keyOf(v.Like)]; !ok || v.Prefix == "" {
			return nil, fmt.Errorf("%w: family %q is like %q, which is not in the table", ErrTable, v.Prefix, v.Like)
		}
	}
	return t, nil
}

func parseFile(data []byte) (f file, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if len(f.Models) == 0 {
		return f, fmt.Errorf("%w: no models", ErrTable)
	}
	return f, nil
}

// model completes an entry with the rules of its provider.
func (f file) model(e entry) (Model, error) {
	c, err := f.Caches[e.CacheClass].rules()
	if err != nil {
		return Model{}, err
	}
	e.Cache = c
	if e.CacheMinimum > 0 {
		e.Cache.Minimum = e.CacheMinimum
	}
	if l := f.Limits[e.Provider]; e.Images == 0 {
		e.Images = l.Images
		if e.Window <= l.Short {
			e.Images = l.ShortImages
		}
	}
	if e.Bytes == 0 {
		e.Bytes = f.Limits[e.Provider].Bytes
	}
	return e.Model, e.Validate()
}

// Validate returns an error that names the first invalid field.
func (m Model) Validate() error {
	if m.Name == "" {
		return errors.New("name is empty")
	}
	const maxTokens = 1 << 30
	for _, n := range []struct {
		name            string
		value, min, max int
	}{
		{"window", m.Window, 1, maxTokens},
		{"input", m.Input, 0, maxTokens},
		{"output", m.Output, 0, maxTokens},
		{"images", m.Images, 0, math.MaxInt},
		{"bytes", m.Bytes, 0, math.MaxInt},
		{"above", m.Above, 0, math.MaxInt},
	} {
		if n.value < n.min || n.value > n.max {
			return fmt.Errorf("%s is %d", n.name, n.value)
		}
	}
	switch {
	case m.Encoding != "" && m.Encoding != "o200k" && m.Encoding != "cl100k":
		return fmt.Errorf("encoding is %q: there are o200k and cl100k", m.Encoding)
	case m.Scale != 0 && !(m.Scale > .1 && m.Scale < 10):
		return fmt.Errorf("scale is %v", m.Scale)
	case m.Thinking != Unstated && m.Thinking != LastTurn && m.Thinking != Kept && m.Thinking != Bound:
		return fmt.Errorf("thinking is %q: there are %s, %s and %s", m.Thinking, LastTurn, Kept, Bound)
	}
	for _, p := range []Price{m.Price, m.PriceAbove} {
		for _, v := range []float64{p.In, p.Out, p.Read, p.Write, p.WriteLong} {
			if !(v >= 0) || v > 1e5 || math.IsInf(v, 0) {
				return fmt.Errorf("price is %v", v)
			}
		}
	}
	return nil
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
