package proxy

import (
	"context"
	"errors"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/writebehind"
)

// record is the eighth stage: it logs an answer, nil for one that cannot be read. With
// DurabilityFull it returns when the answer and the request are on disk; the client does
// not have the answer's last bytes before. Whatever goes wrong, the answer goes on.
func (p *Proxy) record(ctx context.Context, j job, made prompt, reply *codec.Reply) {
	if made.Turn == nil || made.Turn.Thread == nil && !request.NothingFits(made.Turn) {
		return // it was not logged, and that was reported
	}
	timed, cancel := request.Recording(ctx, p.opts.Limits.PrepareTimeout)
	defer cancel()
	timed, recorded := p.tracing.begin(timed, "record")
	defer recorded()
	err := request.Guard(func() error { return p.recorded(timed, j, made, reply) })
	p.failed(context.WithoutCancel(ctx), j.conversation, request.Record, err)
}

func (p *Proxy) recorded(ctx context.Context, j job, made prompt, reply *codec.Reply) (err error) {
	if made.Prompt, err = made.Logged(ctx, j.engine); err != nil || made.Turn.Thread == nil {
		return err
	}
	if p.opts.Durability == DurabilityFast {
		return made.Record(ctx, j.engine, reply)
	}
	ctx = writebehind.Waiting(ctx)
	return store.Retry(ctx, func() error {
		if err := made.Record(ctx, j.engine, reply); err != nil { // beside the thread, so it can be first
			return err
		}
		err := p.behind.Written(ctx, made.Turn.Key, made.Turn.Thread.Tip())
		if errors.Is(err, store.ErrStale) { // another process wrote to the thread: now it is a branch of that
			in := made.Input
			in.Mode.NoCompact = true
			if turn := j.engine.SafeCompact(ctx, in); turn.Thread != nil {
				made.Turn = turn
			}
		}
		return err
	})
}
