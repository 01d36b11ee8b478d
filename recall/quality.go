package recall

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Quality measures how well an agent got on with what compaction left of its
// thread, as far as the log shows.
type Quality struct {
	Plans int `json:"plans"` // versions that were judged
	// Turns states how many turns were taken under a plan, Since under the newest.
	Turns int `json:"turns"`
	Since int `json:"turns_since_compaction"`
	// Asked are the agent's messages that ask for context it no longer has.
	Asked []string `json:"asked_again,omitempty"` // "#12"
	// Recalled are the calls that read content back.
	Recalled []string `json:"recalled,omitempty"` // "#12/2"
	// Repeated are the calls that were made before, with the same arguments,
	// where the prompt no longer shows the call or its result.
	Repeated []string `json:"repeated_calls,omitempty"` // "#12/2"
}

// String states the figures in one line, with the messages they come from.
func (q Quality) String() string {
	at := func(refs []string) string {
		if len(refs) == 0 {
			return "never"
		}
		return strings.Join(refs, " ")
	}
	return fmt.Sprintf("since the first plan: %s, of them %d since the newest; the agent asked again for context: %s; read content back: %s; repeated a call that left the prompt: %s",
		many(q.Turns, "turn"), q.Since, at(q.Asked), at(q.Recalled), at(q.Repeated))
}

// Quality judges the thread under each of its plans, the last 100 at most.
func (r *Reader) Quality(ctx context.Context) (Quality, error) {
	if r.Plan == nil {
		return Quality{}, nil
	}
	var plans []*plan.Plan
	for v := max(1, r.Plan.Version-versions+1); v < r.Plan.Version; v++ {
		p, err := r.store.PlanAt(ctx, r.key, v)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return Quality{}, fmt.Errorf("judge thread %s: %w", r.key.Thread, err)
		}
		plans = append(plans, p)
	}
	return Evaluate(r.Thread, append(plans, r.Plan)...), nil
}

// Evaluate judges a thread under its plans, oldest first: the messages between the
// base of a plan and that of the next were written under it. Plans of another
// branch are left out.
func Evaluate(t *thread.Thread, plans ...*plan.Plan) Quality {
	var q Quality
	var under []*plan.Plan
	var from []int // first position written under each
	for _, p := range plans {
		if i, ok := t.Find(p.Base); ok {
			at := i + 1
			if n := len(from); n > 0 {
				at = max(at, from[n-1]) // a plan that was restored has an older base
			}
			under, from = append(under, p), append(from, at)
		}
	}
	made := newCalls(t)
	for n, p := range under {
		end := t.Len()
		if n+1 < len(from) {
			end = from[n+1]
		}
		turns := turnsBetween(t, from[n], end)
		q.Plans, q.Turns, q.Since = q.Plans+1, q.Turns+turns, turns
		made.hide(p, from[n])
		for i := from[n]; i < end; i++ {
			q.entry(t, made, i)
		}
	}
	return q
}

// turnsBetween returns how many turns have begun in [from, end).
func turnsBetween(t *thread.Thread, from, end int) int {
	if from >= end {
		return 0
	}
	before := 0
	if from > 0 {
		before = t.Turn(from - 1)
	}
	return t.Turn(end-1) - before
}

func (q *Quality) entry(t *thread.Thread, made *calls, i int) {
	e := t.At(i)
	if e.Message.Role != message.Assistant || e.Message.Meta {
		return
	}
	asks := false
	for n := range e.Message.Parts {
		p := &e.Message.Parts[n]
		switch {
		case p.Kind == message.Text:
			asks = asks || asksAgain(p.Text)
		case p.Kind == message.Call && rehydrate.Explicit(p.Name):
			q.Recalled = append(q.Recalled, ref.Part(i+1, n+1).String())
		case p.Kind == message.Call && made.again(*p):
			q.Repeated = append(q.Repeated, ref.Part(i+1, n+1).String())
		}
	}
	if asks {
		q.Asked = append(q.Asked, ref.Message(i+1).String())
	}
}

// calls knows which calls of a thread a plan hides.
type calls struct {
	t       *thread.Thread
	results map[string]plan.Ref // by call id: where the answer is
	hidden  map[message.Digest]bool
}

func newCalls(t *thread.Thread) *calls {
	c := &calls{t: t, results: map[string]plan.Ref{}}
	for i := range t.Len() {
		e := t.At(i)
		for _, n := range e.Message.Results() {
			c.results[e.Message.Parts[n].CallID] = plan.Ref{ID: e.ID, Part: n + 1}
		}
	}
	return c
}

// key is a call without its id: tool and arguments, in canonical form.
func (c *calls) key(p message.Part) message.Digest {
	return message.Message{Parts: []message.Part{{Kind: message.Call, Name: p.Name, Args: p.Args}}}.Digest()
}

// hide notes the calls before position until that a plan hides, or whose
// results it hides. Of equal calls the newest decides.
func (c *calls) hide(p *plan.Plan, until int) {
	c.hidden = map[message.Digest]bool{}
	for i := range until {
		e := c.t.At(i)
		for _, n := range e.Message.Calls() {
			part := e.Message.Parts[n]
			gone := hides(p, e.ID, n+1)
			if ref, ok := c.results[part.CallID]; ok && !gone {
				gone = hides(p, ref.ID, ref.Part)
			}
			c.hidden[c.key(part)] = gone
		}
	}
}

// again reports whether a call repeats a hidden one, which then is hidden no more.
func (c *calls) again(p message.Part) bool {
	k := c.key(p)
	was := c.hidden[k]
	c.hidden[k] = false
	return was
}

// asksAgain reports whether a text asks for context that its writer no longer has.
// Only prose counts: what is fenced or quoted is somebody else's.
func asksAgain(text string) bool {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fenced = !fenced
		case !fenced && !strings.HasPrefix(line, ">") && cues.MatchString(strings.ReplaceAll(line, "’", "'")):
			return true
		}
	}
	return false
}

// cues matches what an agent says, in English, that has lost its context.
var cues = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`(could|can|would|will) you (please |kindly )?(remind me|repeat|re-?send|re-?share|re-?post|re-?paste|re-?upload)\b`,
	`(could|can|would|will) you (please |kindly )?(share|send|paste|post|provide|give|tell|show)( me)? (\S+ ){1,8}(again|once more|one more time)\b`,
	`please (remind me|re-?send|re-?share|re-?post|re-?paste|re-?upload)\b`,
	`what (was|were|is|are) (\S+ ){1,8}again\?`,
	`I no longer (have|see|remember|recall|know)\b`,
	`I('ve| have) lost (track|the context|access|sight)\b`,
	`I (don't|do not|can't|cannot) (recall|remember)\b`,
	`I (don't|do not) have (\S+ ){0,3}(earlier|previous|prior|original|full) (\S+ ){0,2}(context|conversation|messages?|output|content|details?|history|discussion)\b`,
	`I (can't|cannot) (see|access|find) (\S+ ){0,3}(earlier|previous|prior) (\S+ ){0,2}(context|conversation|messages?|output|content|details?|history|discussion)\b`,
	`(earlier|previous|prior) (context|conversation|messages?|output|history|discussion) (is|are|was|were) (no longer|not) (available|visible|accessible|in my context)\b`,
}, "|") + `)`)
