package recall

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
)

// Description tells of a message, part, record or artifact without showing it. Which fields are set follows
// from Kind.
type Description struct {
	Ref    string       `json:"ref"`
	Kind   string       `json:"kind"` // "message", "part", "record", "artifact"
	ID     string       `json:"id"`   // full; a part has its message's
	Number int          `json:"number,omitempty"`
	To     int          `json:"to,omitempty"` // record: last message it covers
	Turn   int          `json:"turn,omitempty"`
	ToTurn int          `json:"to_turn,omitempty"` // record of several turns: the last
	Role   message.Role `json:"role,omitempty"`
	Type   string       `json:"type,omitempty"` // of a part, a media type of an artifact
	Tool   string       `json:"tool,omitempty"`
	CallID string       `json:"call_id,omitempty"`
	Failed bool         `json:"failed,omitempty"`
	Tokens int          `json:"tokens,omitempty"` // message: as counted when it was logged
	Bytes  int          `json:"bytes"`            // of the text
	Lines  int          `json:"lines"`
	First  string       `json:"first,omitempty"` // first line of the text, clipped
	// State tells what stands in the prompt: see the function State. Records are what put it there.
	State   string   `json:"state,omitempty"`
	Records []string `json:"records,omitempty"`
	// Action, Reason, Saves, Version and Now are a record's: what it does, why,
	// tokens it frees, the newest plan that has it, the text that stands there.
	Action   string `json:"action,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Saves    int    `json:"saves_tokens,omitempty"`
	Version  int    `json:"plan_version,omitempty"`
	Now      string `json:"now,omitempty"`
	Artifact string `json:"artifact,omitempty"`
	// Path is the logical path of a timeline's summary, Behind what lies behind it, with
	// the references that read it.
	Path   string `json:"path,omitempty"`
	Behind string `json:"behind,omitempty"`
	// Created, Expires and Sensitivity are an artifact's.
	Created     time.Time     `json:"created,omitzero"`
	Expires     time.Time     `json:"expires,omitzero"`
	Sensitivity string        `json:"sensitivity,omitempty"`
	Variants    int           `json:"variants,omitempty"` // message: other raw forms it came in
	Parts       []Description `json:"parts,omitempty"`    // of a message with several
}

// firstBytes is the most of a first line that a Description shows.
const firstBytes = 160

// Describe reports what a reference names.
func (r *Reader) Describe(ctx context.Context, ref string) (Description, error) {
	r, ref = r.of(ref)
	p, err := r.Find(ctx, ref)
	if err != nil {
		return Description{}, err
	}
	switch {
	case p.Artifact != nil:
		return r.artifact(ctx, p)
	case p.Record != nil:
		return r.describeRecord(p), nil
	case p.Part > 0:
		return r.part(p.Index, p.Part, Tools(r.Thread)), nil
	}
	names := Tools(r.Thread)
	c := r.describe(p.Index, names)
	vs, err := r.store.Variants(ctx, r.key, r.Thread.At(p.Index).ID)
	if err != nil {
		return Description{}, fmt.Errorf("describe %s: %w", c.Ref, err)
	}
	c.Variants = len(vs)
	if n := len(r.Thread.At(p.Index).Message.Parts); n > 1 {
		for i := range n {
			c.Parts = append(c.Parts, r.part(p.Index, i+1, names))
		}
	}
	return c, nil
}

// describe tells of the message at position i.
func (r *Reader) describe(i int, names map[string]string) Description {
	e := r.Thread.At(i)
	p := Place{Index: i}
	c := Description{
		Ref: r.nameOf(p), Kind: "message", ID: string(e.ID), Number: i + 1, Turn: r.Thread.Turn(i),
		Role: RoleOf(e.Message), Tokens: e.Tokens, State: r.state(e.ID, 0), Records: ids(r.Covering(p)),
	}
	if e.Message.Meta {
		c.State = "not sent"
	}
	for n := range e.Message.Parts {
		text := Text(e.Message.Parts[n])
		c.Bytes, c.Lines = c.Bytes+len(text), c.Lines+countLines(text)
		if c.First == "" {
			c.First = first(text)
		}
		if c.Tool == "" {
			c.Tool = toolOf(e.Message.Parts[n], names)
		}
	}
	return c
}

func (r *Reader) part(i, n int, names map[string]string) Description {
	e := r.Thread.At(i)
	part, p := e.Message.Parts[n-1], Place{Index: i, Part: n}
	text := Text(part)
	return Description{
		Ref: r.nameOf(p), Kind: "part", ID: string(e.ID), Number: i + 1, Turn: r.Thread.Turn(i), Role: RoleOf(e.Message),
		Type: string(part.Kind), Tool: toolOf(part, names), CallID: part.CallID, Failed: part.Failed,
		State: r.state(e.ID, n), Records: ids(r.Covering(p)),
		Bytes: len(text), Lines: countLines(text), First: first(text),
	}
}

// toolOf is the tool of a call or a result.
func toolOf(p message.Part, names map[string]string) string {
	if p.Name == "" && p.Kind == message.Result {
		return names[p.CallID]
	}
	return p.Name
}

func (r *Reader) describeRecord(p Place) Description {
	rec := p.Record
	text := r.covered(rec.Span.IDs, Text)
	if p.Part > 0 {
		text = Text(r.Thread.At(p.Index).Message.Parts[p.Part-1])
	}
	to, _ := r.Thread.Find(rec.Span.End())
	d := Description{
		Ref: r.label + rec.ID, Kind: "record", ID: rec.ID, Number: p.Index + 1, To: to + 1, Turn: rec.Span.FirstTurn,
		Action: Act(rec), Reason: rec.Reason, Saves: rec.Saves, Tokens: rec.Tokens, Version: p.Version,
		Now: rec.Body(), Artifact: rec.Artifact, Bytes: len(text), Lines: countLines(text), First: first(text),
	}
	if rec.Span.LastTurn > rec.Span.FirstTurn {
		d.ToTurn = rec.Span.LastTurn
	}
	if m := metaOf(rec); m.Path != "" {
		d.Path, d.Behind = m.Path, m.Text()
	}
	return d
}

func (r *Reader) artifact(ctx context.Context, p Place) (Description, error) {
	a := p.Artifact
	text, err := r.content(ctx, *a)
	if err != nil {
		return Description{}, err
	}
	c := Description{
		Ref: r.label + a.ID, Kind: "artifact", ID: a.ID, Number: p.Index + 1, Tool: a.Tool, Type: a.MediaType,
		Created: a.Created, Sensitivity: string(a.Sensitivity), Bytes: len(text), Lines: countLines(text), First: first(text),
	}
	if a.TTL > 0 {
		c.Expires = a.Created.Add(a.TTL)
	}
	return c, nil
}

func ids(recs []*plan.Record) []string {
	var out []string
	for _, rec := range recs {
		out = append(out, rec.ID)
	}
	return out
}

// first is the first line of a text that is not blank.
func first(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return window(strings.TrimSuffix(line, "\r"), 0, 0, firstBytes)
}

// Descriptions are a page of a list.
type Descriptions struct {
	Cards []Description `json:"cards"`
	Total int           `json:"total"`
	// Next is the position to go on from, 0 when this is the end.
	Next int `json:"next,omitempty"`
}

// List describes the thread's "messages", the "records" of its plan, or its
// "artifacts", from position from (counted from 0), at most limit of them
// (0 is 50, negative is no bound). It returns ErrMiss for another kind.
func (r *Reader) List(kind string, from, limit int) (Descriptions, error) {
	var total int
	var at func(i int) Description
	switch kind {
	case "messages":
		names := Tools(r.Thread)
		total, at = r.Thread.Len(), func(i int) Description { return r.describe(i, names) }
	case "records":
		if r.Plan != nil {
			total = len(r.Plan.Records)
		}
		at = r.recordAt
	case "artifacts":
		total, at = len(r.Artifacts), r.artifactAt
	default:
		return Descriptions{}, fmt.Errorf("list %q: %w: it has messages, records and artifacts", kind, ErrMiss)
	}
	if limit == 0 {
		limit = 50
	}
	out := Descriptions{Total: total, Cards: []Description{}}
	i := max(from, 0)
	for ; i < total && (limit < 0 || len(out.Cards) < limit); i++ {
		out.Cards = append(out.Cards, at(i))
	}
	if i < total {
		out.Next = i
	}
	return out, nil
}

func (r *Reader) recordAt(i int) Description {
	rec := &r.Plan.Records[i]
	at, _ := r.Thread.Find(rec.Span.Start())
	return r.describeRecord(Place{Index: at, Part: rec.Span.Part, Record: rec, Version: r.Plan.Version})
}

// artifactAt reports what is known without the content.
func (r *Reader) artifactAt(i int) Description {
	a := &r.Artifacts[i]
	c := Description{Ref: a.ID, Kind: "artifact", ID: a.ID, Tool: a.Tool, Type: a.MediaType, Created: a.Created, Sensitivity: string(a.Sensitivity)}
	if at, ok := r.Thread.Find(a.Source); ok {
		c.Number = at + 1
	}
	if a.TTL > 0 {
		c.Expires = a.Created.Add(a.TTL)
	}
	return c
}
