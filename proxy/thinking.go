package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/upstream"
)

// dropper is a codec whose requests can ask for that.
type dropper interface {
	// DropBlocks asks the provider to drop thinking that does not fit, and names
	// the beta header that this takes.
	DropBlocks(body []byte) (out []byte, beta string, ok bool)
}

// unbind has the engine leave thinking alone that the provider is to drop.
func (c *call) unbind() {
	if d, ok := c.codec.(dropper); ok && c.p.opts.Prompt.Thinking == ThinkingDropBlock && c.in.Model.Thinking == model.Bound {
		if _, c.beta, ok = d.DropBlocks(c.req.Body); ok {
			c.in.Model.Thinking = model.Kept
		}
	}
}

// controlled is a body that asks the provider to drop thinking, once a plan
// changed the prefix.
func (c *call) controlled(turn *precis.Turn, out []byte) []byte {
	c.drops = c.beta != "" && turn.Plan != nil && (len(turn.Plan.Records) > 0 || turn.Plan.Version > 1)
	if !c.drops {
		return out
	}
	out, _, c.drops = c.codec.(dropper).DropBlocks(out)
	return out
}

// betaHeader names what a request uses that is not everybody's.
const betaHeader = "Anthropic-Beta"

// announced adds the beta header that goes with what the body asks for.
func (c *call) announced(h http.Header) {
	if had := strings.Join(h.Values(betaHeader), ","); c.drops && !strings.Contains(had, c.beta) {
		h.Set(betaHeader, strings.TrimPrefix(had+","+c.beta, ","))
	}
}

// most of an error's body that is read to see what it is about, in bytes.
const mostError = 64 << 10

// thoughtless sends a prompt again whose thinking the provider refused, without
// any: once, and with a plan in force only. A plan that did not foresee it is
// ours to mend; what the client did is the client's to be told (rule WT8).
func (c *call) thoughtless(resp *upstream.Response) (*upstream.Response, error) {
	if resp.Status != http.StatusBadRequest || c.turn == nil || c.turn.Plan == nil || c.in.Mode.DropThinking || bytes.Equal(c.out, c.req.Body) {
		return resp, nil
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, mostError))
	if err != nil || !bytes.Contains(said, []byte("signature` in `thinking")) && !bytes.Contains(said, []byte("blocks in the latest assistant message cannot be modified")) {
		resp.Body = joined(said, resp.Body)
		return resp, nil
	}
	c.in.Mode.DropThinking = true
	turn, out := c.compact(c.in)
	if turn == nil || turn.Outcome == precis.Failed || bytes.Equal(out, c.out) {
		resp.Body = joined(said, resp.Body)
		return resp, nil
	}
	_ = resp.Body.Close() // it was read
	c.p.metrics.failed(c.codec.Name(), "thinking")
	c.p.log.Warn("provider refused thinking, it is left out from now on", "api", c.codec.Name(), "thread", turn.Key.Thread)
	c.turn, c.out, c.retried = turn, out, true
	c.sent = c.size(turn)
	return c.once()
}

// joined is a body of which a part was read already.
func joined(read []byte, rest io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), rest), rest}
}
