package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

const planLong = `A plan says which messages a prompt leaves out or changes, and why. Each change
makes a new version; every version stays and can be made the current one again.`

const undoLong = `Undo makes the version before the current one current again, as a new version.
A second undo goes one version further back; it does not undo the first. What
"precis expand" did is undone first, then the version before it, and so on back to
the empty plan. Pins and holds that the step made or took off are as they were
before it; "precis plan restore" leaves them as they are. To come forward again, "precis plan restore" takes any version;
"precis plan list" shows them, and "precis plan diff" what one changed.`

func planCommand(th *threads) *cobra.Command {
	sub := func(use, short, long, example string, open func(context.Context, func(store.Store) error) error, most int, f func(context.Context, planOf, []string) error) *cobra.Command {
		return th.threadFlag(&cobra.Command{
			Use: use, Short: short, Long: long, Example: example, Args: arguments(0, most), ValidArgsFunction: versions(th, most),
			RunE: func(c *cobra.Command, args []string) error {
				return open(c.Context(), func(s store.Store) error { return planned(c.Context(), th, s, args, f) })
			},
		})
	}
	restore := sub("restore VERSION", "make an older version the current one again",
		"Restore commits what an older version says as a new one. Version 0 is the empty\nplan: the whole conversation, nothing left out.",
		"  precis plan restore 0\n  precis plan restore 3 --thread 5f2c", th.with, 1, planRestore)
	restore.Args = arguments(1, 1)
	return group("plan", "what the prompt leaves out, and undo", planLong,
		sub("show [VERSION]", "print a plan record by record", "", "  precis plan show\n  precis plan show 2 --json", th.reading, 1, planShow),
		sub("list", "list the versions of a plan, the newest first",
			"List tells of every version when and by what it was made, how many records it has,\nand the tokens without and with it. precis plan restore takes the number of one.",
			"  precis plan list\n  precis plan list --json", th.reading, 0, planList),
		sub("diff [FROM [TO]]", "print what changed between two versions",
			"Without arguments, what the last version changed.", "  precis plan diff\n  precis plan diff 1 4", th.reading, 2, planDiff),
		sub("undo", "take the last version back",
			undoLong, "  precis plan undo\n  precis plan undo --thread 5f2c", th.with, 0, planUndo),
		restore)
}

// versions offers as many versions of a plan as a command takes.
func versions(th *threads, most int) completer {
	return func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return offered(th.planVersions)(c, nil, word)
	}
}

// planOf is a thread whose plan a command is about.
type planOf struct {
	*database
	s store.Store
	r *recall.Reader
	h store.Head
}

func planned(ctx context.Context, th *threads, s store.Store, args []string, f func(context.Context, planOf, []string) error) error {
	r, h, err := th.reader(ctx, s)
	if err != nil {
		return err
	}
	return f(ctx, planOf{th.database, s, r, h}, args)
}

// version reads a version number.
func (p planOf) version(arg string) (int, error) {
	v, err := strconv.Atoi(arg)
	if err != nil || v < 0 {
		return 0, usage("precis plan list shows them", "%q: not a plan version", arg)
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
		return nil, fail(fmt.Sprintf("this thread has the versions 0 to %d: precis plan list shows them", p.h.PlanVersion), "read plan %d of %s: %w", v, p.h.Key.Thread, err)
	}
	return got, err
}

func planShow(ctx context.Context, p planOf, args []string) error {
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
	if p.json {
		return p.object(shown)
	}
	if v == 0 {
		fmt.Fprintf(p.page, "thread %s has no plan: nothing is left out\n", term.Clean(p.h.Key.Thread))
		return nil
	}
	fmt.Fprint(p.page, p.paper.Paragraph(fmt.Sprintf("plan %d of thread %s", v, p.h.Key.Thread)))
	fmt.Fprint(p.page, p.paper.Paragraph(fmt.Sprintf("%s, policy %s, %s → %s, made at message %s", term.Stamp(shown.CreatedAt), shown.Policy,
		term.Comma(shown.Original), term.Count(shown.Compacted, "token"), ref.Message(shown.ThreadVersion))))
	if n := len(shown.Pins) + len(shown.Holds); n > 0 {
		fmt.Fprintf(p.page, "%s, %s\n", term.Count(len(shown.Pins), "pin"), term.Count(len(shown.Holds), "hold"))
	}
	if shown.Economy != nil {
		fmt.Fprint(p.page, report.Cost(shown.Economy, p.paper.Columns))
	}
	fmt.Fprint(p.page, "\n"+p.records(shown)+p.naming(shown))
	for _, w := range shown.Warnings {
		fmt.Fprintln(p.page, term.Faint("note: "+term.Clean(w)))
	}
	return nil
}

// records is the table of what a plan leaves out.
func (p planOf) records(shown *plan.Plan) string {
	if len(shown.Records) == 0 {
		return "nothing is left out\n"
	}
	t := p.table("")
	for i := range shown.Records {
		p.add(&t, "", &shown.Records[i])
	}
	return p.paper.Table(&t)
}

// versionLine is one version of a plan, for programs.
type versionLine struct {
	Version   int       `json:"version"`
	InForce   bool      `json:"in_force"`
	Created   time.Time `json:"created"`
	By        string    `json:"by"` // what made it
	Policy    string    `json:"policy"`
	Records   int       `json:"records"`
	Original  int       `json:"original_tokens"`
	Compacted int       `json:"compacted_tokens"`
}

// planList lists the versions of a plan, the newest first.
func planList(ctx context.Context, p planOf, _ []string) error {
	infos, err := p.s.PlanVersions(ctx, p.h.Key)
	if err != nil {
		return err
	}
	all := make([]versionLine, len(infos))
	before, inForce := &plan.Plan{}, (*plan.Plan)(nil) // nil: it cannot be read
	for i, v := range infos {
		line := versionLine{v.Version, v.Version == p.h.PlanVersion, v.Created, "", v.Policy, v.Records, v.Original, v.Compacted}
		now, err := p.s.PlanAt(ctx, p.h.Key, v.Version)
		switch {
		case err == nil:
			line.By, line.Records = madeBy(before, now), len(now.Records)
			before = now
			if line.InForce {
				inForce = now
			}
		case ctx.Err() != nil:
			return err
		default:
			line.By = "cannot be read"
		}
		all[len(infos)-1-i] = line
	}
	if p.json {
		return p.object(all)
	}
	if len(all) == 0 {
		fmt.Fprintf(p.page, "thread %s has no plan: nothing is left out\n", term.Clean(p.h.Key.Thread))
		return nil
	}
	t := term.Table{Right: []bool{false, false, false, true}}
	t.Add("version", "made", "by", "records", "tokens", "policy")
	for i := range all {
		l := &all[i]
		name := strconv.Itoa(l.Version)
		if l.InForce {
			name += " in force"
		}
		t.Add(name, term.Stamp(l.Created), l.By, term.Comma(l.Records), term.Comma(l.Original)+" → "+term.Comma(l.Compacted), l.Policy)
	}
	fmt.Fprint(p.page, p.paper.Table(&t)+p.naming(inForce))
	return nil
}

// naming says that a plan's tokens are not those that compact and count tell of a request
// whose model has no recall tools; "" where the prompt names none.
func (p planOf) naming(shown *plan.Plan) string {
	if _, changed := render.WithoutRecall(p.r.Thread, shown, "", render.Prompt(p.r.Thread, shown, nil)); len(changed) == 0 {
		return ""
	}
	return p.paper.Paragraph("note: the tokens are those of a prompt that names the recall tools; " +
		"a request without these tools is sent without their names, and smaller by them: so precis compact counts it")
}

// madeBy is what made a version of a plan from the one before.
func madeBy(before, p *plan.Plan) string {
	added, removed := plan.Diff(before, p)
	switch {
	case p.Restores > 0:
		return fmt.Sprintf("restore of %d", p.Restores-1)
	case len(p.Pins) > len(before.Pins):
		return "pin"
	case len(p.Pins) < len(before.Pins):
		return "unpin"
	case len(p.Holds) > len(before.Holds) && len(removed) > 0:
		return "expand"
	case len(p.Holds) > len(before.Holds):
		return "hold"
	case len(p.Holds) < len(before.Holds) && len(added)+len(removed) == 0:
		return "release"
	case len(removed) > 0 && before.Inputs.Budget > 0 && p.Inputs.Budget > before.Inputs.Budget && p.Compacted > before.Compacted:
		return "larger budget"
	case len(added)+len(removed) > 0 || p.Style != before.Style || p.Version == 1:
		return "compaction"
	}
	return "renewal" // after an erasure or a repair
}

// table begins a table of records; mark is a first column, if there is one.
func (p planOf) table(mark string) term.Table {
	t := term.Table{Right: []bool{false, false, false, true}}
	head := []string{"record", "action", "messages", "freed", "why"}
	if mark != "" {
		t.Right = append([]bool{false}, t.Right...)
		head = append([]string{" "}, head...)
	}
	t.Add(head...)
	return t
}

func (p planOf) add(t *term.Table, mark string, r *plan.Record) {
	from, _ := p.r.Thread.Find(r.Span.Start())
	to, _ := p.r.Thread.Find(r.Span.End())
	at := ref.Part(from+1, r.Span.Part).String()
	if to > from {
		at += "–" + ref.Message(to+1).String()
	}
	row := []string{r.ID, recall.Act(r), at, term.Comma(r.Saves), term.Line(r.Reason)}
	if mark != "" {
		row = append([]string{mark}, row...)
	}
	t.Add(row...)
}

// difference lists what one plan has beyond another, for programs.
type difference struct {
	Thread  string        `json:"thread"`
	From    int           `json:"from"`
	To      int           `json:"to"`
	Added   []plan.Record `json:"added"`
	Removed []plan.Record `json:"removed"`
	Kept    int           `json:"kept"`
}

func planDiff(ctx context.Context, p planOf, args []string) error {
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
	if p.json {
		return p.object(d)
	}
	fmt.Fprintf(p.page, "plan %d → %d of thread %s: %s added, %s removed, %s kept\n", d.From, d.To, term.Clean(d.Thread),
		term.Comma(len(d.Added)), term.Comma(len(d.Removed)), term.Comma(d.Kept))
	if len(d.Added)+len(d.Removed) == 0 {
		return nil
	}
	t := p.table(" ")
	for i := range d.Removed {
		p.add(&t, term.Red("-"), &d.Removed[i])
	}
	for i := range d.Added {
		p.add(&t, term.Green("+"), &d.Added[i])
	}
	fmt.Fprint(p.page, "\n"+p.paper.Table(&t))
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

func planUndo(ctx context.Context, p planOf, _ []string) error {
	if p.h.PlanVersion == 0 {
		return fail("precis compact FILE makes a plan", "undo plan of %s: there is none", p.h.Key.Thread)
	}
	now, err := p.at(ctx, p.h.PlanVersion)
	if err != nil {
		return err
	}
	to, ok := now.Undo()
	if !ok {
		return fail("precis plan restore N takes any version, precis plan list shows them", "undo plan of %s: %w", p.h.Key.Thread, precis.ErrNoUndo)
	}
	return restore(ctx, p, to, (*precis.Engine).Undo)
}

func planRestore(ctx context.Context, p planOf, args []string) error {
	v, err := p.version(args[0])
	if err != nil {
		return err
	}
	if _, err := p.at(ctx, v); err != nil {
		return err
	}
	return restore(ctx, p, v, func(e *precis.Engine, ctx context.Context, name string) (*plan.Plan, error) {
		return e.Restore(ctx, name, v)
	})
}

// restore takes up version v by a call of the engine's, and tells of it.
func restore(ctx context.Context, p planOf, v int, call func(*precis.Engine, context.Context, string) (*plan.Plan, error)) error {
	e, err := p.engineOn(p.s)
	if err != nil {
		return err
	}
	defer e.Close()
	before, err := promptOf(ctx, p.s, p.h, p.r.Thread)
	if err != nil {
		return err
	}
	made, err := call(e, ctx, p.h.Key.Thread)
	if err != nil {
		return err
	}
	if err := changed(p.streams, before, made, fmt.Sprintf("restores plan %d", v)); err != nil || p.json {
		return err
	}
	if n := len(made.Pins); n > 0 {
		p.note("%s %s: %s takes a pin off", term.Count(n, "pin"), english.PluralWord(n, "stays", "stay"), p.again("precis unpin"))
	}
	if n := len(made.Holds); n > 0 {
		p.note("what came back (%s) is held: a compaction leaves it alone until the budget forces it", term.Count(n, "message"))
	}
	return nil
}

// outcomeOf is a plan that a command was to change, for programs.
func outcomeOf(p *plan.Plan, made bool) map[string]any {
	return map[string]any{"thread": p.Thread, "plan_version": p.Version, "records": len(p.Records), "changed": made}
}

// promptOf is the size of a thread's prompt under the plan in force, in tokens; -1 where
// there is no plan.
func promptOf(ctx context.Context, s store.Store, h store.Head, t *thread.Thread) (int, error) {
	if h.PlanVersion == 0 {
		return -1, nil
	}
	now, err := s.PlanAt(ctx, h.Key, h.PlanVersion)
	if err != nil {
		return 0, fmt.Errorf("read plan %d of %s: %w", h.PlanVersion, h.Key.Thread, err)
	}
	return now.Compacted + now.Since(t), nil
}

// changed tells of a plan that a command committed, and of what the prompt grows by: before
// is its size until now (see promptOf).
func changed(std *streams, before int, p *plan.Plan, what string) error {
	if std.json {
		return std.object(outcomeOf(p, true))
	}
	left := "nothing is left out"
	if n := len(p.Records); n > 0 {
		left = fmt.Sprintf("%s still %s something out", term.Count(n, "record"), english.PluralWord(n, "leaves", "leave"))
	}
	fmt.Fprintf(std.page, "plan %d of thread %s %s; %s\n", p.Version, term.Clean(p.Thread), what, left)
	if grown := p.Compacted - before; before >= 0 && grown > 0 {
		over := ""
		if b := p.Inputs.Budget; b > 0 && p.Compacted > b {
			over = fmt.Sprintf(", which is over its budget of %s: the next compaction makes room", term.Comma(b))
		}
		std.note("the prompt grows by %s to %s%s", term.Count(grown, "token"), term.Comma(p.Compacted), over)
	}
	return nil
}
