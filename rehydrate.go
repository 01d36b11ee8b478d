package precis

import (
	"context"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// wanted is what a turn wants back, decided before it is compacted: a turn that
// brings content back is not the turn to take more away (SPEC L14).
type wanted struct {
	ask   rehydrate.Ask
	wants []rehydrate.Want
	skips []rehydrate.Skip
}

// want asks which externalized content this turn brings back, by the plan that
// was found in force.
func (e *Engine) want(ctx context.Context, k store.Key, t *thread.Thread, p *plan.Plan, in Input) (w wanted, err error) {
	if e.rehydration.Disabled || e.shadow || e.policy.Reserve(in.Budget) == 0 || !externalizes(p) {
		return w, nil
	}
	if in.Model.Thinking == model.Bound { // what it thinks would be bound to content that is gone next time
		return w, nil
	}
	list, err := e.store.ArtifactList(ctx, k)
	if err != nil {
		return w, err
	}
	w.ask = rehydrate.Ask{
		Thread: t, Plan: p, Tenant: e.tenant, Artifacts: list,
		Requester: artifact.Requester{Tenant: e.tenant, Permissions: in.Client.Permissions},
		State:     e.recent.state(k), Now: e.now(), Count: in.Meter.Text, Tool: e.policy.Recall,
	}
	w.wants, w.skips = e.rehydration.Choose(w.ask)
	return w, nil
}

func externalizes(p *plan.Plan) bool {
	return p != nil && slices.ContainsFunc(p.Records, func(r plan.Record) bool { return r.Action == plan.Externalize })
}

// bring puts what is wanted at the very end of the prompt, within the policy's
// reserve and what the budget leaves. It is never logged.
func (e *Engine) bring(ctx context.Context, turn *Turn, w wanted) {
	if len(w.wants)+len(w.skips) == 0 {
		return
	}
	var r rehydrate.Result
	if len(w.wants) > 0 {
		framing := turn.meter.Message(message.Message{Role: message.User})
		w.ask.Reserve = min(e.policy.Reserve(turn.Budget), turn.Budget-turn.Compacted) - framing
		r = e.rehydration.Build(w.ask, w.wants, e.contents(ctx, turn.Key, w.wants))
		e.recent.setState(turn.Key, r.State)
	}
	turn.Rehydrated, turn.RehydrationSkipped = r.Shown, append(w.skips, r.Skips...)
	for _, m := range r.Messages {
		turn.Compacted += turn.meter.Message(m)
		turn.Messages = append(turn.Messages, m)
		turn.Origins = append(turn.Origins, render.Origin{First: -1})
	}
	e.broughtBack(turn)
}

// contents fetches what is wanted, or says why it cannot be had.
func (e *Engine) contents(ctx context.Context, k store.Key, wants []rehydrate.Want) map[string]rehydrate.Content {
	out := map[string]rehydrate.Content{}
	for _, w := range wants {
		a, err := e.store.Artifact(ctx, k, w.Artifact)
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

// broughtBack tells what came back and what was held back.
func (e *Engine) broughtBack(t *Turn) {
	turn := t.Thread.Turns()
	for _, s := range t.Rehydrated {
		e.emit(t.Key, event.Event{
			Kind: event.Rehydrated, Turn: turn, Budget: t.Budget,
			Details: event.Details{Artifact: s.Artifact, Reason: string(s.Trigger), Tokens: s.Tokens},
		})
	}
	for _, s := range t.RehydrationSkipped {
		kind := event.RehydrationSkipped
		if s.Reason.Blocked() {
			kind = event.BlockedSensitivity
		}
		e.emit(t.Key, event.Event{Kind: kind, Turn: turn, Details: event.Details{Artifact: s.Artifact, Reason: string(s.Reason)}})
	}
}
