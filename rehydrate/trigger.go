package rehydrate

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// mention is an artifact that something in the turn asks for.
type mention struct {
	id      string
	trigger Trigger
	by      plan.Ref
}

// scan collects mentions in order of appearance, each artifact once.
type scan struct {
	ask   Ask
	known map[string]bool // ids the plan in force resolves
	hints []hint
	seen  map[string]bool
	out   []mention
	read  map[string]bool // ids an explicit call of the turn has read
}

// mentions reads the turn at the tip, and the reply before it that its user
// message answers. Only what the log says counts, and only where the prompt
// still shows it: a summary, a pointer, a placeholder names nothing. A thread
// that ends in a reply without calls is one the model is to continue: nothing
// may stand behind it.
func mentions(a Ask) *scan {
	s := &scan{ask: a, known: map[string]bool{}, seen: map[string]bool{}, read: map[string]bool{}}
	t := a.Thread
	if a.Plan == nil || t == nil || t.Len() == 0 || continues(t) {
		return s
	}
	s.resolve(a.Plan)
	if len(s.known) == 0 {
		return s
	}
	for i := first(t); i < t.Len(); i++ {
		s.entry(i)
	}
	return s
}

func continues(t *thread.Thread) bool {
	last := t.At(t.Len() - 1).Message
	return last.Role == message.Assistant && !last.Has(message.Call)
}

// first returns the first position of the turn at the tip; where a user speaks there,
// of the reply the user answers.
func first(t *thread.Thread) int {
	i := t.Len() - 1
	for i > 0 && t.Turn(i-1) == t.Turns() {
		i--
	}
	if !thread.Speaks(t.At(i).Message) {
		return i
	}
	for i > 0 && t.At(i).Message.Role != message.Assistant {
		i--
	}
	for i > 0 && t.At(i-1).Message.Role == message.Assistant {
		i--
	}
	return i
}

// resolve notes the artifacts of a plan.
func (s *scan) resolve(p *plan.Plan) {
	for i := range p.Records {
		r := &p.Records[i]
		if r.Action == plan.Externalize && r.Artifact != "" && !s.known[r.Artifact] {
			s.known[r.Artifact] = true
			s.hints = append(s.hints, hint{id: r.Artifact, text: r.Hint})
		}
	}
}

func (s *scan) entry(i int) {
	e := s.ask.Thread.At(i)
	if e.Message.Meta || s.ask.Plan.Whole(e.ID) != nil {
		return
	}
	words := thread.WordsOf(&e.Message)
	for n := range e.Message.Parts {
		if !s.shown(e.ID, n+1) {
			continue
		}
		by := plan.Ref{ID: e.ID, Part: n + 1}
		switch p := &e.Message.Parts[n]; {
		case p.Kind == message.Text && e.Message.Role == message.Assistant:
			s.text(p.Text, Named, by)
			s.question(p.Text, by)
		case p.Kind == message.Call && e.Message.Role == message.Assistant:
			s.call(thread.Place{Index: i, Part: n + 1}, *p, by)
		case p.Kind == message.Text && e.Message.Role == message.User:
			s.question(words.Said(n), by)
		}
	}
}

// shown reports whether the prompt shows a part as it was said.
func (s *scan) shown(id thread.ID, part int) bool {
	return s.ask.Plan.Part(id, part).Verbatim()
}

func (s *scan) add(id string, why Trigger, by plan.Ref) {
	if s.known[id] && !s.seen[id] {
		s.seen[id] = true
		s.out = append(s.out, mention{id, why, by})
	}
}

// text adds the ids a text names as whole tokens.
func (s *scan) text(text string, why Trigger, by plan.Ref) {
	tokens(text, func(token string) { s.add(token, why, by) })
}

// tokens calls f for each longest run of letters, digits, "_" and "-".
func tokens(text string, f func(string)) {
	start := -1
	for i, r := range text {
		switch in := tokenRune(r); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			f(text[start:i])
			start = -1
		}
	}
	if start >= 0 {
		f(text[start:])
	}
}

func tokenRune(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// call adds what the arguments of a call name. A call that reads content back
// does so by itself; it counts only when it failed, as it does for a client
// that has no such tool.
func (s *scan) call(at thread.Place, p message.Part, by plan.Ref) {
	if !Explicit(p.Name) && (s.ask.Tool == "" || p.Name != s.ask.Tool) {
		arguments(p.Args, func(text string) { s.text(text, Called, by) })
		return
	}
	result := s.resultOf(at)
	if result != nil && tool.Parse(p, result).Outcome == tool.Failure {
		arguments(p.Args, func(text string) { s.text(text, Called, by) })
		return
	}
	arguments(p.Args, func(text string) { tokens(text, func(id string) { s.read[id] = true }) })
}

// resultOf returns the result of a call, nil if there is none yet.
func (s *scan) resultOf(call thread.Place) *message.Part {
	t := s.ask.Thread
	for _, p := range t.Pairs(t.UnitOf(call.Index)) {
		if p.Call == call && p.Complete() {
			return t.Part(p.Result)
		}
	}
	return nil
}

// arguments calls f for every string value at any depth of a call's arguments,
// not for the names of members: those are the tool's own words. What is not
// JSON, cut off or written by hand, is one text, in which an escape parts words.
func arguments(args string, f func(string)) {
	var texts []string
	if err := values(args, func(s string) { texts = append(texts, s) }); err != nil {
		texts = []string{unescaped(args)}
	}
	for _, t := range texts {
		f(t)
	}
}

// values calls f for the string values of a JSON text, in order.
func values(text string, f func(string)) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var objects []bool // of the open containers: whether it is an object
	name := false      // the next string is a member's name
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) && len(objects) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				objects = append(objects, v == '{')
			} else {
				objects = objects[:len(objects)-1]
			}
		case string:
			if name {
				name = false
				continue
			}
			f(v)
		}
		name = len(objects) > 0 && objects[len(objects)-1]
	}
}

// unescaped returns JSON text, broken somewhere, with its escapes as spaces.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	b := []byte(text)
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		n := 2
		if b[i+1] == 'u' {
			n = 6
		}
		for end := min(i+n, len(b)); i < end; i++ {
			b[i] = ' '
		}
		i--
	}
	return string(b)
}
