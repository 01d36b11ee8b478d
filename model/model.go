// Package model knows what models accept and cost.
//
// Use: Lookup takes a model's name as clients write it, with a provider's
// prefix, a date or a "[1m]" window, and returns its Model. Law: a model that
// is not known gets cautious numbers, never an error. Promise: the table is
// embedded data (models.json); nothing here reads a file or the network.
//
// Windows, prices and cache rules follow the providers' published pages and the
// models.dev table as of late 2026; prices are USD per million tokens. Where a
// provider publishes no number the field is 0, except that a family's cautious
// guess is marked Guess.
package model

import (
	"cmp"
	"time"
)

// Model holds what a model accepts and costs. Window, Input and Output are
// tokens; 0 means not known, but for Input.
type Model struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`        // "anthropic", "openai", "google", …; "" unknown
	Window   int    `json:"window"`          // context window
	Input    int    `json:"input,omitempty"` // most input tokens, 0 = Window
	Output   int    `json:"output,omitempty"`
	Encoding string `json:"encoding,omitempty"` // "o200k", "cl100k", "" = not public
	// Scale is how many of the model's tokens one o200k token makes on
	// average, where Encoding is not public; 0 = not known.
	Scale float64 `json:"scale,omitempty"`
	Price Price   `json:"price,omitzero"`
	// Above is the prompt size from which PriceAbove holds; 0 = one price.
	Above      int   `json:"above,omitempty"`
	PriceAbove Price `json:"price_above,omitzero"`
	// Images and Bytes are the most of one request: pictures and documents
	// together, and its body; 0 = none known.
	Images   int      `json:"images,omitempty"`
	Bytes    int      `json:"bytes,omitempty"`
	Cache    Cache    `json:"-"`
	Thinking Thinking `json:"thinking,omitempty"`
	// Guess is true where the numbers are those of a relative, not of the
	// model itself.
	Guess bool `json:"guess,omitempty"`
	// Like names that relative; "" for Unknown.
	Like string `json:"like,omitempty"`
}

// Price is USD per million tokens. A zero Read or Write means that the
// provider states none.
type Price struct {
	In        float64 `json:"in,omitempty"`
	Out       float64 `json:"out,omitempty"`
	Read      float64 `json:"read,omitempty"`       // cached input
	Write     float64 `json:"write,omitempty"`      // cache write, default TTL
	WriteLong float64 `json:"write_long,omitempty"` // cache write, long TTL
}

// Cache holds a provider's rules for caching prompts.
type Cache struct {
	// Explicit caches store nothing without a breakpoint in the request.
	Explicit bool
	// Minimum is the least tokens of a cached prefix, 0 = not known.
	Minimum int
	// Step is the grain of hits in tokens, 0 = none stated.
	Step int
	// Breakpoints is the most cache points a request may set; a prompt is then found in the
	// cache up to one of them only. 0 = the longest prefix is found.
	Breakpoints int
	// LookBack is how many blocks (Anthropic) or breakpoints (OpenAI) before a
	// breakpoint are searched for a hit.
	LookBack int
	TTL      time.Duration // default life of an entry, 0 = not known
	LongTTL  time.Duration // longest life one can ask for, 0 = none
}

// Thinking classifies how a model treats thinking blocks of earlier turns.
type Thinking string

// The classes of thinking.
const (
	Unstated Thinking = ""          // not known, or no thinking blocks
	LastTurn Thinking = "last-turn" // only the last turn's are read
	Kept     Thinking = "kept"      // all are read; they may be removed
	Bound    Thinking = "bound"     // all are read and checked against their prefix
)

// Unknown is the model of an unknown name: a window of 128,000 and nothing
// else.
var Unknown = Model{Window: 128_000, Output: 16_384, Guess: true}

// outputReserve is the part of a window kept free for the reply by default.
const outputReserve = 16_384

// softShare is the share of the remaining window at which compaction starts.
const softShare = 0.85

// Cap is the most input tokens a request may hold.
func (m Model) Cap() int {
	if m.Input > 0 {
		return min(m.Input, m.Window)
	}
	return m.Window
}

// SoftThreshold is the default budget of a request in tokens: 85 % of what the
// cap leaves after a reserve for the reply. The reserve is the model's output
// cap, at most 16,384 and at most a quarter of the cap.
func (m Model) SoftThreshold() int {
	reserve := min(m.Output, outputReserve, m.Cap()/4)
	return int(softShare * float64(m.Cap()-reserve))
}

// Caching is the model as a request finds it that asks for its prompt to be kept for so long; 0
// is the provider's default. No prompt is kept longer than Cache.LongTTL, where that is known.
func (m Model) Caching(life time.Duration) Model {
	if life <= 0 {
		return m
	}
	if m.Cache.LongTTL > 0 {
		life = min(life, max(m.Cache.LongTTL, m.Cache.TTL))
	}
	if life > m.Cache.TTL {
		m.Price.Write = cmp.Or(m.Price.WriteLong, m.Price.Write)
		m.PriceAbove.Write = cmp.Or(m.PriceAbove.WriteLong, m.PriceAbove.Write)
	}
	m.Cache.TTL = life
	return m
}

// PriceOf is the price of a request whose prompt holds n tokens. What PriceAbove leaves out of
// the cache rises as the price of input does.
func (m Model) PriceOf(n int) Price {
	if m.Above <= 0 || n <= m.Above {
		return m.Price
	}
	p, was := m.PriceAbove, m.Price
	if was.In <= 0 {
		return p
	}
	rise := p.In / was.In
	p.Read = cmp.Or(p.Read, was.Read*rise)
	p.Write = cmp.Or(p.Write, was.Write*rise)
	p.WriteLong = cmp.Or(p.WriteLong, was.WriteLong*rise)
	return p
}
