package inspect

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
)

// known is the model that a thread's prompts are for; the zero value is not known.
type known struct {
	model  model.Model
	listed bool
}

func (k known) name() string {
	if !k.listed {
		return ""
	}
	return k.model.Name
}

// knownOf finds the model of a thread: the one its newest plan was made for, or the
// one its last request names.
func knownOf(ctx context.Context, s store.Store, v *view, models func(string) (model.Model, bool)) known {
	name := ""
	for i := len(v.plans) - 1; i >= 0 && name == ""; i-- {
		name = v.plans[i].Inputs.Model
	}
	if name == "" {
		name = modelOf(ctx, s, v.head.Key)
	}
	if name == "" {
		return known{}
	}
	m, ok := models(name)
	return known{m, ok}
}

// modelOf is the model that the last request of a thread names.
func modelOf(ctx context.Context, s store.Store, k store.Key) string {
	around, err := s.Envelope(ctx, k)
	if err != nil {
		return ""
	}
	var request struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(around, &request) // one that does not say has no name
	return request.Model
}

// bill is an estimate of what a request costs as input.
type bill struct {
	hit int // tokens read from the provider's cache
	usd float64
	raw float64 // USD of the same request, had no cache held any of it
	all float64 // USD of sending everything at this step
}

// price estimates the bills of requests in turn, by the model's published prices and
// caching rules; without them no request has one.
func (v *view) price(all []step) {
	if !v.model.listed || v.model.model.PriceOf(1).In == 0 {
		return
	}
	before := 0 // tokens of the whole log at the request before
	var last time.Time
	for i := range all {
		s := &all[i]
		cold := !last.IsZero() && !s.last.Time.IsZero() && cachecost.Cold(v.model.model.Cache, 0, s.last.Time.Sub(last))
		s.bill = v.bill(s.tokens, s.shared, cold)
		s.bill.all = v.bill(s.logged, before, cold).usd
		before, last = s.logged, s.last.Time
	}
}

func (v *view) bill(tokens, shared int, cold bool) *bill {
	p := cachecost.Prompt{Total: tokens, Shared: min(shared, tokens), Marked: min(shared, tokens), Cold: cold}
	rates := cachecost.RatesOf(v.model.model, tokens)
	price := v.model.model.PriceOf(tokens).In / 1e6
	return &bill{hit: rates.Hit(p), usd: rates.Cost(p) * price, raw: float64(tokens) * price}
}
