package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

const planLong = `A plan says which messages a prompt leaves out or changes, and why. Each change
makes a new version; every version stays and can be made the current one again.`

func (a *app) planCommand() *cobra.Command {
	sub := func(use, short, long, example string, most int, f func(context.Context, planOf, []string) error) *cobra.Command {
		return a.threadFlag(&cobra.Command{
			Use: use, Short: short, Long: long, Example: example, Args: want(0, most),
			RunE: func(c *cobra.Command, args []string) error {
				return a.with(c.Context(), func(s store.Store) error { return a.planned(c.Context(), s, args, f) })
			},
		})
	}
	restore := sub("restore VERSION", "make an older version the current one again",
		"Restore commits what an older version says as a new one. Version 0 is the empty\nplan: the whole conversation, nothing left out.",
		"  precis plan restore 0\n  precis plan restore 3 --thread 5f2c", 1, a.planRestore)
	restore.Args = want(1, 1)
	return group("plan", "what the prompt leaves out, and undo", planLong,
		sub("show [VERSION]", "print a plan record by record", "", "  precis plan show\n  precis plan show 2 --json", 1, a.planShow),
		sub("diff [FROM [TO]]", "print what changed between two versions",
			"Without arguments, what the last version changed.", "  precis plan diff\n  precis plan diff 1 4", 2, a.planDiff),
		sub("undo", "take the last version back",
			"Undo makes the version before the current one current again, as a new version.\nDone twice, it undoes itself.", "", 0, a.planUndo),
		restore)
}

// planOf is a thread whose plan a command is about.
type planOf struct {
	s store.Store
	r *recall.Reader
	h store.Head
}

func (a *app) planned(ctx context.Context, s store.Store, args []string, f func(context.Context, planOf, []string) error) error {
	r, h, err := a.reader(ctx, s)
	if err != nil {
		return err
	}
	return f(ctx, planOf{s, r, h}, args)
}

// version reads a version number; -1 and smaller count back from the current.
func (p planOf) version(arg string) (int, error) {
	v, err := strconv.Atoi(arg)
	if err != nil || v < 0 {
		return 0, usage("precis plan show tells the current one", "read version: %q is no version of a plan", arg)
	}
	return v, nil
}

// at is a version of the plan; 0 is the empty one.
func (p planOf) at(ctx context.Context, v int) (*plan.Plan, error) {
	if v == 0 {
		return &plan.Plan{Thread: p.h.Key.Thread}, nil
	}
	got, err := p.s.PlanAt(ctx, p.h.Key, v)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fail(fmt.Sprintf("this thread has the versions 0 to %d", p.h.PlanVersion), "read plan %d of %s: %w", v, p.h.Key.Thread, err)
	}
	return got, err
}

func (a *app) planShow(ctx context.Context, p planOf, args []string) error {
	v := p.h.PlanVersion
	var err error
	if len(args) > 0 {
		if v, err = p.version(args[0]); err != nil {
			return err
		}
	}
	shown, err := p.at(ctx, v)
	if err != nil {
		return err
	}
	if a.json {
		return a.object(shown)
	}
	if v == 0 {
		fmt.Fprintf(a.page, "thread %s has no plan: nothing is left out\n", clean(p.h.Key.Thread))
		return nil
	}
	fmt.Fprintf(a.page, "plan %d of thread %s\n", v, clean(p.h.Key.Thread))
	fmt.Fprintf(a.page, "%s, policy %s, %s → %s tokens, made at message #%d\n", stamp(shown.CreatedAt), shown.Policy,
		commas(shown.Original), commas(shown.Compacted), shown.ThreadVersion)
	if n := len(shown.Pins) + len(shown.Holds); n > 0 {
		fmt.Fprintf(a.page, "%s, %s\n", many(len(shown.Pins), "pin"), many(len(shown.Holds), "hold"))
	}
	if shown.Economy != nil {
		fmt.Fprint(a.page, sums(shown.Economy))
	}
	t := p.table("")
	for i := range shown.Records {
		p.add(&t, "", &shown.Records[i])
	}
	fmt.Fprint(a.page, "\n"+t.String())
	for _, w := range shown.Warnings {
		fmt.Fprintln(a.page, faint("note: "+clean(w)))
	}
	return nil
}

// table begins a table of records; mark is a first column, if there is one.
func (p planOf) table(mark string) table {
	t := table{right: []bool{false, false, false, true}}
	head := []string{"record", "action", "messages", "freed", "why"}
	if mark != "" {
		t.right = append([]bool{false}, t.right...)
		head = append([]string{" "}, head...)
	}
	t.add(head...)
	return t
}

func (p planOf) add(t *table, mark string, r *plan.Record) {
	from, _ := p.r.Thread.Find(r.Span.Start())
	to, _ := p.r.Thread.Find(r.Span.End())
	at := fmt.Sprintf("#%d", from+1)
	if r.Span.Part > 0 {
		at += fmt.Sprintf("/%d", r.Span.Part)
	}
	if to > from {
		at += fmt.Sprintf("–#%d", to+1)
	}
	row := []string{r.ID, recall.Act(r), at, commas(r.Saves), line(r.Reason, width)}
	if mark != "" {
		row = append([]string{mark}, row...)
	}
	t.add(row...)
}

// difference is what one plan has beyond another, for programs.
type difference struct {
	Thread  string        `json:"thread"`
	From    int           `json:"from"`
	To      int           `json:"to"`
	Added   []plan.Record `json:"added"`
	Removed []plan.Record `json:"removed"`
	Kept    int           `json:"kept"`
}

func (a *app) planDiff(ctx context.Context, p planOf, args []string) error {
	d := difference{Thread: p.h.Key.Thread, From: max(p.h.PlanVersion-1, 0), To: p.h.PlanVersion}
	for i, to := range []*int{&d.From, &d.To} {
		if i < len(args) {
			v, err := p.version(args[i])
			if err != nil {
				return err
			}
			*to = v
		}
	}
	from, err := p.at(ctx, d.From)
	if err != nil {
		return err
	}
	to, err := p.at(ctx, d.To)
	if err != nil {
		return err
	}
	d.Added, d.Removed = beyond(to, from), beyond(from, to)
	d.Kept = len(to.Records) - len(d.Added)
	if a.json {
		return a.object(d)
	}
	fmt.Fprintf(a.page, "plan %d → %d of thread %s: %s added, %s removed, %s kept\n", d.From, d.To, clean(d.Thread),
		commas(len(d.Added)), commas(len(d.Removed)), commas(d.Kept))
	if len(d.Added)+len(d.Removed) == 0 {
		return nil
	}
	t := p.table(" ")
	for i := range d.Removed {
		p.add(&t, bad("-"), &d.Removed[i])
	}
	for i := range d.Added {
		p.add(&t, good("+"), &d.Added[i])
	}
	fmt.Fprint(a.page, "\n"+t.String())
	return nil
}

// beyond are the records of p that q has not.
func beyond(p, q *plan.Plan) []plan.Record {
	out := []plan.Record{}
	for i := range p.Records {
		if q.Find(p.Records[i].ID) == nil {
			out = append(out, p.Records[i])
		}
	}
	return out
}

func (a *app) planUndo(ctx context.Context, p planOf, _ []string) error {
	if p.h.PlanVersion == 0 {
		return fail("precis compact FILE makes a plan", "undo plan of %s: there is none", p.h.Key.Thread)
	}
	now, err := p.at(ctx, p.h.PlanVersion)
	if err != nil {
		return err
	}
	to := p.h.PlanVersion - 1
	if now.Restores > 0 { // one undo after another steps further back
		to = now.Restores - 2
	}
	if to < 0 {
		return fail("precis plan restore N takes any version", "undo plan of %s: nothing is left to undo", p.h.Key.Thread)
	}
	return a.restore(ctx, p, to)
}

func (a *app) planRestore(ctx context.Context, p planOf, args []string) error {
	v, err := p.version(args[0])
	if err != nil {
		return err
	}
	if _, err := p.at(ctx, v); err != nil {
		return err
	}
	return a.restore(ctx, p, v)
}

func (a *app) restore(ctx context.Context, p planOf, v int) error {
	e, err := precis.New(precis.Options{Store: p.s, Tenant: a.whose})
	if err != nil {
		return err
	}
	made, err := e.Restore(ctx, p.h.Key.Thread, v)
	if err != nil {
		return err
	}
	return a.changed(made, fmt.Sprintf("says what plan %d said", v))
}

// changed tells of a plan that a command committed.
func (a *app) changed(p *plan.Plan, what string) error {
	if a.json {
		return a.object(map[string]any{"thread": p.Thread, "plan_version": p.Version, "records": len(p.Records)})
	}
	fmt.Fprintf(a.page, "plan %d of thread %s %s: %s\n", p.Version, clean(p.Thread), what, many(len(p.Records), "record"))
	return nil
}
