// Package cachecost says what prompts cost under a provider's cache, and whether
// putting a smaller one in the place of the one that stands is worth the prefix
// it breaks.
//
// Use: RatesOf a model, Weigh a Choice; the Sums say why. Points names where a prompt
// is best cached. Law: it decides from numbers that were handed in, and from nothing
// else, so what it decided can be worked out again. Promise: dearer cache writes put
// the break-even off, a colder cache brings it nearer, and what a budget forces is not
// decided here.
//
// # When a rewrite pays
//
// A prompt of N tokens costs each turn what reading it from the cache costs. A
// smaller one of A tokens saves the difference, every turn, for the price of
// writing once what stands behind the first message that changed: the rewrite.
// The break-even is how many turns that takes. Two things must hold:
//
//   - The conversation goes on for that long. Nobody knows, so the expectation is
//     that it has as many turns ahead as behind (see Remaining).
//   - Waiting has cost as much as the rewrite does. A prompt that grows by g a
//     turn has cost (N−A)²/2g too many reads since it passed A. Rewriting sooner
//     buys reads at more than they cost, later the other way round: this is the
//     rule of the economic order quantity, and of the ski-rental problem. It needs
//     no guess about the future.
//
// Both are asked of twice the price, see hysteresis.
package cachecost

import (
	"cmp"
	"math"
	"time"

	"github.com/seed-3db51b0e/precis/model"
)

// hysteresis states how many times its price a rewrite must be worth: each of them
// also forgets, which no price says, and a choice near the edge may wait.
const hysteresis = 2

// Rates are the prices of a token relative to one of input that no cache knows,
// and the rules by which a cache takes it.
type Rates struct {
	Read  float64 // read from the cache
	Write float64 // read and kept in the cache
	Plain float64 // read, in a prompt that is too small to be kept
	Out   float64 // written by the model
	Cache model.Cache
}

// usual are the rates where a model's price is not known: those of most
// providers as of late 2026.
var usual = Rates{Read: .1, Write: 1, Plain: 1, Out: 5}

// leastCached stands in where a provider states no minimum.
const leastCached = 1024

// RatesOf are a model's rates for a prompt of a size, in tokens.
func RatesOf(m model.Model, tokens int) Rates {
	r, p := usual, m.PriceOf(tokens)
	r.Cache = m.Cache
	if p.In <= 0 {
		return r
	}
	if p.Read > 0 {
		r.Read = p.Read / p.In
	} else {
		r.Read = 1 // no cache that anybody is told of
	}
	if p.Write > 0 {
		r.Write = p.Write / p.In
	}
	if p.Out > 0 {
		r.Out = p.Out / p.In
	}
	return r
}

// Prompt is a request as a cache sees it, in tokens.
type Prompt struct {
	Total int
	// Shared states what its head has in common with the request before; Marked the
	// part of that up to the last breakpoint but the one at the end.
	Shared, Marked int
	// Behind states how many content blocks stand after Shared.
	Behind int
	// Cold says that the cache has expired: see Cold.
	Cold bool
}

// Hit returns how many tokens of a prompt are read from the cache. A cache with
// breakpoints finds what ends at most its look-back before the last one; what is
// further off is found at the breakpoint before, if at all.
func (r Rates) Hit(p Prompt) int {
	hit := min(p.Shared, p.Total)
	if r.Cache.Explicit && r.Cache.LookBack > 0 && p.Behind >= r.Cache.LookBack {
		hit = min(p.Marked, hit)
	}
	if step := r.Cache.Step; step > 0 {
		hit -= hit % step
	}
	if p.Cold || hit < r.minimum() {
		return 0
	}
	return hit
}

// minimum is the size in tokens of the smallest prompt that is cached.
func (r Rates) minimum() int { return cmp.Or(r.Cache.Minimum, leastCached) }

// Cost returns what a prompt costs as input, in tokens that no cache knows.
func (r Rates) Cost(p Prompt) float64 {
	hit := r.Hit(p)
	fresh := r.Write
	if p.Total < r.minimum() {
		fresh = r.Plain
	}
	return float64(hit)*r.Read + float64(p.Total-hit)*fresh
}

// usualTTL is how long a cache lives where neither the provider nor a policy says.
const usualTTL = 5 * time.Minute

// Cold reports whether a cache has forgotten a prompt after a rest. after overrides
// how long that takes, if it is not zero; where nobody says, it is usualTTL.
func Cold(c model.Cache, after, rest time.Duration) bool {
	return rest > cmp.Or(after, c.TTL, usualTTL)
}

// Remaining returns how many turns a conversation is expected to go on for after as
// many as it has had: as many again. That is the median for a thing of unknown
// age whose chance of ending falls as it lasts (Lindy's rule), it comes out the
// same whether one counts rounds or what a user said, and it gets better as the
// conversation tells more of itself. It is at least one.
func Remaining(turns int) float64 { return math.Max(float64(turns), 1) }

// lookup returns what one more turn costs in which the model fetches again what it
// misses: the prompt read once more, a call and its result.
func (r Rates) lookup(prompt int) float64 {
	const call, result = 100, 400 // tokens
	return r.Read*float64(prompt) + r.Write*(call+result) + r.Out*call
}

// missed states how many lookups a missing value costs: the model also goes wrong
// for want of it.
const missed = 1.5

// Carry is the chance of being needed, for each token, from which on a line of
// the log is worth carrying in a prompt of that size for as many turns: below,
// looking it up costs less. The size is in tokens.
func (r Rates) Carry(prompt int, turns float64) float64 {
	return (math.Max(r.Write-r.Read, 0) + r.Read*turns) / (missed * r.lookup(prompt))
}
