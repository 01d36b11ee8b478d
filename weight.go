package precis

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/token"
)

// most is what the messages of a request may weigh: Most less the envelope.
func (in *Input) most() token.Load {
	m := in.Limits.Payload
	if m.Bytes > 0 {
		m.Bytes = max(m.Bytes-len(in.Client.Envelope), 1)
	}
	return m
}

// crowded says whether the request weighs more than it may.
func (b *board) crowded() bool {
	return b.in.Limits.Payload != token.Load{} && !strategy.Within(b.draft.Load(), b.in.most())
}

// unload takes pictures and documents out of a request that weighs more than it
// may.
func (e *Engine) unload(b *board) []strategy.Step {
	if !b.crowded() {
		return nil
	}
	b.heavy = true
	return strategy.DropMedia(e.view(b), b.in.most())
}

// overweight is the failure of a request that still weighs more than it may; nil
// if it does not.
func (b *board) overweight() error {
	if !b.heavy || !b.crowded() {
		return nil
	}
	l := b.draft.Load()
	return fmt.Errorf("compact: the prompt still has %d pictures and documents of %d and %d bytes of %d", l.Media, b.in.Limits.Payload.Media, l.Bytes, b.in.most().Bytes)
}
