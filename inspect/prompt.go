package inspect

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// Row is one message of a prompt.
type Row struct {
	Row    int    `json:"row"` // counted from 1
	Role   string `json:"role"`
	Tool   string `json:"tool,omitempty"`
	Tokens int    `json:"tokens"`
	State  State  `json:"state"`
	// First and Last are the messages of the log that it stands for.
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Record string `json:"record,omitempty"` // that put it there
	Text   string `json:"text"`             // its beginning
	Bytes  int    `json:"bytes"`            // of the whole text
	// Change says how it differs from the prompt of the step before: "" for not at all,
	// new, changed, back.
	Change string `json:"change,omitempty"`

	key      string // equal in two prompts where the message is
	together bool   // it is one of the messages that stand for all that the record covers
}

// Gone is a message that the prompt of the step before had, and this one has not.
type Gone struct {
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Tokens int    `json:"tokens"`
	Record string `json:"record,omitempty"` // that took it out
	Reason string `json:"reason,omitempty"`
	Text   string `json:"text"`
}

// prompt is the request that was sent at one step.
type prompt struct {
	step    int // counted from 1
	n       int // messages of the log
	plan    *sketch
	rows    []Row
	texts   []message.Message
	stands  []stand
	at      []int32 // of each message of the log: the row that stands for it, counted from 1; 0: none
	gone    []Gone
	deduced int // tokens
}

// prompt renders the request of a step.
func (v *view) prompt(ctx context.Context, n int) (*prompt, error) {
	if n < 1 || n > len(v.steps) {
		return nil, fault{http.StatusNotFound, "not_found", fmt.Sprintf("this thread has the steps 1 to %d", len(v.steps))}
	}
	v.timeline()
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.shownAt(n); p != nil {
		return p, nil
	}
	p, err := v.render(ctx, n)
	if err != nil {
		return nil, err
	}
	if n > 1 {
		before, err := v.render(ctx, n-1)
		if err != nil {
			return nil, err
		}
		p.compare(before, v.t)
	}
	v.show(p)
	return p, nil
}

func (v *view) render(ctx context.Context, step int) (*prompt, error) {
	n := v.steps[step-1]
	t, err := v.t.Prefix(n)
	if err != nil {
		return nil, fmt.Errorf("render step %d: %w", step, err)
	}
	now := v.inForce(n)
	whole, err := v.whole(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("render step %d: %w", step, err)
	}
	older := v.before(now)
	out := render.Prompt(t, whole, nil)
	p := &prompt{step: step, n: n, plan: now, texts: out.Messages, stands: stands(v.t, now, older, n), at: make([]int32, n), deduced: v.columns[step-1].tokens}
	calls := recall.Tools(t)
	for i, m := range out.Messages {
		o := out.Origins[i]
		r := Row{Row: i + 1, Role: string(role(m)), Tool: toolOf(m, calls), Bytes: lengthOf(m), Text: oneline.Start(textOfMessage(m, calls), 400)}
		p.place(&r, o, t)
		p.rows = append(p.rows, r)
	}
	apportion(p.rows)
	return p, nil
}

// apportion divides the tokens of a record, which its first message has, among all that stand for it, by
// their bytes.
func apportion(rows []Row) {
	for from := 0; from < len(rows); {
		bytes, until := 0, from
		for until == from || until < len(rows) && rows[until].alike(&rows[from]) {
			bytes += rows[until].Bytes
			until++
		}
		tokens, before := rows[from].Tokens, 0
		for i := from; i < until && until-from > 1; i++ {
			upTo := before + rows[i].Bytes
			rows[i].Tokens = tokens*upTo/max(bytes, 1) - tokens*before/max(bytes, 1)
			before = upTo
		}
		from = until
	}
}

// alike reports whether two rows stand for one record, as its messages.
func (r *Row) alike(o *Row) bool { return r.together && o.together && r.Record == o.Record }

// place names the part of the log that a row stands for.
func (p *prompt) place(r *Row, o render.Origin, t *thread.Thread) {
	if o.First < 0 {
		r.State, r.key = Returned, "ephemeral"
		return
	}
	r.First, r.Last = o.First+1, o.First+1
	s := p.stands[o.First]
	r.State, r.Tokens = s.state, s.tokens
	if s.record != nil {
		r.Record = s.record.ID
	}
	r.key = fmt.Sprintf("%d %s %s", o.First, s.state, r.Record)
	if o.Record == nil {
		p.at[o.First] = int32(r.Row)
		return
	}
	r.Record, r.State = o.Record.ID, stateOf(o.Record)
	r.key = "record " + r.Record
	if !o.Record.Action.Together() {
		r.key += fmt.Sprint(" ", o.First)
		p.at[o.First] = int32(r.Row)
		return
	}
	if last, ok := t.Find(o.Record.Span.End()); ok {
		r.Last = last + 1
	}
	p.placeTogether(r, o, t)
}

// placeTogether names a row that is one of the messages which stand for all that a record covers.
func (p *prompt) placeTogether(r *Row, o render.Origin, t *thread.Thread) {
	r.together = true
	nth := 0
	if at := int(p.at[o.First]); at > 0 {
		nth, r.Tokens = r.Row-at, 0
	} else {
		for _, i := range t.Positions(o.Record.Span.IDs) {
			if i >= 0 && i < len(p.at) {
				p.at[i] = int32(r.Row)
			}
		}
	}
	switch last := len(o.Record.Excerpts); {
	case nth < last: // which stands as long as its text does
		r.key = fmt.Sprintf("excerpt %d %s", o.First, o.Record.Excerpts[nth])
	case nth > last: // an acknowledgement after a summary
		r.key += " ack"
	}
}

// compare marks what differs from the prompt of the step before.
func (p *prompt) compare(before *prompt, t *thread.Thread) {
	had := map[string]bool{}
	stood := map[int]bool{}
	for i := range before.rows {
		had[before.rows[i].key] = true
		stood[before.rows[i].First] = true
	}
	has := map[string]bool{}
	for i := range p.rows {
		r := &p.rows[i]
		has[r.key] = true
		switch {
		case had[r.key]:
		case r.First > before.n:
			r.Change = "new"
		case r.State == Whole || r.State == Returned:
			r.Change = "back"
		default:
			r.Change = "changed"
		}
	}
	for i := range before.rows {
		r := &before.rows[i]
		if has[r.key] || r.First == 0 || p.stillThere(r) {
			continue
		}
		g := Gone{First: r.First, Last: r.Last, Tokens: r.Tokens, Text: oneline.Start(r.Text, 160)}
		if s := p.stands[r.First-1]; s.record != nil {
			g.Record, g.Reason = s.record.ID, s.record.Reason
		}
		p.gone = append(p.gone, g)
	}
}

// stillThere reports whether a message stands as itself, in another form.
func (p *prompt) stillThere(r *Row) bool {
	at := p.at[r.First-1]
	return at > 0 && p.rows[at-1].First == r.First && p.rows[at-1].Last == r.Last
}

// PromptPage is a part of what was sent at a step.
type PromptPage struct {
	Page
	Step     int    `json:"step"`
	Steps    int    `json:"steps"`
	Turn     int    `json:"turn"`
	Messages int    `json:"messages"` // of the log
	Version  int    `json:"plan_version"`
	Owner    string `json:"plan_thread,omitempty"` // as in Column
	Tokens   int    `json:"tokens"`                // of the whole request
	System   int    `json:"system_tokens"`
	Budget   int    `json:"budget,omitempty"`
	Rows     []Row  `json:"rows"`
	Gone     []Gone `json:"gone"` // the first hundred
	Left     int    `json:"gone_total"`
}

const maxGone = 100

// stepIn reads ?step=, the last one by default.
func (v *view) stepIn(r *http.Request) (int, error) {
	return number(r.URL.Query(), "step", len(v.steps), 1, max(len(v.steps), 1))
}

func promptPage(v *view, r *http.Request) (any, error) {
	n, err := v.stepIn(r)
	if err != nil {
		return nil, err
	}
	p, err := v.prompt(r.Context(), n)
	if err != nil {
		return nil, err
	}
	from, to, err := pageOf(r, len(p.rows), 500)
	if err != nil {
		return nil, err
	}
	out := PromptPage{
		Page: Page{from, len(p.rows)}, Step: n, Steps: len(v.steps), Turn: v.t.Turn(p.n - 1), Messages: p.n, Tokens: p.deduced,
		Rows: p.rows[from:to], Gone: p.gone[:min(len(p.gone), maxGone)], Left: len(p.gone),
	}
	out.System = v.fixed(p.plan).tokens
	if out.Gone == nil {
		out.Gone = []Gone{}
	}
	if p.plan != nil {
		out.Version, out.Owner, out.Budget = p.plan.Version, p.plan.of, p.plan.Inputs.Budget
	}
	return out, nil
}

// Text is a piece of a text.
type Text struct {
	Text  string `json:"text"`
	Skip  int    `json:"skip"`  // bytes before it
	Bytes int    `json:"bytes"` // of all
	Next  int    `json:"next,omitempty"`
}

// maxText is the most bytes of a text in one answer.
const maxText = 64 << 10

// pieceOf returns the piece of a text that a request asks for, on a border of runes.
func pieceOf(text string, r *http.Request) (Text, error) {
	skip, err := number(r.URL.Query(), "skip", 0, 0, len(text))
	if err != nil {
		return Text{}, err
	}
	for skip < len(text) && !startsRune(text[skip]) {
		skip++
	}
	piece := oneline.Start(text[skip:], maxText)
	out := Text{Text: piece, Skip: skip, Bytes: len(text)}
	if end := skip + len(piece); end < len(text) {
		out.Next = end
	}
	return out, nil
}

func promptText(v *view, r *http.Request) (any, error) {
	n, err := v.stepIn(r)
	if err != nil {
		return nil, err
	}
	p, err := v.prompt(r.Context(), n)
	if err != nil {
		return nil, err
	}
	row, err := strconv.Atoi(r.PathValue("row"))
	if err != nil || row < 1 || row > len(p.texts) {
		return nil, fault{http.StatusNotFound, "not_found", fmt.Sprintf("this prompt has the rows 1 to %d", len(p.texts))}
	}
	return pieceOf(textOfMessage(p.texts[row-1], v.tools()), r)
}

func startsRune(b byte) bool { return b&0xC0 != 0x80 }

// textOfMessage returns the text of a message, each of several parts under a line in brackets.
func textOfMessage(m message.Message, calls map[string]string) string {
	if len(m.Parts) == 1 && m.Parts[0].Kind == message.Text {
		return m.Parts[0].Text
	}
	var b strings.Builder
	for i, p := range m.Parts {
		if i > 0 {
			b.WriteString("\n\n")
		}
		head, text := headOf(p, calls), readable(p)
		if b.WriteString(head); head != "" && text != "" {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// readable is the text of a part; that of a picture or a file, which its head names, is where it lies.
func readable(p message.Part) string {
	if p.Kind == message.Media {
		return p.URL
	}
	return recall.Text(p)
}

func headOf(p message.Part, calls map[string]string) string {
	name := p.Name
	if name == "" {
		name = calls[p.CallID]
	}
	switch p.Kind {
	case message.Call:
		return "[call " + name + "]"
	case message.Result:
		if p.Failed {
			return "[result of " + name + ", failed]"
		}
		return "[result of " + name + "]"
	case message.Text:
		return ""
	case message.Media:
		return recall.Named(p)
	}
	return "[" + string(p.Kind) + "]"
}

// lengthOf is the bytes of a message's text, about.
func lengthOf(m message.Message) (n int) {
	for _, p := range m.Parts {
		n += len(readable(p))
	}
	return n
}

// toolOf names the tools of a message's calls and results.
func toolOf(m message.Message, calls map[string]string) string {
	var names []string
	for _, p := range m.Parts {
		if p.Kind != message.Call && p.Kind != message.Result {
			continue
		}
		name := p.Name
		if name == "" {
			name = calls[p.CallID]
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
