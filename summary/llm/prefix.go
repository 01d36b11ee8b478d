package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
)

// fromPrefix asks after the agent's own request, whose bytes stay as they are.
// Nil without an error means that the messages must be sent by themselves: there
// is no such request, it is of another dialect, or its answer was of no use.
func (j *job) fromPrefix(ctx context.Context) (*summary.Structured, error) {
	if j.s.cfg.Prefix == nil || len(j.fresh) == 0 {
		return nil, nil
	}
	req := j.s.cfg.Prefix(j.in)
	if req == nil || req.Body == nil || req.Dialect != j.s.cfg.Dialect.Name() {
		return nil, nil
	}
	out, err := j.after(ctx, req.Model, func(m message.Message) ([]byte, error) {
		return j.s.cfg.Dialect.Encode(req, append(slices.Clone(req.Messages), m))
	})
	if err != nil && useless(err) && ctx.Err() == nil {
		return nil, nil
	}
	return out, err
}

func (j *job) after(ctx context.Context, model string, encode func(message.Message) ([]byte, error)) (*summary.Structured, error) {
	body, err := encode(message.TextOf(message.User, j.instruction()))
	if err != nil {
		return nil, fmt.Errorf("ask model: %w", err)
	}
	text, err := j.s.send(ctx, model, body)
	if err != nil {
		return nil, err
	}
	return j.take(text, j.fresh)
}

// instruction is what stands after the agent's request. The messages have no
// numbers there, so it begins with a list that gives them some.
func (j *job) instruction() string {
	template := j.part.prompt
	if p := j.s.cfg.Prompt; p != "" {
		template = p
	}
	existing := j.existing()
	messages := fmt.Sprintf("the messages above, from #%d to #%d, which begin like this:\n", j.fresh[0]+1, j.fresh[len(j.fresh)-1]+1) +
		fence("messages", j.index())
	text := Interpolate(template, Values{Persona: j.s.cfg.Persona, Existing: fence("summary", existing), Messages: messages})
	return "Stop here: what follows is not part of the work above. It asks for a summary of it.\n\n" +
		strings.TrimSpace(systemPrompt) + "\n\n" + strings.TrimSpace(text) + "\n\n" + j.closing(existing)
}

// indexSize is how many characters the list of messages takes, about.
const indexSize = 16_000

// index lists the heads of the messages and how they begin.
func (j *job) index() string {
	most := min(max(indexSize/len(j.fresh), 16), 80)
	var lines []string
	for _, i := range j.fresh {
		if j.visible(i) {
			m := &j.in.Thread.At(i).Message
			body := j.part.caps.body(m, func(id string) string { return j.tools[id] })
			lines = append(lines, head(i+1, m)+" "+cut(oneline.Of(body), most, "..."))
		}
	}
	return strings.Join(lines, "\n")
}
