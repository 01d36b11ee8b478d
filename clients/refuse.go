package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/clients/provider"
)

// refusedNotes is how many notes a task with refusals has.
const refusedNotes = 24

// refusedBudget is more than the task takes, so that only the refusals make it compact.
const refusedBudget = "80k"

// refusals are what the provider refuses a client with.
var refusals = []provider.Refusal{{At: 3, Kind: provider.RateLimit}, {At: 6, Kind: provider.Overloaded}, {At: 16, Kind: provider.Window}, {At: 21, Kind: provider.Size}}

// refusedRow is how a client and the proxy took each refusal.
type refusedRow struct {
	Client, Version, API string
	Skipped              string // why it did not run, "" if it did
	Came                 map[provider.Kind]string
	Plans                int
	Answer               string
	Faults               []string
}

// tryRefusals runs a client through a task whose provider refuses now and then.
func tryRefusals(ctx context.Context, o options, c client) refusedRow {
	r := refusedRow{Client: c.name, API: c.api, Came: map[provider.Kind]string{}}
	l, done, skipped := begin(ctx, o, c)
	if skipped != "" {
		r.Skipped = skipped
		return r
	}
	defer done()
	r.Version, l.notes, l.budget = version(o, c), refusedNotes, refusedBudget
	if err := l.refuse(ctx, &r); err != nil {
		r.Faults = append(r.Faults, err.Error())
	}
	return r
}

// refuse plays the task, and asks a client that gave up to go on.
func (l *lab) refuse(ctx context.Context, r *refusedRow) error {
	closeAll, err := l.open(ctx, provider.Script{Notes: l.notes, Facts: facts, LookUps: 1, Refusals: refusals})
	if err != nil {
		return err
	}
	defer closeAll()
	env, err := l.client.setup(l)
	if err != nil {
		return err
	}
	const fact = "vessel-tern"
	gaveUp := map[provider.Kind]bool{}
	said, err := l.command(ctx, env, l.client.ask(l, fmt.Sprintf(task, l.notes, provider.Question(fact)), false))
	for range refusals {
		given := l.model.Report().Given
		if strings.Contains(said, facts[fact]) || len(given) == 0 {
			break
		}
		gaveUp[given[len(given)-1]] = true
		said, err = l.command(ctx, env, l.client.ask(l, "Go on with the task.", true))
	}
	if err != nil {
		return err
	}
	got := row{}
	l.judge(&got, fact, said)
	l.sum(&got)
	r.Answer, r.Plans, r.Faults = got.Facts[0], got.Plans, got.Faults
	if given := l.model.Report().Given; len(given) < len(refusals) {
		r.Faults = append(r.Faults, fmt.Sprintf("only %d refusals were given", len(given)))
	}
	l.came(r, gaveUp)
	return nil
}

// came says what came of each refusal, and which outcome is a fault of the proxy: a
// client that is told of a prompt that is too long, or that is not told when to ask again.
func (l *lab) came(r *refusedRow, gaveUp map[provider.Kind]bool) {
	l.tap.mu.Lock()
	defer l.tap.mu.Unlock()
	overloaded := http.StatusServiceUnavailable
	if l.client.api == "anthropic" {
		overloaded = 529
	}
	for kind, status := range map[provider.Kind]int{
		provider.RateLimit: http.StatusTooManyRequests, provider.Overloaded: overloaded,
		provider.Window: http.StatusBadRequest, provider.Size: http.StatusRequestEntityTooLarge,
	} {
		i := slices.IndexFunc(l.tap.told, func(t told) bool { return t.status == status })
		tooLong := kind == provider.Window || kind == provider.Size
		switch {
		case i < 0 && tooLong:
			r.Came[kind] = "a shorter prompt"
		case i < 0:
			r.Came[kind] = "not told"
			r.Faults = append(r.Faults, fmt.Sprintf("%s did not reach the client", kind))
		case gaveUp[kind]:
			r.Came[kind] = "told; gave up, went on when asked"
		default:
			r.Came[kind] = "told; asked again"
		}
		if i >= 0 && tooLong {
			r.Faults = append(r.Faults, fmt.Sprintf("the client was told of a prompt that is too long (%s)", kind))
		}
		if i >= 0 && kind == provider.RateLimit && l.tap.told[i].after != "1" {
			r.Faults = append(r.Faults, fmt.Sprintf("Retry-After reached the client as %q", l.tap.told[i].after))
		}
	}
	slices.Sort(r.Faults)
}
