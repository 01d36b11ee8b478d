package replay

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/model"
)

// Price holds what input costs. With Model set it is USD under that provider's own
// caching rules. Else it is relative to an uncached token at 1, and what a
// request shares with the one before is cached, whatever its place and age, if
// it is 1,024 tokens or more: the most that any provider's cache can save.
type Price struct {
	Name   string
	Cached float64 // reading a token from the cache
	Fresh  float64 // reading and, where that costs more, writing the rest
	Model  *model.Model
}

// Prices are the models every cost is given under.
var Prices = []Price{
	{Name: "A", Cached: 0.1, Fresh: 1.25},  // Anthropic
	{Name: "O.1", Cached: 0.1, Fresh: 1.0}, // OpenAI, newer models
	{Name: "O.5", Cached: 0.5, Fresh: 1.0}, // OpenAI, older models
}

// ErrPrice is wrapped by the errors of ParsePrice.
var ErrPrice = errors.New("no price")

// ParsePrice reads one of Prices by its name, a pair CACHED/FRESH relative to an
// uncached token ("0.1/1.25"), or a model's name.
func ParsePrice(s string) (Price, error) {
	for _, p := range Prices {
		if p.Name == s {
			return p, nil
		}
	}
	if cached, fresh, ok := strings.Cut(s, "/"); ok {
		c, err1 := strconv.ParseFloat(cached, 64)
		f, err2 := strconv.ParseFloat(fresh, 64)
		if err1 == nil && err2 == nil && c >= 0 && f > 0 && c <= 1000 && f <= 1000 {
			return Price{Name: s, Cached: c, Fresh: f}, nil
		}
	}
	m, ok := model.Lookup(s)
	if !ok || m.Price.In <= 0 {
		return Price{}, fmt.Errorf("read price %q: %w of that name: want A, O.1, O.5, a pair like 0.1/1.25, or a model", s, ErrPrice)
	}
	return Price{Name: s, Model: &m}, nil
}

// cacheMin is the smallest prefix that is cached, in tokens.
const cacheMin = 1024

// request is a prompt as a cache sees it. Index i of a list is the boundary
// before message i: prefix[0] is what stands beside the messages.
type request struct {
	prefix []key // of all up to the boundary
	tokens []int // up to the boundary
	blocks []int // up to the boundary
	head   int   // boundary after the leading system messages
	mark   int   // boundary after what the policy expects to repeat, 0 for none
	shared int   // boundary up to which it is the request before
	at     time.Time
}

func (r *request) total() int { return r.tokens[len(r.tokens)-1] }

// cache holds what a provider remembers of one conversation.
type cache struct {
	price Price
	used  map[key]time.Time // when an entry was written or read last
	tail  int               // boundary at the end of the request before
}

// bill is the price of the next request.
func (c *cache) bill(r *request) float64 {
	total := r.total()
	if c.price.Model == nil {
		shared := r.tokens[r.shared]
		if r.shared == 0 || shared < cacheMin {
			shared = 0
		}
		return float64(shared)*c.price.Cached + float64(total-shared)*c.price.Fresh
	}
	hit := 0
	switch k := c.price.Model.Cache; {
	case k.Explicit:
		hit = c.points(r)
	case k.Breakpoints > 0:
		hit = c.longest(r, told(r))
	default:
		hit = c.longest(r, all(r))
	}
	p := c.price.Model.PriceOf(total)
	fresh := p.In
	if total >= c.minimum() {
		fresh = cmp.Or(p.Write, p.In)
	}
	return (float64(hit)*cmp.Or(p.Read, p.In) + float64(total-hit)*fresh) / 1e6
}

func (c *cache) minimum() int { return cmp.Or(c.price.Model.Cache.Minimum, cacheMin) }

// alive reports whether an entry can be read at a time; unknown times never age.
func (c *cache) alive(k key, at time.Time) bool {
	used, ok := c.used[k]
	ttl := c.price.Model.Cache.TTL
	return ok && (ttl == 0 || at.IsZero() || used.IsZero() || at.Sub(used) <= ttl)
}

// points is a cache that the client marks: after tools and system prompt, after what the policy
// expects to repeat, where the request before ended, and at the end. A mark finds entries at most the
// look-back in blocks before it.
func (c *cache) points(r *request) (hit int) {
	end := len(r.prefix) - 1
	marks := []int{r.head, end}
	if r.shared >= c.tail && c.tail > r.head && c.tail < end {
		marks = append(marks, c.tail)
	}
	if r.mark > r.head {
		marks = append(marks, r.mark)
	}
	read := -1
	for _, m := range marks {
		for b := m; b >= 0 && r.blocks[m]-r.blocks[b] < max(c.price.Model.Cache.LookBack, 1); b-- {
			if r.tokens[b] < c.minimum() {
				break
			}
			if c.alive(r.prefix[b], r.at) {
				if r.tokens[b] > hit {
					hit, read = r.tokens[b], b
				}
				break
			}
		}
	}
	if read >= 0 {
		c.used[r.prefix[read]] = r.at
	}
	for _, m := range marks {
		if r.tokens[m] >= c.minimum() {
			c.used[r.prefix[m]] = r.at
		}
	}
	c.tail = end
	return hit
}

// all are the boundaries of a request.
func all(r *request) (bs []int) {
	for b := range r.prefix {
		bs = append(bs, b)
	}
	return bs
}

// told are the end of a request and the boundary after what the policy expects to repeat.
func told(r *request) []int {
	if r.mark > 0 {
		return []int{r.mark, len(r.prefix) - 1}
	}
	return []int{len(r.prefix) - 1}
}

// longest is a cache that works by itself: it finds the longest prefix that it kept of any
// request before, in the provider's grain, and keeps what ends at some boundaries: at all of
// them, or at the end and where it is told.
func (c *cache) longest(r *request, kept []int) int {
	hit := 0
	for b := len(r.prefix) - 1; b >= 0 && hit == 0; b-- {
		if c.alive(r.prefix[b], r.at) {
			hit = r.tokens[b]
			c.used[r.prefix[b]] = r.at
		}
	}
	for _, b := range kept {
		c.used[r.prefix[b]] = r.at
	}
	if step := c.price.Model.Cache.Step; step > 0 {
		hit -= hit % step
	}
	if hit < c.minimum() {
		return 0
	}
	return hit
}
