package strategy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// Externalize moves large results into artifacts and leaves a pointer with a
// summary inside the result, which keeps its call id.
type Externalize struct {
	Above, To int // tokens of a result whose tool sets no threshold, and of its summary
	Relevance *Relevance
}

// Name implements Strategy.
func (Externalize) Name() string { return "externalize" }

// Analyze implements Strategy.
func (s Externalize) Analyze(v *View) []Proposal {
	return largestFirst(eachPart(v, Old, func(i, n int, p message.Part) (Proposal, bool) {
		if p.Kind != message.Result || v.Acted(i, n) {
			return Proposal{}, false
		}
		size := v.Meter.Part(p)
		return Proposal{Strategy: s.Name(), Saves: size - s.To, Reason: "large result"}, size >= s.above(v, i, n) || hasMedia(p)
	}))
}

// above is the size in tokens from which a result is taken: the tool's own threshold, scaled like a
// number of a policy, or else the rung's.
func (s Externalize) above(v *View, i, n int) int {
	if at := tool.Resolve(tool.Envelope{Tool: v.toolName(i, n)}, v.Tools).ExternalizeAt; at > 0 {
		return policy.AtMostTenth(at, v.Limits.Budget)
	}
	return s.Above
}

// Execute implements Strategy.
func (s Externalize) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	part, i := v.part(p.Span)
	e := v.T.At(i)
	a := artifact.Of(e.ID, p.Span.Part, content(part))
	a.Tool = v.toolName(i, p.Span.Part)
	treated := tool.Resolve(tool.Envelope{Tool: a.Tool}, v.Tools)
	a.Sensitivity, a.TTL = artifact.Sensitivity(treated.Sensitivity), treated.TTL
	state := v.outcomeOf(thread.Place{Index: i, Part: p.Span.Part})
	data, err := json.Marshal(state)
	if err != nil {
		return Result{}, fmt.Errorf("encode summary: %w", err)
	}
	outcome, to := wording.Text(state, 0, nil)+"\n", s.To
	if n := v.Meter.Text(outcome); n <= to/2 {
		to -= n
	} else { // little room: the content says more
		outcome = ""
	}
	text, _ := excerpt(part.Body(), to, v.Meter.Text, s.Relevance)
	rec := plan.Record{
		Action: plan.Externalize, Span: p.Span, Artifact: a.ID, Summary: data, Text: outcome + text,
		Hint: hint(a.Tool, part), Strategy: p.Strategy, Reason: p.Reason,
	}
	return Result{Record: rec, Artifacts: []artifact.Artifact{a}}, nil
}

// outcomeOf is the structured summary of one result: its tool, how the call ended and
// the fields that identify what it made or found.
func (v *View) outcomeOf(at thread.Place) *summary.Structured {
	result := v.T.Part(at)
	call := message.Part{Kind: message.Call, CallID: result.CallID, Name: result.Name}
	if made, ok := v.CallOf(at.Index, at.Part); ok {
		call = made
	}
	e := tool.OfWith(call, result, v.Tools)
	from := summary.Source{ID: v.T.ID(at.Index), N: at.Index + 1}
	out := summary.ToolOutcome{Tool: cmp.Or(e.Tool, "tool"), Outcome: string(e.Outcome), Error: clip(e.Error, 120), From: from}
	var fields map[string]json.RawMessage
	if json.Unmarshal(e.KeyFields, &fields) == nil {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if value := strings.Trim(string(fields[name]), `"`); len(value) <= maxField {
				out.Fields = append(out.Fields, summary.Field{Name: name, Value: value})
			}
		}
	}
	return &summary.Structured{Schema: summary.Schema, Round: 1, From: from, To: from, Count: 1, Outcomes: []summary.ToolOutcome{out}}
}

// maxField is the most bytes of a field that a pointer shows.
const maxField = 80

// content is the whole of a part: its text, or its provider JSON where it holds
// more than text.
func content(p message.Part) []byte {
	if hasMedia(p) && len(p.Raw) > 0 {
		return p.Raw
	}
	return []byte(p.Body())
}

// hint says when the agent should read the content back.
func hint(name string, p message.Part) string {
	first, _, _ := strings.Cut(strings.TrimSpace(p.Body()), "\n")
	return "read if you need the full output of " + name + ": " + clip(first, 80)
}
