package strategy

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
)

// Reencode writes JSON results in their densest exact form: the same
// value without white space. It is lossless, so it comes before everything.
type Reencode struct{ From Zone }

// Name implements Strategy.
func (Reencode) Name() string { return "reencode" }

// Analyze implements Strategy.
func (s Reencode) Analyze(v *View) []Proposal {
	return eachPart(v, s.From, func(i, n int, p message.Part) (Proposal, bool) {
		if p.Kind != message.Result || v.Part(i, n) != nil || len(p.Parts) != 1 || hasMedia(p) || len(p.Body()) < 200 {
			return Proposal{}, false
		}
		dense, ok := compactJSON(p.Body())
		if !ok {
			return Proposal{}, false
		}
		saves := v.Meter.Text(p.Body()) - v.Meter.Text(dense)
		return Proposal{Strategy: s.Name(), Saves: saves, Reason: "the same JSON without white space"}, saves > 8
	})
}

// Execute implements Strategy.
func (Reencode) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	part, _ := v.part(p.Span)
	dense, _ := compactJSON(part.Body())
	return Result{Record: replacement(p, plan.Reencoded, dense)}, nil
}

func compactJSON(s string) (string, bool) {
	if len(s) == 0 || (s[0] != '{' && s[0] != '[') {
		return "", false
	}
	v := jsontext.Value(s)
	if err := v.Compact(jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return "", false
	}
	return string(v), len(v) < len(s)
}
