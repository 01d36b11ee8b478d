//go:build invariants

package precis

import (
	"fmt"
	"reflect"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// verify checks a turn against the laws before it is handed out, and panics
// where one is broken: the chain from its first message (V1), the plan against
// the thread (L3), the cover (V2), a second rendering (V5), the count (V4).
func (e *Engine) verify(t *Turn, in Input) {
	verifyChain(t.Thread)
	if t.Plan != nil {
		verifyPlan(t.Thread, t.Plan)
	}
	once, again := render.Prompt(t.Thread, t.Plan, nil), render.Prompt(t.Thread, t.Plan, nil)
	if !reflect.DeepEqual(once, again) {
		broken("rendered twice, two prompts")
	}
	sent := len(t.Messages)
	for sent > 0 && t.Origins[sent-1].First < 0 {
		sent--
	}
	if sent != len(once.Messages) || sent > 0 && !reflect.DeepEqual(t.Messages[:sent], owned(once.Messages)) {
		broken("the prompt is not what log and plan render to: %d messages, %d", sent, len(once.Messages))
	}
	if n := fixed(in) + in.Meter.Messages(t.Messages); n != t.Compacted || n > in.Budget {
		broken("the prompt has %d tokens, the turn says %d of %d", n, t.Compacted, in.Budget)
	}
}

func verifyChain(t *thread.Thread) {
	var parent thread.ID
	for i := range t.Len() {
		x := t.At(i)
		if x.Parent != parent || x.ID != thread.Chain(parent, x.Digest) || !x.Erased && x.Message.Digest() != x.Digest {
			broken("entry %d (%s) is not what its id says", i+1, x.ID)
		}
		parent = x.ID
	}
}

func verifyPlan(t *thread.Thread, p *plan.Plan) {
	built, err := plan.Build(*p, t)
	if err != nil {
		broken("plan %d: %v", p.Version, err)
	}
	if !reflect.DeepEqual(built.Records, p.Records) {
		broken("plan %d is not normal", p.Version)
	}
	covered := map[plan.Ref]string{}
	for _, r := range p.Records {
		for _, id := range r.Span.IDs {
			ref := plan.Ref{ID: id, Part: r.Span.Part}
			if by, ok := covered[ref]; ok {
				broken("%v is under %s and %s", ref, by, r.ID)
			}
			covered[ref] = r.ID
		}
	}
}

func broken(format string, args ...any) { panic("invariant: " + fmt.Sprintf(format, args...)) }
