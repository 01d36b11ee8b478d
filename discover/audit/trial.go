package audit

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay"
)

// try replays a session as its agent went about it and under each policy.
func (d *audit) try(ctx context.Context, s *discover.Session, l *Session, in precis.Input) error {
	m := in.Model
	price, priced := replay.Prices[0], m.Price.In > 0
	if priced {
		price = replay.Price{Name: s.Model, Model: &m}
	}
	all := s.Requests()
	run := replay.Run{ID: s.ID, Source: s.Agent, Messages: firstSteps(all.Messages, d.Steps)}
	l.Cut = len(run.Messages) < len(all.Messages)
	x := replay.NewIndex(run, replay.Judge{Count: in.Meter.Message, Prices: []replay.Price{price}})
	for _, p := range append([]replay.Policy{agentPolicy(all)}, d.engines(in)...) {
		score, err := x.Replay(ctx, p, l.Budget, nil)
		if err != nil {
			return fmt.Errorf("try %s: %w", p.Name, err)
		}
		r := score.Recall[replay.LongRange]
		t := Trial{
			Policy: p.Name, Steps: score.Steps, Active: score.Active, Needs: r.Needs, Kept: r.Literal, Reach: r.Referenced,
			Breaks: score.Breaks, Over: score.Over, Failed: score.Failed, Invalid: score.Invalid,
		}
		if priced {
			t.USD = score.Billed[0]
		}
		l.Tried = append(l.Tried, t)
	}
	return nil
}

// firstSteps is a conversation up to its n-th reply.
func firstSteps(ms []message.Message, n int) []message.Message {
	for i, m := range ms {
		if m.Role != message.Assistant {
			continue
		}
		if n--; n < 0 {
			return ms[:i]
		}
	}
	return ms
}

// agentPolicy sends what the agent sent.
func agentPolicy(s *discover.Session) replay.Policy {
	return replay.Policy{Name: agentTrial, Start: func(context.Context, replay.Setup) (replay.Step, func() error, error) {
		return func(_ context.Context, history []message.Message) (replay.Prompt, error) {
			return replay.Prompt{Messages: s.Prompt(history)}, nil
		}, nil, nil
	}}
}

// engines are the chosen policies, each run on a store of its own.
func (d *audit) engines(in precis.Input) []replay.Policy {
	var all []replay.Policy
	for _, p := range d.Policies {
		open := func(ctx context.Context) (*precis.Engine, func() error, error) { return d.Open(ctx, p) }
		all = append(all, replay.Engine(p.Name, open, func() precis.Input { return in }))
	}
	return all
}
