package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
)

// askAfterPrefix asks after the agent's own request, whose bytes stay as they are.
// Nil without an error means that the messages must be sent by themselves: there
// is no such request, it is of another dialect, or its answer was of no use.
func (r *run) askAfterPrefix(ctx context.Context) (*summary.Structured, error) {
	if r.s.cfg.Prefix == nil || len(r.fresh) == 0 {
		return nil, nil
	}
	req := r.s.cfg.Prefix(r.in)
	if req == nil || req.Body == nil || req.Dialect != r.s.cfg.Dialect.Name() {
		return nil, nil
	}
	out, err := r.sendAfter(ctx, req)
	if err != nil && unusable(err) && ctx.Err() == nil {
		return nil, nil
	}
	return out, err
}

func (r *run) sendAfter(ctx context.Context, req *codec.Request) (*summary.Structured, error) {
	ask := message.TextOf(message.User, r.instruction())
	body, err := r.s.cfg.Dialect.Encode(req, append(slices.Clone(req.Messages), ask))
	if err != nil {
		return nil, fmt.Errorf("ask model: %w", err)
	}
	text, err := r.s.send(ctx, req.Model, body)
	if err != nil {
		return nil, err
	}
	return r.merge(text, r.fresh)
}

// instruction returns what stands after the agent's request. The messages have no
// numbers there, so it begins with a list that gives them some.
func (r *run) instruction() string {
	existing := r.earlier()
	messages := fmt.Sprintf("the messages above, from %s to %s, which begin like this:\n", ref.Message(r.fresh[0]+1), ref.Message(r.fresh[len(r.fresh)-1]+1)) +
		fence("messages", r.index())
	text := Interpolate(r.template(), r.values(existing, messages))
	return "Stop here: what follows is not part of the work above. It asks for a summary of it.\n\n" +
		strings.TrimSpace(systemPrompt) + "\n\n" + strings.TrimSpace(text) + "\n\n" + r.closing(existing)
}

// indexSize is how many characters the list of messages takes, about.
const indexSize = 16_000

// index lists the heads of the messages and how they begin.
func (r *run) index() string {
	most := min(max(indexSize/len(r.fresh), 16), 80)
	var lines []string
	for _, i := range r.fresh {
		if r.visible(i) {
			m := &r.in.Thread.At(i).Message
			body := r.part.caps.body(m, func(id string) string { return r.tools[id] })
			lines = append(lines, head(i+1, m)+" "+cut(oneline.Of(body), most, "..."))
		}
	}
	return strings.Join(lines, "\n")
}
