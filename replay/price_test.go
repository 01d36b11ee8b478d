package replay

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/model"
)

// asked makes a request of messages of a thousand tokens and one block each;
// each letter is one, S a system message.
func asked(messages string, before string, at time.Time) *request {
	r := &request{prefix: []key{1}, tokens: []int{0}, blocks: []int{0}, at: at}
	for i, m := range messages {
		r.prefix = append(r.prefix, mix(r.prefix[i], key(m)))
		r.tokens = append(r.tokens, (i+1)*1000)
		r.blocks = append(r.blocks, i+1)
		if m == 'S' && r.head == i {
			r.head = i + 1
		}
		if r.shared == i && i < len(before) && rune(before[i]) == m {
			r.shared = i + 1
		}
	}
	return r
}

// cached bills requests one after the other and returns, for each, how many
// messages were read from the cache. A model at 1 a token, 0 when cached, tells.
func cached(c model.Cache, at []time.Time, requests ...string) []int {
	m := &model.Model{Price: model.Price{In: 1e6, Read: 1e-6}, Cache: c}
	b := cache{price: Price{Model: m}, used: map[key]time.Time{}}
	var hits []int
	before := ""
	for i, r := range requests {
		q := asked(r, before, at[min(i, len(at)-1)])
		hits = append(hits, len(r)-int(math.Round(b.bill(q)/1000)))
		before = r
	}
	return hits
}

// SPEC: B5, B10. Each provider's own rules decide what is read from its cache.
func TestCacheRules(t *testing.T) {
	start := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	now, never := []time.Time{start}, []time.Time{{}}
	after := func(d ...time.Duration) (ts []time.Time) {
		for _, d := range d {
			ts = append(ts, start.Add(d))
		}
		return ts
	}
	implicit := model.Cache{Minimum: 1024, TTL: 5 * time.Minute}
	explicit := model.Cache{Explicit: true, Minimum: 1024, Breakpoints: 4, LookBack: 20, TTL: 5 * time.Minute}
	breaking := model.Cache{Minimum: 1024, Breakpoints: 4, LookBack: 80, TTL: 30 * time.Minute}
	for _, c := range []struct {
		name     string
		cache    model.Cache
		at       []time.Time
		requests []string
		want     []int
	}{
		{"implicit: what was the same", implicit, now, []string{"SSab", "SSabcd", "SSabXd", "SSabcde"}, []int{0, 4, 4, 6}},
		{"implicit: below the minimum", implicit, now, []string{"Sa", "Sb"}, []int{0, 0}},
		{"implicit: grain", model.Cache{Minimum: 1024, Step: 2048}, now, []string{"SSSS", "SSSSa"}, []int{0, 2}},
		{"implicit: grain cuts", model.Cache{Minimum: 1024, Step: 3000}, now, []string{"SSSS", "SSSSa"}, []int{0, 3}},
		{"at breakpoints: grows", breaking, now, []string{"SSab", "SSabcd", "SSabcdef"}, []int{0, 4, 6}},
		{"at breakpoints: the beginning alone is not found", breaking, now, []string{"SSabcd", "SSabXX"}, []int{0, 0}},
		{"at breakpoints: back to an earlier end", breaking, now, []string{"SSab", "SSabcdefgh", "SSabX"}, []int{0, 4, 4}},
		{"explicit: grows", explicit, now, []string{"SSab", "SSabcd", "SSabcdef"}, []int{0, 4, 6}},
		{"explicit: only marks hit", explicit, now, []string{"SSabcd", "SSabXX"}, []int{0, 2}},
		{"explicit: back to an earlier end", explicit, now, []string{"SSab", "SSabcd", "SSabX"}, []int{0, 4, 4}},
		{"explicit: below the minimum", explicit, now, []string{"Sab", "Sxy"}, []int{0, 0}},
		{"explicit: beyond the look-back", model.Cache{Explicit: true, LookBack: 3}, now, []string{"SSab", "SSabcdefgh", "SSabcdefgh"}, []int{0, 4, 10}},
		{"expired", explicit, after(0, 4*time.Minute, 8*time.Minute, 20*time.Minute), []string{"SSab", "SSabc", "SSabcd", "SSabcde"}, []int{0, 4, 5, 0}},
		{"unknown times never expire", implicit, never, []string{"SSab", "SSabc"}, []int{0, 4}},
	} {
		if got := cached(c.cache, c.at, c.requests...); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v messages from the cache, want %v", c.name, got, c.want)
		}
	}
}

func TestParsePrice(t *testing.T) {
	for s, want := range map[string]string{
		"A": "{A 0.1 1.25 <nil>}", "O.5": "{O.5 0.5 1 <nil>}", "0.2/1.5": "{0.2/1.5 0.2 1.5 <nil>}",
	} {
		p, err := ParsePrice(s)
		if got := fmt.Sprint(p); err != nil || got != want {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	p, err := ParsePrice("claude-sonnet-4-5")
	if err != nil || p.Model == nil || !p.Model.Cache.Explicit {
		t.Errorf("a model: %+v, %v", p, err)
	}
	for _, s := range []string{"", "B", "0.1/", "-1/2", "NaN/1", "1/0", "no-such-model"} {
		if p, err := ParsePrice(s); !errors.Is(err, ErrPrice) {
			t.Errorf("%q: %+v, %v", s, p, err)
		}
	}
}
