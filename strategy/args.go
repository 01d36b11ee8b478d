package strategy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// Args cuts the bodies inside tool-call arguments: what was written,
// edited or fed to a shell. Short arguments, paths and names stay; a long string
// becomes an excerpt with a pointer, and the arguments stay valid JSON.
type Args struct {
	Above, To int // tokens of one string
	From      Zone
	Relevance *Relevance
}

// Name implements Strategy.
func (Args) Name() string { return "args" }

// Analyze implements Strategy.
func (s Args) Analyze(v *View) []Proposal {
	return eachPart(v, s.From, func(i, n int, p message.Part) (Proposal, bool) {
		if p.Kind != message.Call {
			return Proposal{}, false
		}
		size, over := v.exceeds(p.Args, s.Above)
		return Proposal{Strategy: s.Name(), Saves: size - s.To, Reason: "argument body of an old call"}, over
	})
}

// Execute implements Strategy.
func (s Args) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	part, i := v.part(p.Span)
	args, err := cutArgs(part.Args, func(body string) string { return s.body(v, i, body) })
	if err != nil {
		args = quoted(s.body(v, i, part.Args))
	}
	return Result{Record: replacement(p, plan.Preview, args)}, nil
}

// shortArg is the size in bytes up to which a string argument is never cut.
const shortArg = 120

// quoted makes arguments that were not JSON into an object that is.
func quoted(text string) string {
	b, err := json.Marshal(map[string]string{"_raw": text})
	if err != nil {
		return "{}"
	}
	return string(b)
}

// body cuts one string if it is long.
func (s Args) body(v *View, i int, body string) string {
	if _, over := v.exceeds(body, s.Above); !over {
		return body
	}
	kept, left := excerpt(body, s.To-pointerTokens, v.Meter.Text, s.Relevance)
	return strings.TrimSuffix(kept, "\n") + "\n" + v.Limits.pointer(i, left, "lines")
}

// cutArgs copies a JSON text, passing each string value (not names) through cut.
func cutArgs(args string, cut func(string) string) (string, error) {
	d := tool.Decode(new(jsontext.Decoder), args)
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	for {
		name := d.StackDepth() > 0 && tool.NextIsName(d)
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return strings.TrimSuffix(b.String(), "\n"), nil
		}
		if err != nil {
			return "", err
		}
		if t.Kind() == '"' && !name {
			if s := t.String(); len(s) > shortArg {
				t = jsontext.String(cut(s))
			}
		}
		if err := e.WriteToken(t); err != nil {
			return "", err
		}
	}
}
