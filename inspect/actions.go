package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Action asks for a change, or with Preview for what it would cost.
type Action struct {
	Action  string `json:"action"` // expand, return, undo, restore, pin, unpin, hold, release, compact, rename, erase
	Preview bool   `json:"preview"`
	// Version is the plan that the page shows. An action on another one is refused.
	Version int `json:"plan_version"`

	Record  string `json:"record,omitempty"`  // expand
	Message int    `json:"message,omitempty"` // return, pin, unpin, hold, release, erase; compact: only what is above it
	Restore int    `json:"restore,omitempty"` // restore: the version to take up again
	Budget  int    `json:"budget,omitempty"`  // compact, in tokens; 0: that of the plan
	Title   string `json:"title,omitempty"`   // rename
	Reason  string `json:"reason,omitempty"`  // erase
	Confirm string `json:"confirm,omitempty"` // erase: "erase #12", typed by the person
}

// Done is the outcome of an action.
type Done struct {
	Preview bool   `json:"preview"`
	Version int    `json:"plan_version"`
	Cost    *Cost  `json:"cost,omitempty"`
	Text    string `json:"text"`
	// Undo reports whether an undo takes it back: after an undo or a restoration it goes further back.
	Undo bool `json:"can_undo"`
}

const maxAction = 64 << 10

// readBody reads the one object that a request brings.
func readBody(r *http.Request, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxAction))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one object")
	}
	return nil
}

func (a *api) act(r *http.Request) (any, error) {
	var x Action
	if err := readBody(r, &x); err != nil {
		return nil, badRequest("read action: %v", err)
	}
	if x.Budget < 0 {
		return nil, badRequest("budget: want 0 or more, got %d", x.Budget)
	}
	v, err := a.views.open(r.Context(), r.PathValue("thread"))
	if err != nil {
		return nil, err
	}
	if a.o.ReadOnly && !x.Preview {
		return nil, fault{http.StatusForbidden, "read_only", "This inspector only reads: nothing was changed."}
	}
	if x.Version != v.head.PlanVersion && x.Action != "rename" {
		return nil, stalePage(x.Version, v.head.PlanVersion)
	}
	switch x.Action {
	case "rename":
		return a.renamed(r.Context(), v, x)
	case "erase":
		return a.erase(r.Context(), v, x)
	}
	return a.planned(r.Context(), v, x)
}

// planned does an action that makes a new plan.
func (a *api) planned(ctx context.Context, v *view, x Action) (any, error) {
	var outcome precis.Outcome
	do, err := a.change(ctx, v, x, &outcome)
	if err != nil {
		return nil, err
	}
	done := Done{Preview: x.Preview, Undo: x.Action != "undo" && x.Action != "restore", Version: v.head.PlanVersion}
	next, err := a.preview(ctx, v, do)
	if err != nil {
		return nil, err
	}
	will := v.current() // a compaction may change nothing
	if next != nil {
		will = sketchOf(v.t, next)
	}
	done.Cost = v.cost(will)
	done.Cost.Outcome = string(outcome)
	if !x.Preview {
		if next, err = a.commit(ctx, v, x, do); err != nil {
			return nil, err
		}
	}
	if next != nil {
		done.Version = next.Version
	}
	done.Text = sentence(x, done, outcome)
	return done, nil
}

func (a *api) commit(ctx context.Context, v *view, x Action, do func(context.Context, *precis.Engine) (*plan.Plan, error)) (*plan.Plan, error) {
	e, err := a.engine(a.engineOptions(), asSeen{a.store, v.head.Key, x.Version}, v)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	next, err := do(ctx, e)
	if errors.Is(err, store.ErrStale) {
		return nil, stalePage(x.Version, x.Version+1)
	}
	return next, err
}

// engineOptions are those of an engine whose events the page tells of.
func (a *api) engineOptions() precis.Options {
	o := a.o.Engine
	o.Events = a.o.Events
	return o
}

// change is the engine's call that an action stands for.
func (a *api) change(ctx context.Context, v *view, x Action, outcome *precis.Outcome) (func(context.Context, *precis.Engine) (*plan.Plan, error), error) {
	name := v.head.Key.Thread
	var id thread.ID
	if x.Message != 0 {
		if x.Message < 1 || x.Message > v.t.Len() {
			return nil, badRequest("message: this thread has the messages 1 to %d", v.t.Len())
		}
		id = v.t.ID(x.Message - 1)
	}
	if id == "" && needsMessage[x.Action] {
		return nil, badRequest("message: name one")
	}
	switch x.Action {
	case "expand":
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) { return e.Expand(ctx, name, x.Record) }, nil
	case "return":
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) { return e.ExpandMessage(ctx, name, id) }, nil
	case "pin":
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) {
			return e.Pin(ctx, name, plan.Ref{ID: id})
		}, nil
	case "unpin":
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) {
			return e.Unpin(ctx, name, plan.Ref{ID: id})
		}, nil
	case "hold":
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) { return e.Hold(ctx, name, id) }, nil
	case "release":
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) { return e.Release(ctx, name, id) }, nil
	case "undo", "restore":
		return restoring(v, x)
	case "compact":
		in, err := a.request(ctx, v)
		if err != nil {
			return nil, err
		}
		if x.Budget > 0 {
			in.Budget = x.Budget
		}
		in.Mode = precis.Mode{Force: true, Trigger: event.Manual, Above: id}
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) {
			t, err := e.Prepare(ctx, in)
			if err != nil {
				return nil, err
			}
			*outcome = t.Outcome
			return t.Plan, nil
		}, nil
	}
	return nil, badRequest("action: there is no %q", x.Action)
}

var needsMessage = map[string]bool{"return": true, "pin": true, "unpin": true, "hold": true, "release": true, "erase": true}

func restoring(v *view, x Action) (func(context.Context, *precis.Engine) (*plan.Plan, error), error) {
	if x.Action == "undo" {
		p := v.current()
		if p == nil {
			return nil, badRequest("undo: this thread has no plan")
		}
		if _, ok := p.Undo(); !ok {
			return nil, badRequest("undo: nothing is left to undo")
		}
		return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) { return e.Undo(ctx, v.head.Key.Thread) }, nil
	}
	to := x.Restore
	if to != 0 && v.version(to) == nil {
		return nil, badRequest("restore: this thread has the plan versions 0 to %d", v.head.PlanVersion)
	}
	return func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) {
		return e.Restore(ctx, v.head.Key.Thread, to)
	}, nil
}

// sentence tells in words what an action does, or did.
func sentence(x Action, d Done, outcome precis.Outcome) string {
	if outcome != "" && outcome != precis.Compacted {
		return fmt.Sprintf("A compaction would change nothing: %s.", strings.ReplaceAll(string(outcome), "_", " "))
	}
	verb := "makes"
	if !x.Preview {
		verb = "made"
	}
	return fmt.Sprintf("%s %s plan %d: the next request has %s tokens, %s before.", what(x), verb, d.Version, term.Comma(d.Cost.After), term.Comma(d.Cost.Before))
}

func what(x Action) string {
	switch x.Action {
	case "expand":
		return "Bringing back record " + x.Record
	case "return":
		return fmt.Sprintf("Bringing back #%d and its round", x.Message)
	case "undo":
		return "Undoing the last change"
	case "restore":
		return fmt.Sprintf("Restoring plan %d", x.Restore)
	case "compact":
		if x.Message > 0 {
			return fmt.Sprintf("Compacting what is above #%d", x.Message)
		}
		return "Compacting now"
	}
	return fmt.Sprintf("The %s of #%d", x.Action, x.Message)
}

func (a *api) renamed(ctx context.Context, v *view, x Action) (any, error) {
	d := Done{Preview: x.Preview, Version: v.head.PlanVersion, Text: "The name is the inspector's own: no prompt shows it."}
	if x.Preview {
		return d, nil
	}
	return d, a.rename(ctx, v.head.Key.Thread, x.Title)
}

// erase removes what a message said, for good.
func (a *api) erase(ctx context.Context, v *view, x Action) (any, error) {
	if x.Message < 1 || x.Message > v.t.Len() {
		return nil, badRequest("message: this thread has the messages 1 to %d", v.t.Len())
	}
	d := Done{
		Preview: x.Preview, Version: v.head.PlanVersion,
		Text: fmt.Sprintf("Erasing #%d removes what it said from the log, from every plan and summary that may quote it, and from forks that share it. What those had left out is in the prompt again until the next compaction. It cannot be undone.", x.Message),
	}
	if x.Preview {
		return d, nil
	}
	if want := fmt.Sprintf("erase #%d", x.Message); strings.TrimSpace(x.Confirm) != want {
		return nil, badRequest("confirm: type %q", want)
	}
	if strings.TrimSpace(x.Reason) == "" {
		return nil, badRequest("reason: say why; it stays in the tombstone")
	}
	e, err := a.engine(a.engineOptions(), a.store, v)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	why := artifact.Tombstone{At: a.o.Engine.Now(), By: a.o.By, Reason: x.Reason}
	if err := e.Erase(ctx, v.head.Key.Thread, v.t.ID(x.Message-1), why); err != nil {
		return nil, err
	}
	h, err := a.store.Head(ctx, v.head.Key)
	d.Version, d.Text = h.PlanVersion, fmt.Sprintf("#%d is erased.", x.Message)
	return d, err
}
