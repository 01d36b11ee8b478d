//go:build invariants

package precis

import (
	"fmt"
	"reflect"

	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// Beyond so many messages, verify looks at the newest and at every stride-th of
// the rest: other ones each turn, so that all come up, and a turn of a long
// thread costs little more than one of a short one.
const (
	closely = 1_024
	stride  = 61
)

// looked reports whether a message is looked at closely this turn.
func looked(i, n int) bool { return n-i <= closely || (n+i)%stride == 0 }

// verify checks a turn against the laws before it is handed out, and panics
// where one is broken: the chain from its first message, the log against what the
// client sent, the plan against the thread, the cover, a second rendering, the
// pairing of calls and results, the count and the reserve.
func (e *Engine) verify(t *Turn, in Input) {
	verifyChain(t.Thread)
	if n := t.Thread.Match(in.Messages); !in.Continue && (n != len(in.Messages) || n != t.Thread.Len()) {
		broken("the log has %d messages, the client %d, alike are %d", t.Thread.Len(), len(in.Messages), n)
	}
	if t.Plan != nil && (t.Outcome != WithinBudget || t.Thread.Len() <= closely || t.Thread.Len()%stride == 0) {
		verifyPlan(t.Thread, t.Plan)
	}
	once, again := render.Prompt(t.Thread, t.Plan, nil), render.Prompt(t.Thread, t.Plan, nil)
	if !reflect.DeepEqual(once, again) {
		broken("rendered twice, two prompts")
	}
	verifyCover(t.Thread, t.Plan, once)
	sent := len(t.Messages)
	for sent > 0 && t.Origins[sent-1].First < 0 {
		sent--
	}
	came := once
	if !in.Continue { // in the bytes of this request
		seen, err := variant.Received(t.Thread, in.Messages)
		if err != nil {
			broken("the branch as the client sees it: %v", err)
		}
		came = render.Prompt(seen, t.Plan, nil)
	}
	if sent != len(came.Messages) || sent > 0 && !reflect.DeepEqual(t.Messages[:sent], variant.Clone(came.Messages)) {
		broken("the prompt is not what log and plan render to: %d messages, %d", sent, len(once.Messages))
	}
	us := t.Thread.Units()
	verifyPairs(once.Messages, len(us) > 0 && us[len(us)-1].Open && !in.Mode.CloseOpenCalls)
	if n := in.fixed() + in.Meter.Messages(t.Messages); n != t.Compacted || n > in.Budget && !in.Mode.NoCompact {
		broken("the prompt has %d tokens, the turn says %d of %d", n, t.Compacted, in.Budget)
	}
	if n := in.Meter.Messages(t.Messages[sent:]); n > e.policy.Reserve(in.Budget) {
		broken("%d tokens came back, the reserve is %d", n, e.policy.Reserve(in.Budget))
	}
}

func verifyChain(t *thread.Thread) {
	var parent thread.ID
	for i := range t.Len() {
		x := t.At(i)
		if x.Parent != parent {
			broken("entry %d (%s) does not follow %s", i+1, x.ID, parent)
		}
		parent = x.ID
		if looked(i, t.Len()) && (x.ID != thread.Chain(x.Parent, x.Digest) || !x.Erased && x.Message.Digest() != x.Digest) {
			broken("entry %d (%s) is not what its id says", i+1, x.ID)
		}
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

// verifyCover: every message that is sent to a model stands once, or is under a
// record, or lost all of its parts to records.
func verifyCover(t *thread.Thread, p *plan.Plan, out render.Result) {
	stands := make([]int, t.Len())
	for _, o := range out.Origins {
		if o.Record == nil {
			stands[o.First]++
		}
	}
	for i, n := range stands {
		x := t.At(i)
		covered := p != nil && (p.Whole(x.ID) != nil || p.Touches(x.ID) || p.NoThinking.Holds(i))
		if n > 1 || n == 0 && !covered && !x.Message.Meta || n == 1 && p != nil && p.Whole(x.ID) != nil {
			broken("message %d stands %d times, covered: %t", i+1, n, covered)
		}
	}
}

// verifyPairs: every result answers a call that stands before it and has no
// other, and no call stays without one, but at the end where its result may be
// on the way.
func verifyPairs(ms []message.Message, open bool) {
	waiting := map[string]bool{}
	for i := range ms {
		for _, p := range ms[i].Parts {
			switch {
			case p.Kind == message.Call && waiting[p.CallID]:
				broken("message %d of the prompt calls as %q, which is still open", i, p.CallID)
			case p.Kind == message.Call:
				waiting[p.CallID] = true
			case p.Kind == message.Result && !waiting[p.CallID]:
				broken("message %d of the prompt answers %q, which nothing calls", i, p.CallID)
			case p.Kind == message.Result:
				delete(waiting, p.CallID)
			}
		}
	}
	if len(waiting) > 0 && !open {
		broken("%d calls of the prompt have no result", len(waiting))
	}
}

func broken(format string, args ...any) { panic("invariant: " + fmt.Sprintf(format, args...)) }
