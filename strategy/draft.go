package strategy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Draft is a plan in the making: records, and what each entry costs under them.
type Draft struct {
	T         *thread.Thread
	Meter     token.Meter
	Style     render.Style
	Artifacts []artifact.Artifact

	Notes   []plan.Note // of the agent's, beside calls that declare some
	Demands Demands

	total  int // tokens of the request under the draft
	logged int // tokens of the request without any record
	cells  []cell
	calls  answeredCalls
	// noThinking is where thinking is left out.
	noThinking plan.Range
	// lastUser is the position of the last message in which the user speaks, -1 for none: in a run
	// of an agent's it may be the first of all.
	lastUser int
}

// Demands are what providers differ in.
type Demands struct {
	// CallsApart: the result of a call may stand anywhere after it, not only in its unit.
	CallsApart bool
	// ThinkingLeads: an open tool loop in which no round begins with thinking is refused.
	ThinkingLeads bool
	// ThinkingStays: what was thought beside calls that are being answered is not left out.
	ThinkingStays bool
	// UserLeads: whoever writes the request may put messages of the user's before and behind one
	// that a record makes in the assistant's name, and at the end. They are counted with it.
	UserLeads bool
}

// Demand says what the draft's provider wants.
func (d *Draft) Demand(w Demands) {
	d.Demands = w
	for i := range d.cells {
		if w.UserLeads && d.cells[i].whole != nil {
			d.recount(i)
		}
	}
	d.total += d.closing()
}

// closing is what the user's message at the end of the request costs, where there is one: see Demands.
func (d *Draft) closing() int {
	if !d.Demands.UserLeads || !EndsUnasked(d.T) {
		return 0
	}
	return d.Meter.Message(message.TextOf(message.User, message.Opening))
}

// Prompt is the part of Total that the prompt has, and Beside what is written beside summaries:
// see Demands. What closes a request is in neither.
func (d *Draft) Prompt() int { return d.total - d.closing() - d.Beside() }

// Beside is described at Prompt.
func (d *Draft) Beside() (n int) {
	for i := range d.cells {
		if c := &d.cells[i]; d.Demands.UserLeads && c.whole != nil && !d.within(i) && !d.T.At(i).Message.Meta {
			for _, m := range render.One(d.T.At(i), c.whole, d.Style) {
				n += d.beside(i, m)
			}
		}
	}
	return n
}

// EndsUnasked reports whether a history ends with what the assistant says, and not with its calls.
func EndsUnasked(t *thread.Thread) bool {
	for i := t.Len() - 1; i >= 0; i-- {
		if m := t.At(i).Message; !m.Meta {
			return m.Role == message.Assistant && !m.Has(message.Call)
		}
	}
	return false
}

// cell is one entry of the draft. There is one for each message of the log.
type cell struct {
	orig  int32 // tokens uncompacted
	cost  int32
	whole *plan.Record
	parts map[int]*plan.Record
}

// NewDraft starts from the records of a plan (nil for none). fixed is the cost
// of everything that is not a message.
func NewDraft(t *thread.Thread, p *plan.Plan, style render.Style, m token.Meter, fixed int) *Draft {
	d := &Draft{T: t, Meter: m, Style: style, total: fixed, logged: fixed, cells: make([]cell, t.Len()), lastUser: lastUser(t)}
	if p != nil {
		d.noThinking = p.NoThinking
	}
	counter := m.Name()
	for i := range d.cells {
		e := t.At(i)
		c := &d.cells[i]
		if c.orig = int32(e.Tokens); e.Counter != counter { // not counted by this meter
			c.orig = int32(m.Message(e.Message))
		}
		if !e.Message.Meta {
			d.logged += int(c.orig)
		}
		c.cost = c.orig - int32(d.thinkingCost(i))
		d.total += int(c.cost)
	}
	if p != nil {
		for i := range p.Records {
			r := p.Records[i]
			if !d.fits(&r) {
				continue
			}
			d.number(&r)
			d.place(&r)
		}
	}
	return d
}

// fits reports whether a record of a plan is on something that is there: two writers
// who raced may hold the same message in forms with other thinking. Rendering
// passes over one that is not.
func (d *Draft) fits(r *plan.Record) bool {
	for _, i := range d.T.Positions(r.Span.IDs) {
		if i < 0 || r.Span.Part > 0 && r.Span.Part > len(d.T.At(i).Message.Parts) {
			return false
		}
	}
	return true
}

// Total is the cost of the whole request under the draft, in tokens.
func (d *Draft) Total() int { return d.total }

// Uncompacted is the cost of the whole request without any record, in tokens.
func (d *Draft) Uncompacted() int { return d.logged }

// Cost returns what the entry at position i costs under the draft.
func (d *Draft) Cost(i int) int { return int(d.cells[i].cost) }

// Original returns what the entry costs uncompacted.
func (d *Draft) Original(i int) int { return int(d.cells[i].orig) }

// Whole is the record over the whole entry, or nil.
func (d *Draft) Whole(i int) *plan.Record { return d.cells[i].whole }

// Part is the record over part n (from 1) of the entry, or nil.
func (d *Draft) Part(i, n int) *plan.Record { return d.cells[i].parts[n] }

// Apply adds a made record, in place of what it covers, if that frees tokens.
func (d *Draft) Apply(m Result) (freed int, ok bool) {
	before := d.total
	undo := d.put(&m.Record)
	freed = before - d.total
	if freed <= 0 {
		undo()
		return 0, false
	}
	m.Record.Saves = freed
	d.Artifacts = append(d.Artifacts, m.Artifacts...)
	return freed, true
}

// force adds a record whatever it costs: repairs must stand.
func (d *Draft) force(r plan.Record) { d.put(&r) }

// place puts a record of a plan, which nothing undoes: where it meets no other, as
// those of a plan do not, without a note of what was there.
func (d *Draft) place(r *plan.Record) {
	free := r.Span.Part == 0
	for _, i := range d.T.Positions(r.Span.IDs) {
		free = free && d.cells[i].whole == nil
	}
	if !free {
		d.put(r)
		return
	}
	for _, i := range d.T.Positions(r.Span.IDs) {
		d.cells[i].whole, d.cells[i].parts = r, nil
	}
	for _, i := range d.T.Positions(r.Span.IDs) {
		d.recount(i)
	}
}

func (d *Draft) put(r *plan.Record) (undo func()) {
	if r.Span.Part > 0 {
		return d.putPart(r)
	}
	return d.putWhole(r)
}

func (d *Draft) putPart(r *plan.Record) (undo func()) {
	i, _ := d.T.Find(r.Span.IDs[0])
	c, old := &d.cells[i], d.cells[i]
	if old := c.parts[r.Span.Part]; old != nil {
		inherit(r, old)
	}
	c.parts = maps.Clone(c.parts)
	if c.parts == nil {
		c.parts = map[int]*plan.Record{}
	}
	c.parts[r.Span.Part] = r
	d.recount(i)
	return func() { d.restore(i, old) }
}

// inherit keeps what a repair did to the part.
func inherit(r, old *plan.Record) {
	r.CallID = cmp.Or(r.CallID, old.CallID)
	r.Answer = cmp.Or(r.Answer, old.Answer)
	r.Orphan = r.Orphan || old.Orphan
}

func (d *Draft) putWhole(r *plan.Record) (undo func()) {
	was := d.cover(r)
	lost := map[*plan.Record]int{} // entries, by record that stood there
	for from, n := 0, 0; n <= len(was); n++ {
		if n < len(was) && was[n].whole == was[from].whole {
			continue
		}
		if old := was[from].whole; old != nil {
			lost[old] += n - from
		}
		from = n
	}
	for old, n := range lost {
		if n < len(old.Span.IDs) {
			was = append(was, d.trim(old)...)
		}
	}
	for _, c := range was {
		d.recount(c.at)
	}
	return func() {
		for _, c := range was {
			d.restore(c.at, c.cell)
		}
	}
}

// coveredCell is a cell as it was before a record took its place.
type coveredCell struct {
	cell
	at int
}

// cover puts a record over the entries of its span.
func (d *Draft) cover(r *plan.Record) []coveredCell {
	was := make([]coveredCell, len(r.Span.IDs))
	for n, i := range d.T.Positions(r.Span.IDs) {
		was[n] = coveredCell{d.cells[i], i}
		d.cells[i] = cell{orig: was[n].orig, cost: was[n].cost, whole: r}
	}
	return was
}

// trim gives a record that lost part of its span the rest of it, so that its
// message stands at the first entry it still covers.
func (d *Draft) trim(old *plan.Record) (was []coveredCell) {
	rest := *old
	rest.Span.IDs = nil
	for n, i := range d.T.Positions(old.Span.IDs) {
		if d.cells[i].whole == old {
			was = append(was, coveredCell{d.cells[i], i})
			d.cells[i].whole = &rest
			rest.Span.IDs = append(rest.Span.IDs, old.Span.IDs[n])
		}
	}
	if len(was) > 0 {
		d.number(&rest)
	}
	return was
}

// number sets a record's turns from what its span holds now, as plan.Build does:
// a summary's head names them.
func (d *Draft) number(r *plan.Record) {
	first, _ := d.T.Find(r.Span.Start())
	last, _ := d.T.Find(r.Span.End())
	r.Span.FirstTurn, r.Span.LastTurn = d.T.Turn(first), d.T.Turn(last)
}

func (d *Draft) restore(i int, old cell) {
	d.total += int(old.cost - d.cells[i].cost)
	d.cells[i] = old
}

// recount measures what stands for entry i under the draft.
func (d *Draft) recount(i int) {
	c := &d.cells[i]
	cost := 0
	switch {
	case d.within(i) || d.T.At(i).Message.Meta:
	case c.whole != nil:
		for _, m := range render.One(d.T.At(i), c.whole, d.Style) {
			cost += d.Meter.Message(m) + d.beside(i, m)
		}
	default:
		cost = max(d.Original(i)+d.partsDelta(i)-d.thinkingCost(i), 0)
	}
	d.total += cost - int(c.cost)
	c.cost = int32(cost)
}

// beside is what the messages of the user's cost that are written beside one that stands for
// entry i: behind it, and also before it where it is the first.
func (d *Draft) beside(i int, m message.Message) int {
	if !d.Demands.UserLeads || m.Role != message.Assistant {
		return 0
	}
	cost := d.Meter.Message(message.TextOf(message.User, message.Opening))
	for i--; i >= 0; i-- {
		if d.T.At(i).Message.Role != message.System {
			return cost
		}
	}
	return 2 * cost
}

// within reports whether entry i stands where the record over the one before goes on,
// and has no message of its own.
func (d *Draft) within(i int) bool {
	r := d.cells[i].whole
	return r != nil && i > 0 && d.cells[i-1].whole == r && r.Action.Together()
}

// thinkingCost returns what entry i saves where its thinking is left out.
func (d *Draft) thinkingCost(i int) (saved int) {
	m := &d.T.At(i).Message
	if !d.noThinking.Holds(i) || m.Meta {
		return 0
	}
	left := len(m.Parts)
	for n := range m.Parts {
		r := d.cells[i].parts[n+1]
		gone := r != nil && r.Action == plan.Drop
		if m.Parts[n].Kind == message.Thinking && !gone {
			saved += d.Meter.Part(m.Parts[n])
			gone = true
		}
		if gone {
			left--
		}
	}
	if left == 0 && saved > 0 {
		return d.Original(i)
	}
	return saved
}

// partsDelta returns what the part records change in the entry's cost.
func (d *Draft) partsDelta(i int) int {
	e, delta, left := d.T.At(i), 0, len(d.T.At(i).Message.Parts)
	for n, r := range d.cells[i].parts {
		p := e.Message.Parts[n-1]
		delta -= d.Meter.Part(p)
		if r.Action == plan.Drop {
			left--
			continue
		}
		q := render.Part(p, r, d.Style)
		delta += d.Meter.Part(q)
		if r.Answer != "" {
			delta += d.Meter.Message(render.Answer(q, r))
		}
	}
	if left == 0 {
		return -d.Original(i)
	}
	return delta
}

// Records returns the draft's records, in thread order, without those that
// lost all of their span.
func (d *Draft) Records() []plan.Record {
	var out []plan.Record
	for i := range d.cells {
		c := &d.cells[i]
		if c.whole != nil {
			if !d.within(i) && c.whole.Span.Start() == d.T.ID(i) {
				r := *c.whole
				r.Tokens, r.Saves = int(c.cost), d.originals(r.Span.IDs)-int(c.cost)
				out = append(out, r)
			}
			continue
		}
		for _, n := range slices.Sorted(maps.Keys(c.parts)) {
			out = append(out, d.withCosts(i, n, *c.parts[n]))
		}
	}
	return out
}

// originals returns what the entries cost uncompacted.
func (d *Draft) originals(ids []thread.ID) (n int) {
	for _, i := range d.T.Positions(ids) {
		n += d.Original(i)
	}
	return n
}

// withCosts is the record on part n of entry i with what it costs and frees now: a
// rung may have worked on what an earlier one left.
func (d *Draft) withCosts(i, n int, r plan.Record) plan.Record {
	p := d.T.At(i).Message.Parts[n-1]
	if r.Tokens = 0; r.Action != plan.Drop {
		r.Tokens = d.Meter.Part(render.Part(p, &r, d.Style))
	}
	r.Saves = max(d.Meter.Part(p)-r.Tokens, 0)
	return r
}

// Now is part n (from 1) of entry i as the prompt would show it, and false when
// it is not there or the whole entry is covered.
func (d *Draft) Now(i, n int) (message.Part, bool) {
	c := &d.cells[i]
	if c.whole != nil {
		return message.Part{}, false
	}
	p := d.T.At(i).Message.Parts[n-1]
	if r := c.parts[n]; r != nil {
		if r.Action == plan.Drop {
			return p, false
		}
		return render.Part(p, r, d.Style), true
	}
	return p, true
}

// Acted reports whether a part stands under more than a repair or a re-encoding.
func (d *Draft) Acted(i, n int) bool {
	return !d.Part(i, n).Verbatim()
}

// ActedOn says the same of a part, or with part 0 of any part of the entry.
func (d *Draft) ActedOn(i, part int) bool {
	if part > 0 {
		return d.Acted(i, part)
	}
	for n := range d.cells[i].parts {
		if d.Acted(i, n) {
			return true
		}
	}
	return false
}
