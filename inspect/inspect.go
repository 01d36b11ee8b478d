// Package inspect serves a page, and the JSON API behind it, that shows what
// compaction did to the conversations of a store and lets a person steer it.
//
// Use: Handler over a store, on a server of this machine; Token makes the address
// that opens it. Law: what is shown follows from log and plans alone, and nothing is
// written but by the engine, on the plan version that the page has seen. Promise: the
// text of a conversation is data and never markup, the page asks no other host for
// anything, and a number that nobody knows is absent, never guessed.
package inspect

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/token"
)

// Options say whose conversations are shown, to whom, and what may be done. The zero
// value shows the default tenant to whoever reaches the handler.
type Options struct {
	// Tenant is whose conversations are shown; no other's are reachable.
	Tenant string
	// Token opens the page: whoever requests it with ?token= gets a cookie, and nobody
	// else sees anything. "" asks for none: the program that mounts the handler does.
	Token string
	// Hosts are names under which the page is reached, beside those of this machine.
	Hosts []string
	// ReadOnly refuses every action. Set it where the store cannot be written.
	ReadOnly bool
	// Permissions open artifacts that are not public: see artifact.ReadConfidential.
	Permissions []string
	// By names the person in the tombstone of what is erased.
	By string
	// Engine configures what actions and experiments run with. Its Store, Tenant and
	// Shadow are not read; its Policy stands in where a plan's own is not known.
	Engine precis.Options
	// Models looks a model up; nil: the embedded table.
	Models func(name string) (model.Model, bool)
	// Meter counts for a model; nil: without exact encodings.
	Meter func(model.Model) (token.Meter, error)
	// Events brings what happens while the page is open; nil: only new plans and
	// messages of the store are told.
	Events *event.Bus
	// Metrics answers GET /metrics as a proxy does; nil: its figures are absent.
	Metrics http.Handler
}

// Handler returns the page and its API over s. Mount it at the root of a server, or
// under a path with http.StripPrefix and a slash at the end.
func Handler(s store.Store, o Options) http.Handler {
	if o.Models == nil {
		o.Models = model.Lookup
	}
	if o.Meter == nil {
		o.Meter = func(m model.Model) (token.Meter, error) { return token.For(m, nil) }
	}
	if o.Engine.Now == nil {
		o.Engine.Now = time.Now
	}
	a := &api{
		store: s, o: o, sums: sums{last: map[string]Summary{}}, views: views{store: s, who: artifact.Requester{ID: "inspector", Tenant: o.Tenant, Permissions: o.Permissions}, now: o.Engine.Now, models: o.Models},
		watch: watch{list: func(ctx context.Context) ([]store.Head, error) { return s.Heads(ctx, o.Tenant) }},
	}
	mux := http.NewServeMux()
	a.routes(mux)
	mux.Handle("GET /", assets())
	return newGuard(o).protect(mux)
}
