package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/thread"
)

// ErrSyntax is wrapped by every error of Parse.
var ErrSyntax = errors.New("plan syntax")

// Format writes the plan as text, one line a record:
//
//	plan {"thread":"t","version":2,…}
//	drop 5f0c…,77aa… turns 1-2 {"reason":"…"}
//	replace 9b41…/2 turns 3-3 {"how":"preview","text":"…"}
//
// Parse reads it back without loss.
func (p *Plan) Format() (string, error) {
	head := *p
	head.Records = nil
	data, err := json.Marshal(head)
	if err != nil {
		return "", fmt.Errorf("format plan: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", data)
	for i := range p.Records {
		line, err := p.Records[i].format()
		if err != nil {
			return "", fmt.Errorf("format plan: record %d: %w", i, err)
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

func (r Record) format() (string, error) {
	s := r.Span
	action := r.Action
	r.Action, r.Span = "", Span{}
	data, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return "", err
	}
	delete(members, "action")
	delete(members, "span")
	if data, err = json.Marshal(members); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s turns %d-%d %s", action, s.text(), s.FirstTurn, s.LastTurn, data), nil
}

// text is the span's ids, and "/part".
func (s Span) text() string {
	ids := make([]string, len(s.IDs))
	for i, id := range s.IDs {
		ids[i] = string(id)
	}
	if s.Part > 0 {
		return strings.Join(ids, ",") + "/" + strconv.Itoa(s.Part)
	}
	return strings.Join(ids, ",")
}

// Parse reads the text form. Blank lines and lines that start with # are
// comments. It checks form only; Build checks the plan against a thread.
func Parse(text string) (*Plan, error) {
	p := &Plan{}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.parseLine(line); err != nil {
			return nil, fmt.Errorf("parse plan: line %d: %w: %w", n+1, ErrSyntax, err)
		}
	}
	p.index = indexed(p.Records)
	return p, nil
}

func (p *Plan) parseLine(line string) error {
	if rest, ok := strings.CutPrefix(line, "plan "); ok {
		records := p.Records
		type plain Plan
		if err := json.Unmarshal([]byte(rest), (*plain)(p)); err != nil {
			return err
		}
		p.Records = records
		return nil
	}
	r, err := parseRecord(line)
	if err == nil {
		p.Records = append(p.Records, r)
	}
	return err
}

func parseRecord(line string) (r Record, err error) {
	f := strings.SplitN(line, " ", 5)
	if len(f) != 5 || f[2] != "turns" {
		return r, errors.New("want ACTION IDS turns A-B {…}")
	}
	if err := json.Unmarshal([]byte(f[4]), &r); err != nil {
		return r, err
	}
	r.Action = Action(f[0])
	if precedence[r.Action] == 0 {
		return r, ErrNoAction
	}
	r.Span, err = parseSpan(f[1], f[3])
	return r, err
}

func parseSpan(ids, turns string) (s Span, err error) {
	ids, part, ok := strings.Cut(ids, "/")
	if ok {
		if s.Part, err = strconv.Atoi(part); err != nil || s.Part < 1 {
			return s, fmt.Errorf("part %q", part)
		}
	}
	for id := range strings.SplitSeq(ids, ",") {
		if id == "" {
			return s, ErrEmptySpan
		}
		s.IDs = append(s.IDs, thread.ID(id))
	}
	first, last, _ := strings.Cut(turns, "-")
	if s.FirstTurn, err = strconv.Atoi(first); err != nil {
		return s, err
	}
	s.LastTurn, err = strconv.Atoi(last)
	return s, err
}

// Diff lists the records that b has and a has not, and the other way round.
// Either may be nil.
func Diff(a, b *Plan) (added, removed []Record) {
	return minus(b, a), minus(a, b)
}

func minus(a, b *Plan) []Record {
	have := map[string]bool{}
	if b != nil {
		for _, r := range b.Records {
			have[r.ID] = true
		}
	}
	var out []Record
	if a != nil {
		for _, r := range a.Records {
			if !have[r.ID] {
				out = append(out, r)
			}
		}
	}
	return out
}
