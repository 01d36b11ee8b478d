package planner

import (
	"context"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Rehydration brings externalized content back for one turn.
type Rehydration struct {
	Config rehydrate.Config
	Policy policy.Policy
	Store  store.Artifacts
	Now    func() time.Time
}

// Selected holds the content that a turn wants back, decided before it is compacted: a turn that
// brings content back is not the turn to take more away.
type Selected struct {
	Wants []rehydrate.Want
	Skips []rehydrate.Skip
	key   store.Key
	ask   rehydrate.Ask
}

// Asked is the branch that content may come back to.
type Asked struct {
	Thread      *thread.Thread
	Plan        *plan.Plan // that was found in force; nil: none
	Permissions []string   // of whoever the prompt is for
	State       rehydrate.State
}

// Select chooses which externalized content this turn brings back.
func (h Rehydration) Select(ctx context.Context, k store.Key, r *Request, a Asked) (s Selected, err error) {
	s.key = k
	if h.Config.Disabled || h.Policy.Reserve(r.Budget) == 0 || !externalizes(a.Plan) {
		return s, nil
	}
	if r.Model.Thinking == model.Bound { // what it thinks would be bound to content that is gone next time
		return s, nil
	}
	list, err := h.Store.ArtifactList(ctx, k)
	if err != nil {
		return s, err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(x artifact.Artifact) bool { // others may have gone on from here
		_, seen := a.Thread.Find(x.Source)
		return !seen
	})
	s.ask = rehydrate.Ask{
		Thread: a.Thread, Plan: a.Plan, Tenant: k.Tenant, Artifacts: list,
		Requester: artifact.Requester{Tenant: k.Tenant, Permissions: a.Permissions},
		State:     a.State, Now: h.Now(), Count: r.Meter.Text, Tool: h.Policy.Recall,
	}
	s.Wants, s.Skips = h.Config.Choose(s.ask)
	return s, nil
}

func externalizes(p *plan.Plan) bool {
	return p != nil && slices.ContainsFunc(p.Records, func(r plan.Record) bool { return r.Action == plan.Externalize })
}

// Build makes what stands at the very end of a prompt of so many tokens, within
// the policy's reserve and what the budget leaves. It is never logged.
func (h Rehydration) Build(ctx context.Context, s Selected, r *Request, tokens int) rehydrate.Result {
	if len(s.Wants) == 0 {
		return rehydrate.Result{Skips: s.Skips, State: s.ask.State}
	}
	framing := r.Meter.Message(message.Message{Role: message.User})
	s.ask.Reserve = min(h.Policy.Reserve(r.Budget), r.Budget-tokens) - framing
	out := h.Config.Build(s.ask, s.Wants, h.contents(ctx, s))
	out.Skips = append(s.Skips, out.Skips...)
	return out
}

// contents fetches what is wanted, or says why it cannot be had.
func (h Rehydration) contents(ctx context.Context, s Selected) map[string]rehydrate.Content {
	out := map[string]rehydrate.Content{}
	for _, w := range s.Wants {
		a, err := h.Store.Artifact(ctx, s.key, w.Artifact)
		switch {
		case err == nil && a.KeyID != "":
			out[w.Artifact] = rehydrate.Content{Reason: rehydrate.Sealed, Detail: "key " + a.KeyID}
		case err == nil:
			out[w.Artifact] = rehydrate.Content{Text: string(a.Content)}
		default:
			out[w.Artifact] = rehydrate.Content{Reason: rehydrate.Missing, Detail: err.Error()}
		}
	}
	return out
}
