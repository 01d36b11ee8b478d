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

func pinCommand(th *threads) *cobra.Command {
	return pinning(th, "pin", "keep a message word for word from now on", [3]string{"keeps %s word for word", "is pinned already"},
		"Pin makes a plan that keeps a message whatever the budget; what stood in its place\nis whole again from the next prompt on. A call comes back with its results, a result\nwith its call and the other results of that call. ID is a message (#12) or an entry id.", (*precis.Engine).Pin)
}

func unpinCommand(th *threads) *cobra.Command {
	return pinning(th, "unpin", "let a message that is pinned or was put back go again", [3]string{"may leave out %s again", "is neither pinned nor put back", "keeps %s still, as it was put back: precis unpin again lets it go"},
		"Unpin takes back a pin. Of a message that is not pinned but was put back by expand\nor an undo, it says that it need not be left alone any more, with its tool round.\nOf one that is both, the first call takes the pin, the second lets it go.\nThe next compaction may take the message out.", (*precis.Engine).Unpin, release)
}

// release takes the holds off messages.
func release(e *precis.Engine, ctx context.Context, name string, refs ...plan.Ref) (*plan.Plan, error) {
	ids := make([]thread.ID, len(refs))
	for i := range refs {
		ids[i] = refs[i].ID
	}
	return e.Release(ctx, name, ids...)
}

// pinning is a command that changes a mark by the first of some ways that changes anything;
// says is what it did, why it did nothing, and what it did where the message is still
// held, "" for the same.
func pinning(th *threads, name, short string, says [3]string, long string, ways ...pinner) *cobra.Command {
	return th.threadFlag(&cobra.Command{
		Use: name + " ID", Short: short, Long: long, Example: "  precis " + name + " '#12'", Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return th.with(c.Context(), func(s store.Store) error { return pinned(c.Context(), th, s, args[0], says, ways) })
		},
	})
}

func pinned(ctx context.Context, th *threads, s store.Store, name string, says [3]string, ways []pinner) error {
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
	e, err := precis.New(precis.Options{Store: s, Tenant: th.whose})
	if err != nil {
		return err
	}
	defer e.Close()
	before, err := promptOf(ctx, s, h, r.Thread)
	if err != nil {
		return err
	}
	var made *plan.Plan
	for _, do := range ways {
		if made, err = do(e, ctx, h.Key.Thread, plan.Ref{ID: r.Thread.At(at.Index).ID}); err != nil {
			return err
		}
		if made.Version > h.PlanVersion {
			did := says[0]
			if held(made, r.Thread.At(at.Index).ID) {
				did = cmp.Or(says[2], did)
			}
			return changed(th.streams, before, made, fmt.Sprintf(did, ref.Message(at.Index+1)))
		}
	}
	if th.json {
		return th.object(outcomeOf(made, false))
	}
	stays := fmt.Sprintf("plan %d of thread %s stays", made.Version, term.Clean(h.Key.Thread))
	if made.Version == 0 {
		stays = fmt.Sprintf("thread %s has no plan", term.Clean(h.Key.Thread))
	}
	fmt.Fprintf(th.page, "%s %s: %s\n", ref.Message(at.Index+1), says[1], stays)
	return nil
}

// held reports whether a plan keeps a message because it was put back.
func held(p *plan.Plan, id thread.ID) bool {
	return slices.ContainsFunc(p.Holds, func(h plan.Ref) bool { return h.ID == id })
}
