package extract

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// outcome is a call of any other tool and its result. What it came to is read
// again once it is written: a reading holds its texts a second time.
type outcome struct {
	call   message.Part
	result *message.Part
	from   summary.Source
	found  *lookup // nil for another
}

// outcomes are the calls of other tools, with the look-ups among them that are held.
type outcomes struct {
	all     []outcome
	lookups lookups
	before  []summary.ToolOutcome // of an earlier summary
}

// add keeps a call of such a tool, unless what came of it is of use for a while only.
func (l *outcomes) add(e *tool.Reading, call message.Part, p *message.Part, at summary.Source) {
	if tool.Resolve(e.Envelope, nil).Durability == tool.Ephemeral || e.Tool == "" {
		return
	}
	found := lookUp(e, call)
	l.lookups.add(found)
	l.all = push(l.all, outcome{call, p, at, found}, maxPerKind)
}

// written returns the newest outcomes that tell something.
func (l *outcomes) written() (all []summary.ToolOutcome) {
	kept, known := lastOf(l.all, maxPerKind), toldAmounts{}
	for i := range l.before {
		known.add(&l.before[i])
	}
	for i := range kept {
		told := kept[i].written()
		told.Fields = append(told.Fields, known.news(&told, kept[i].amounts())...)
		if kept[i].says(&told) && !l.passedOver(&kept[i]) {
			known.add(&told)
			all = append(all, told)
		}
	}
	return all
}

// shortResult is the most bytes of a result that stands whole with its call.
const shortResult = 60

// written tells an outcome by its key fields, and by the result where it is a few words.
func (o *outcome) written() summary.ToolOutcome {
	e := tool.Of(o.call, o.result)
	told := summary.ToolOutcome{Tool: e.Tool, Outcome: string(e.Outcome), Fields: fields(e.KeyFields), Error: oneline.Of(e.Error), From: o.from}
	if found := o.foundField(); found != nil {
		told.Fields, told.Named = append(fields([]byte(o.call.Args)), found...), o.found.named
	}
	if text := inFewWords(tool.Parse(o.call, o.result)); text != "" {
		told.Fields = append(told.Fields, summary.Field{Name: summary.ResultField, Value: text})
	}
	return told
}

// amounts returns what moved by a call that changes something.
func (o *outcome) amounts() []summary.Field {
	if !tool.ActsByName(o.call.Name) {
		return nil
	}
	if e := tool.Of(o.call, o.result); e.Structured != nil {
		return movedAmounts(e.Structured, o.call.Args)
	}
	return nil
}

// inFewWords returns a result that is a few words, or the verdict of tests that it ends with, or the few
// words of the first line of what a change came to; "" for another and for an error, which is told as such.
func inFewWords(e *tool.Reading) string {
	if e.Error != "" || e.Structured != nil {
		return ""
	}
	if verdict := e.Telling(); testrun.IsVerdict(verdict) {
		return oneline.Of(verdict)
	}
	text := oneline.Of(e.Text)
	if len(text) > shortResult && tool.ActsByName(e.Tool) { // what came of it stands first
		first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
		text = oneline.Of(first)
	}
	if len(text) <= shortResult {
		return text
	}
	return ""
}

// says reports whether an outcome tells more than what was asked, of a tool that only looks.
func (o *outcome) says(told *summary.ToolOutcome) bool {
	if told.Outcome != string(tool.Success) || !tool.LooksByName(told.Tool) || len(told.Fields) == 0 {
		return true
	}
	asked := fields([]byte(o.call.Args))
	return slices.ContainsFunc(told.Fields, func(f summary.Field) bool {
		return !slices.Contains(asked, f)
	})
}

// fields reads the values of a JSON object in order, each with the name of the member that it is
// in.
func fields(raw []byte) []summary.Field {
	d := jsontext.NewDecoder(strings.NewReader(string(raw)))
	var fs []summary.Field
	name, around := "", []string(nil)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return fs
		}
		switch t.Kind() {
		case '{', '[':
			around = append(around, name)
		case '}', ']':
			name, around = around[len(around)-1], around[:len(around)-1]
		case '"':
			if tool.WasName(d) {
				name = oneline.Of(t.String())
				continue
			}
			fallthrough
		default:
			fs = append(fs, summary.Field{Name: name, Value: oneline.Of(t.String())})
		}
	}
}
