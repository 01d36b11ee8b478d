package replay

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/thread"
)

// Engine is the policy of a real engine. open gives a run an engine, on a store
// no other run uses, and what closes it (nil for nothing). input is the request
// around the messages: model and meter; the rest is the run's own.
func Engine(name string, open func(ctx context.Context) (*precis.Engine, func() error, error), input func() precis.Input) Policy {
	return Policy{Name: name, Controlled: true, Start: func(ctx context.Context, s Setup) (Step, func() error, error) {
		e, stop, err := open(ctx)
		if err != nil {
			return nil, nil, err
		}
		in := input()
		in.Thread, in.Budget, in.System, in.Tools = s.Run.ID, s.Budget, s.Run.System, s.Run.Tools
		in.Client.CachePoints = true
		return func(ctx context.Context, history []message.Message) (Prompt, error) {
			in.Messages, in.Client.Idle = history, rest(history)
			turn, err := e.Prepare(ctx, in)
			if errors.Is(err, precis.ErrImpossible) {
				return Prompt{Messages: history, Outcome: "impossible"}, nil
			}
			if err != nil {
				return Prompt{}, err
			}
			return Prompt{
				Messages: turn.Messages, Pointed: pointed(turn.Thread, turn.Plan), Outcome: string(turn.Outcome),
				Priced: priced(turn), Find: finder(turn), Lasting: turn.Lasting(),
			}, nil
		}, stop, nil
	}}
}

func priced(t *precis.Turn) Priced {
	if t.Economy == nil {
		return Priced{}
	}
	return Priced{t.Economy.Verdict, t.Outcome == precis.Compacted, t.Economy.BreakEven}
}

// finder is the recall search over a thread, as the model's tool asks for it: five hits
// and what stands beside each.
func finder(turn *precis.Turn) Finder {
	return func(ctx context.Context, about string) (at []int) {
		r := recall.Reader{Thread: turn.Thread, Plan: turn.Plan}
		found, err := r.Search(ctx, recall.Topic{Text: about, Limit: 5, Lost: true})
		if err != nil {
			return nil
		}
		for _, f := range slices.Concat(found.Hits, found.Near) {
			at = append(at, f.Number-1)
		}
		return at
	}
}

// rest returns how long the conversation lay still before its newest message, one
// nanosecond where the records have no times: nobody waits in a replay.
func rest(h []message.Message) time.Duration {
	if n := len(h); n > 1 && !h[n-1].Time.IsZero() && !h[n-2].Time.IsZero() {
		return max(h[n-1].Time.Sub(h[n-2].Time), 1)
	}
	return 1
}

// pointed lists the messages that a record of their own, or of their round
// alone, stands for. A summary of many rounds points to none of them.
func pointed(t *thread.Thread, p *plan.Plan) []int {
	if p == nil {
		return nil
	}
	round := map[int]int{}
	for n, u := range t.Units() {
		for i := u.Start; i < u.End; i++ {
			round[i] = n
		}
	}
	var at []int
	for i := range p.Records {
		r := &p.Records[i]
		first, ok := t.Find(r.Span.Start())
		last, _ := t.Find(r.Span.End())
		if !ok || r.Action == plan.Drop || round[first] != round[last] {
			continue
		}
		for _, id := range r.Span.IDs {
			if n, ok := t.Find(id); ok {
				at = append(at, n)
			}
		}
	}
	return at
}
