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
// becomes an excerpt with a pointer, and so does a list or an object of many short values.
// The arguments stay valid JSON.
type Args struct {
	Above, To int // tokens of one value
	From      Zone
	Relevance *Relevance

	all int // tokens of all arguments together; 0: any number
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
	args, err := s.cutValues(v, i, part.Args)
	if err != nil || s.all > 0 && s.remains(v, part.Args, args) {
		args = quoted(s.body(v, i, part.Args))
	}
	return Result{Record: replacement(p, plan.Preview, args)}, nil
}

// cutValues cuts the long strings of arguments, and where that leaves too much the lists and
// objects, too: to the smaller the more of them there are, where all arguments have a limit.
func (s Args) cutValues(v *View, i int, was string) (args string, err error) {
	cut := func(body string) string { return s.body(v, i, body) }
	if args, err = cutArgs(was, false, cut); err != nil {
		return "", err
	}
	for skeleton := args; s.To > 0 && s.remains(v, was, args); s.Above, s.To = s.Above/2, s.To/2 {
		if args, err = cutArgs(skeleton, true, cut); err != nil || s.all == 0 {
			break
		}
	}
	return args, err
}

// remains reports whether cutting the strings left too much: more than the arguments may
// have, or most of what they had.
func (s Args) remains(v *View, was, args string) bool {
	size, over := v.exceeds(args, max(s.Above, s.all))
	return over && (s.all > 0 || size > v.Meter.Text(was)/2)
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

// cutArgs copies a JSON text, passing each string value (not names) through cut, or with whole
// the text of each list and object that the outermost one holds.
func cutArgs(args string, whole bool, cut func(string) string) (string, error) {
	d := tool.Decode(new(jsontext.Decoder), args)
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	for {
		name := d.StackDepth() > 0 && tool.NextIsName(d)
		if kind := d.PeekKind(); whole && d.StackDepth() == 1 && (kind == '{' || kind == '[') {
			if err := cutValue(d, e, cut); err != nil {
				return "", err
			}
			continue
		}
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return strings.TrimSuffix(b.String(), "\n"), nil
		}
		if err != nil {
			return "", err
		}
		if t.Kind() == '"' && !name && !whole {
			if s := t.String(); len(s) > shortArg {
				t = jsontext.String(cut(s))
			}
		}
		if err := e.WriteToken(t); err != nil {
			return "", err
		}
	}
}

// cutValue copies the value that comes next, as the text that cut makes of its own where that
// is another.
func cutValue(d *jsontext.Decoder, e *jsontext.Encoder, cut func(string) string) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if text := cut(string(value)); text != string(value) {
		return e.WriteToken(jsontext.String(text))
	}
	return e.WriteValue(value)
}
