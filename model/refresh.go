package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// catalog is models.dev's api.json, as far as it is read: providers by id.
type catalog map[string]struct {
	Models map[string]listing `json:"models"`
}

// listing is a model in the catalog.
type listing struct {
	Limit struct {
		Context int `json:"context"`
		Input   int `json:"input"`
		Output  int `json:"output"`
	} `json:"limit"`
	Cost struct {
		rates
		Tiers []struct {
			rates
			Tier struct {
				Type string `json:"type"`
				Size int    `json:"size"`
			} `json:"tier"`
		} `json:"tiers"`
		Long *rates `json:"context_over_200k"`
	} `json:"cost"`
	Modalities struct {
		Output []string `json:"output"`
	} `json:"modalities"`
}

type rates struct {
	In    float64 `json:"input"`
	Out   float64 `json:"output"`
	Read  float64 `json:"cache_read"`
	Write float64 `json:"cache_write"`
}

// sources are the catalog's ids of the providers whose own models are taken; all
// others sell them on. Their order is that of the table.
var sources = []struct{ id, provider string }{
	{"anthropic", "anthropic"},
	{"openai", "openai"},
	{"google", "google"},
	{"deepseek", "deepseek"},
	{"moonshotai", "moonshot"},
	{"zai", "zai"},
	{"alibaba", "alibaba"},
	{"xai", "xai"},
}

// Refresh returns the embedded table, in the form that Parse reads, with the windows
// and prices of a catalog in the form of models.dev's api.json. It adds new models
// of known families, with their relative's rules for caching and thinking and with
// estimated tokens. What the catalog does not state stays as it is. The same catalog
// gives the same bytes.
func Refresh(api []byte) ([]byte, error) {
	var c catalog
	if err := json.Unmarshal(api, &c); err != nil {
		return nil, fmt.Errorf("read catalog: %w: %w", ErrTable, err)
	}
	f, err := parseFile(data)
	if err != nil {
		return nil, err
	}
	taken := 0
	for _, s := range sources {
		taken += f.refresh(s.provider, c[s.id].Models)
	}
	if taken == 0 {
		return nil, fmt.Errorf("read catalog: %w: no model of a known provider", ErrTable)
	}
	out := f.text()
	_, err = Parse(out)
	return out, err
}

// refresh takes over a provider's models and returns how many.
func (f *file) refresh(provider string, models map[string]listing) (taken int) {
	names := slices.SortedFunc(maps.Keys(models), func(a, b string) int { // undated ones first: they are the model
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	var fresh []entry
	for _, name := range names {
		l, key := models[name], ""
		if key, _ = normalise(name); l.Limit.Context <= 0 || l.Cost.In <= 0 || !slices.Contains(l.Modalities.Output, "text") {
			continue
		}
		if i, ok := f.find(key); ok {
			if keyOf(f.Models[i].Name) == keyOf(name) {
				f.Models[i].update(l)
				taken++
			}
			continue
		}
		if e, ok := f.relative(provider, name, key); ok && !slices.ContainsFunc(fresh, func(e entry) bool { return keyOf(e.Name) == key }) {
			e.update(l)
			fresh = append(fresh, e)
			taken++
		}
	}
	slices.SortFunc(fresh, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	f.Models = append(f.Models, fresh...)
	return taken
}

// find finds a model by a key of its name or of an alias.
func (f *file) find(key string) (int, bool) {
	i := slices.IndexFunc(f.Models, func(e entry) bool {
		return keyOf(e.Name) == key || slices.ContainsFunc(e.Aliases, func(a string) bool { return keyOf(a) == key })
	})
	return i, i >= 0
}

// relative is the entry of a new model of a known family.
func (f *file) relative(provider, name, key string) (entry, bool) {
	for _, v := range f.Families {
		i, ok := f.find(keyOf(v.Like))
		if !ok || !strings.HasPrefix(key, keyOf(v.Prefix)) || f.Models[i].Provider != provider {
			continue
		}
		e := f.Models[i]
		e.Name, e.Aliases, e.Input, e.Price, e.Above, e.PriceAbove = undated(strings.ToLower(name)), nil, 0, Price{}, 0, Price{}
		if e.Encoding != "" {
			e.Encoding, e.Scale = "", 1
		}
		return e, true
	}
	return entry{}, false
}

// update takes over what a listing states.
func (e *entry) update(l listing) {
	e.Window = l.Limit.Context
	if e.Input = l.Limit.Input; e.Input >= e.Window {
		e.Input = 0
	}
	if l.Limit.Output > 0 {
		e.Output = min(l.Limit.Output, e.Window)
	}
	e.Price = l.Cost.rates.price(e.Price)
	switch {
	case len(l.Cost.Tiers) > 0 && l.Cost.Tiers[0].Tier.Type == "context":
		e.Above, e.PriceAbove = l.Cost.Tiers[0].Tier.Size, l.Cost.Tiers[0].price(e.PriceAbove)
	case l.Cost.Long != nil:
		e.Above, e.PriceAbove = 200_000, l.Cost.Long.price(e.PriceAbove)
	}
}

// price updates old; prices that the catalog does not state stay. It states none of
// a long cache write: that one changes as the input's does.
func (r rates) price(old Price) Price {
	p := Price{In: r.In, Out: r.Out, Read: r.Read, Write: r.Write, WriteLong: old.WriteLong}
	if old.In > 0 && old.WriteLong > 0 {
		p.WriteLong = old.WriteLong / old.In * r.In
	}
	if p.Read == 0 && old.In == r.In {
		p.Read = old.Read
	}
	if p.Write == 0 && old.In == r.In {
		p.Write = old.Write
	}
	return p
}

// text is the file as it is kept: a line for each model.
func (f *file) text() []byte {
	var b bytes.Buffer
	put := func(v any) {
		line, err := json.Marshal(v)
		if err != nil { // prices are numbers: they came out of JSON
			line = []byte("null")
		}
		b.Write(line)
	}
	b.WriteString("{\n\"caches\": ")
	put(f.Caches)
	b.WriteString(",\n\"limits\": ")
	put(f.Limits)
	b.WriteString(",\n\"families\": [")
	for i, v := range f.Families {
		b.WriteString(separator(i))
		put(v)
	}
	b.WriteString("\n],\n\"models\": [")
	for i, e := range f.Models {
		b.WriteString(separator(i))
		put(e)
	}
	b.WriteString("\n]\n}\n")
	return b.Bytes()
}

func separator(i int) string {
	if i == 0 {
		return "\n  "
	}
	return ",\n  "
}
