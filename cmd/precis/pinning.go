package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// pinner makes a plan with a message pinned, with its pin taken back, or no longer held.
type pinner func(*precis.Engine, context.Context, string, ...plan.Ref) (*plan.Plan, error)

// marking is a command that changes a mark of a message by the first of some ways that changes anything.
type marking struct {
	name, short, long string
	ways              []pinner

	did     string // what it did; %s is the message
	nothing string // why it did nothing
	held    string // what it did where the message is held all the same, "" for did
}

func pinCommand(th *threads) *cobra.Command {
	return marking{
		name: "pin", short: "keep a message word for word from now on", ways: []pinner{(*precis.Engine).Pin},
		long: "Pin keeps a message word for word until nothing else fits the budget; only\nthen it is cut. What stood in its place is whole again from the next prompt\non. A call comes back with its results, a result with its call and the other\nresults of that call. ID is a message (#12) or an entry id.",
		did:  "keeps %s word for word", nothing: "is pinned already",
	}.command(th)
}

func unpinCommand(th *threads) *cobra.Command {
	return marking{
		name: "unpin", short: "let a message that is pinned or was put back go again", ways: []pinner{(*precis.Engine).Unpin, release},
		long: "Unpin takes back a pin. Of a message that is not pinned but was put back by expand\nor an undo, it says that it need not be left alone any more, with its tool round.\nOf one that is both, the first call takes the pin, the second lets it go.\nThe next compaction may take the message out.",
		did:  "may leave out %s again", nothing: "is neither pinned nor put back",
		held: "keeps %s still, as it was put back: precis unpin again lets it go",
	}.command(th)
}

// release takes the holds off messages.
func release(e *precis.Engine, ctx context.Context, name string, refs ...plan.Ref) (*plan.Plan, error) {
	ids := make([]thread.ID, len(refs))
	for i := range refs {
		ids[i] = refs[i].ID
	}
	return e.Release(ctx, name, ids...)
}

func (m marking) command(th *threads) *cobra.Command {
	return th.threadFlag(&cobra.Command{
		Use: m.name + " ID", Short: m.short, Long: m.long, Example: "  precis " + m.name + " '#12'", Args: arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return th.with(c.Context(), func(s store.Store) error { return m.run(c.Context(), th, s, args[0]) })
		},
	})
}

// run changes the mark of a message that is named by its number or its entry id.
func (m marking) run(ctx context.Context, th *threads, s store.Store, name string) error {
	r, h, err := th.reader(ctx, s)
	if err != nil {
		return err
	}
	at, err := r.Find(ctx, name)
	if err != nil {
		return missing(err)
	}
	if at.Record != nil || at.Artifact != nil {
		return usage("name a message: #12", "%s: no message", name)
	}
	e, err := th.engineOn(s)
	if err != nil {
		return err
	}
	defer e.Close()
	before, err := promptOf(ctx, s, h, r.Thread)
	if err != nil {
		return err
	}
	var made *plan.Plan
	for _, do := range m.ways {
		if made, err = do(e, ctx, h.Key.Thread, plan.Ref{ID: r.Thread.At(at.Index).ID}); err != nil {
			return err
		}
		if made.Version > h.PlanVersion {
			did := m.did
			if held(made, r.Thread.At(at.Index).ID) {
				did = cmp.Or(m.held, did)
			}
			return changed(th.streams, before, made, th.again(fmt.Sprintf(did, ref.Message(at.Index+1))))
		}
	}
	if th.json {
		return th.object(outcomeOf(made, false))
	}
	stays := fmt.Sprintf("plan %d of thread %s stays", made.Version, term.Clean(h.Key.Thread))
	if made.Version == 0 {
		stays = fmt.Sprintf("thread %s has no plan", term.Clean(h.Key.Thread))
	}
	fmt.Fprintf(th.page, "%s %s: %s\n", ref.Message(at.Index+1), m.nothing, stays)
	return nil
}

// held reports whether a plan keeps a message because it was put back.
func held(p *plan.Plan, id thread.ID) bool {
	return slices.ContainsFunc(p.Holds, func(h plan.Ref) bool { return h.ID == id })
}
