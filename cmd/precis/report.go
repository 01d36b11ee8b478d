package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/transcript"
)

// details is the report for programs.
type details struct {
	precis.Report
	Input    inputDetails `json:"input"`
	To       string       `json:"to"`
	Model    string       `json:"model"`
	Database string       `json:"database,omitempty"`
	Notes    []string     `json:"notes"`
}

type inputDetails struct {
	Format   string    `json:"format"`
	Session  string    `json:"session,omitempty"`
	Messages int       `json:"messages"`
	Bytes    int       `json:"bytes"`
	Skipped  []skipped `json:"skipped"`
}

// skipped are records of one kind that were no messages, for one reason.
type skipped struct {
	Why   string `json:"why"`
	Kind  string `json:"kind,omitempty"`
	Loss  bool   `json:"loss"` // they could not be used
	Count int    `json:"count"`
	Lines []int  `json:"lines"` // the first of them
}

// someLines is how many lines of a kind are named.
const someLines = 20

func skips(t *transcript.Transcript) []skipped {
	out := []skipped{}
	for _, s := range t.Skipped {
		i := slices.IndexFunc(out, func(o skipped) bool { return o.Why == string(s.Why) && o.Kind == s.Kind })
		if i < 0 {
			i = len(out)
			out = append(out, skipped{Why: string(s.Why), Kind: s.Kind, Loss: s.Why.Loss()})
		}
		out[i].Count++
		if len(out[i].Lines) < someLines {
			out[i].Lines = append(out[i].Lines, s.Line)
		}
	}
	slices.SortStableFunc(out, func(a, b skipped) int {
		if a.Loss != b.Loss {
			return map[bool]int{true: -1, false: 1}[a.Loss]
		}
		return cmp.Compare(b.Count, a.Count)
	})
	return out
}

func (c *compaction) details() details {
	path, _ := c.path()
	if c.volatile {
		path = ""
	}
	return details{
		Report: c.turn.Report(), To: c.target, Model: c.known.Name, Database: path, Notes: c.notes(),
		Input: inputDetails{
			Format: c.input.Format, Session: c.input.Session, Messages: len(c.input.Messages),
			Bytes: len(c.data), Skipped: skips(c.input),
		},
	}
}

// result is what --json prints.
type result struct {
	Thread  string          `json:"thread"`
	Version int             `json:"plan_version"` // 0: no plan
	Policy  string          `json:"policy"`
	Outcome precis.Outcome  `json:"outcome"`
	Tokens  tokenTotals     `json:"tokens"`
	Request json.RawMessage `json:"request"`
	Report  details         `json:"report"`
}

type tokenTotals struct {
	Original  int `json:"original"`
	Compacted int `json:"compacted"`
	Budget    int `json:"budget"`
}

func (c *compaction) result() result {
	return result{
		Thread: c.turn.Key.Thread, Version: c.version(), Policy: c.policyName(), Outcome: c.turn.Outcome,
		Tokens:  tokenTotals{c.turn.Original, c.turn.Compacted, c.turn.Budget},
		Request: json.RawMessage(strings.TrimPrefix(string(c.request), "\xef\xbb\xbf")), Report: c.details(),
	}
}

func (c *compaction) version() int {
	if c.turn.Plan == nil {
		return 0
	}
	return c.turn.Plan.Version
}

// policyName is the policy of the plan in force, else the one asked for.
func (c *compaction) policyName() string {
	if c.turn.Plan != nil {
		return c.turn.Plan.Policy
	}
	return c.chosen.Name
}

// foreign are the providers whose models a target does not serve.
var foreign = map[string]string{openai.Name: "anthropic", responses.Name: "anthropic", anthropic.Name: "openai"}

// pinsCut counts pinned messages that the budget forced the floor to cut.
func (c *compaction) pinsCut() (n int) {
	if c.turn.Plan == nil {
		return 0
	}
	for _, pin := range c.turn.Plan.Pins {
		if c.turn.Plan.Touches(pin.ID) {
			n++
		}
	}
	return n
}

// notes are sentences about what a reader should know before trusting the rest.
func (c *compaction) notes() []string {
	notes := []string{}
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	name := c.known.Name
	switch {
	case c.assumed:
		say("the conversation names no model, %s is assumed: --model names another", name)
	case !c.sure:
		say("model %s is not known: counted for a window of %s tokens", name, commas(c.known.Window))
	case c.known.Guess:
		say("model %s is not in the table: the numbers of a relative stand in", name)
	}
	if n := len(c.turn.Messages); n > 0 && c.target == anthropic.Name && c.turn.Messages[n-1].Role == message.Assistant && !c.asItCame() {
		say("the conversation ends with the agent's turn, which the provider refuses: the request ends with a user message \"Continue.\"")
	}
	if c.sure && c.known.Provider != "" && foreign[c.target] == c.known.Provider {
		say("the request is written for %s with model %s: --model names another", c.target, name)
	}
	if n := c.pinsCut(); n > 0 {
		say("%s do not fit and were cut: raise the budget or pin less", many(n, "pinned message"))
	}
	if !c.meter.Exact() {
		say("the model's encoding is not public: counts are estimates with a margin on the safe side")
	}
	if c.input.Request == nil && len(c.input.System) == 0 && len(c.input.Tools) == 0 {
		say("the session holds no system prompt and no tools: leave room for yours")
	}
	if got := c.turn.Key.Thread; got != c.asked {
		say("the conversation departs from thread %s: it is kept as its fork %s", c.asked, got)
	}
	if n := c.turn.Forced; n > 0 {
		say("%d messages or parts that were put back had to leave again: the budget forces it", n)
	}
	notes = append(notes, c.input.Notes...)
	for _, err := range c.turn.Failures {
		say("%v", err)
	}
	return notes
}

// text is the report for people.
func (c *compaction) text() string {
	r := c.turn.Report()
	var b strings.Builder
	b.WriteString(c.headline(&r))
	if c.turn.Plan != nil && len(c.turn.Plan.Records) > 0 {
		b.WriteString(strip(c.turn, width-4))
		b.WriteString(c.actions())
		b.WriteString(largest(c.turn, &r))
		b.WriteString(lost(&r))
		b.WriteString(c.back(&r))
	} else {
		b.WriteString(largest(c.turn, &r))
	}
	b.WriteString(c.remarks())
	return b.String()
}

// verdicts say how it ended.
var verdicts = map[precis.Outcome]string{
	precis.Compacted:    "compacted",
	precis.Repaired:     "within budget; the history was repaired",
	precis.WithinBudget: "within budget, unchanged",
	precis.NoGain:       "unchanged: what could be taken out would free nothing",
	precis.NoCutPoint:   "unchanged: everything is pinned, recent or held",
	precis.NotWorthIt:   "unchanged: the rewrite would cost more than it saves",
	precis.Vetoed:       "unchanged: a hook objected",
	precis.Pruned:       "old blocks hidden while the provider's cache is cold",
}

func (c *compaction) headline(r *precis.Report) string {
	verdict := verdicts[r.Outcome]
	switch {
	case c.version() == 0:
	case r.Outcome == precis.WithinBudget:
		verdict = fmt.Sprintf("within budget under plan %d: nothing new to do", c.version())
	default:
		verdict += fmt.Sprintf(": plan %d, policy %s", c.version(), c.policyName())
	}
	what := []string{c.source, c.input.Format}
	if c.known.Name != "" {
		what = append(what, c.known.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", strong("précis"), line(strings.Join(what, " · "), width-8))
	change := commas(r.Original) + " tokens"
	if r.Compacted != r.Original {
		change = fmt.Sprintf("%s → %s tokens (%s)", commas(r.Original), commas(r.Compacted), share(r.Compacted, r.Original))
	}
	fmt.Fprintf(&b, "%s, budget %s\n%s\n", strong(change), commas(r.Budget), verdict)
	b.WriteString(sumLine(r.Economy))
	return b.String()
}

// remarks are what was not read, and the notes.
func (c *compaction) remarks() string {
	var b strings.Builder
	for _, s := range skips(c.input) {
		if s.Loss {
			b.WriteString(paragraph(fmt.Sprintf("not read: %s", s)))
		}
	}
	if left := leftOut(skips(c.input)); left != "" {
		b.WriteString(paragraph(left))
	}
	for _, n := range c.notes() {
		b.WriteString(paragraph("note: " + n))
	}
	if b.Len() > 0 {
		return "\n" + b.String()
	}
	return ""
}

// String: "2 lines, half-written (lines 17, 20)".
func (s skipped) String() string {
	name := s.Why
	if s.Kind != "" {
		name += " " + s.Kind
	}
	var at []string
	for _, l := range s.Lines[:min(len(s.Lines), 6)] {
		at = append(at, strconv.Itoa(l))
	}
	if s.Count > len(at) {
		at = append(at, "…")
	}
	return fmt.Sprintf("%s, %s (line %s)", many(s.Count, "record"), name, strings.Join(at, ", "))
}

// leftOut sums the records that were left out on purpose.
func leftOut(all []skipped) string {
	n, reasons := 0, []string{}
	for _, s := range all {
		if s.Loss {
			continue
		}
		n += s.Count
		name := s.Why
		if s.Kind != "" {
			name += " " + s.Kind
		}
		reasons = append(reasons, fmt.Sprintf("%d %s", s.Count, name))
	}
	if n == 0 {
		return ""
	}
	if len(reasons) > 6 {
		reasons = append(reasons[:6], "…")
	}
	return fmt.Sprintf("left out: %s that hold no message (%s)", many(n, "record"), strings.Join(reasons, ", "))
}

// deed sums the records that do the same for the same reason.
type deed struct {
	act, reason    string
	records, saves int
	first, latest  int
}

// actions is the table of what was done.
func (c *compaction) actions() string {
	deeds := map[[2]string]*deed{}
	var order []*deed
	for i := range c.turn.Plan.Records {
		r := &c.turn.Plan.Records[i]
		k := [2]string{recall.Act(r), r.Reason}
		d := deeds[k]
		if d == nil {
			d = &deed{act: k[0], reason: k[1], first: r.Span.FirstTurn}
			deeds[k] = d
			order = append(order, d)
		}
		d.records, d.saves = d.records+1, d.saves+r.Saves
		d.first, d.latest = min(d.first, r.Span.FirstTurn), max(d.latest, r.Span.LastTurn)
	}
	slices.SortStableFunc(order, func(a, b *deed) int { return cmp.Compare(b.saves, a.saves) })
	t := table{right: []bool{false, true, true, true}}
	t.add(faint("action"), faint("records"), faint("tokens freed"), faint("turns"), faint("why"))
	for _, d := range order {
		t.add(d.act, commas(d.records), commas(d.saves), turns(d.first, d.latest), line(d.reason, width))
	}
	return heading("What was taken out") + t.String()
}

func heading(s string) string { return "\n" + strong(s) + "\n" }

// turns is a range of turns.
func turns(first, last int) string {
	if first >= last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// largest is the table of the biggest messages.
func largest(turn *precis.Turn, r *precis.Report) string {
	if r.Messages <= len(r.Largest) {
		return "" // they are all there is
	}
	t, tools := table{right: []bool{true, false, true}}, recall.Tools(turn.Thread)
	for _, l := range r.Largest {
		now := l.Now
		if turn.Plan != nil {
			if recs := over(turn, l.Number-1); len(recs) == 1 {
				now = recall.Act(recs[0]) + "  " + faint(recs[0].ID)
			} else if len(recs) > 1 {
				now = fmt.Sprintf("%d parts cut  %s …", len(recs), faint(recs[0].ID))
			}
		}
		t.add("#"+strconv.Itoa(l.Number), speaker(turn, l.Number-1, tools), commas(l.Tokens)+" tokens", now)
	}
	return heading("Largest messages") + t.String()
}

// speaker is the role of the message at i, with the tool whose result it is.
func speaker(turn *precis.Turn, i int, tools map[string]string) string {
	m := turn.Thread.At(i).Message
	s := string(recall.RoleOf(m))
	if rs := m.Results(); len(rs) > 0 {
		s += " " + tools[m.Parts[rs[0]].CallID]
	}
	return line(s, 24)
}

// over are the records over the message at i.
func over(turn *precis.Turn, i int) []*plan.Record {
	e := turn.Thread.At(i)
	if r := turn.Plan.Whole(e.ID); r != nil {
		return []*plan.Record{r}
	}
	var out []*plan.Record
	for n := range e.Message.Parts {
		if r := turn.Plan.Part(e.ID, n+1); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// lost names what no longer stands in the prompt.
func lost(r *precis.Report) string {
	if len(r.Lost) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(heading("What left the prompt") + faint("  values that stand nowhere in it now, and the message that first held them") + "\n")
	for _, l := range r.Lost {
		head := fmt.Sprintf("  %-11s %s of %s", kinds(l.Kind), commas(l.Lost), commas(l.Of))
		line := head + "  "
		for i, e := range l.Examples {
			e = ansi.Truncate(clean(e), 44, "…")
			if i > 0 {
				e = ", " + e
			}
			if ansi.StringWidth(line)+ansi.StringWidth(e) > width-2 {
				break
			}
			line += e
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// kinds is the plural of a kind of value.
func kinds(k string) string {
	switch k {
	case "url":
		return "URLs"
	case "uuid":
		return "UUIDs"
	case "id":
		return "ids"
	}
	return k + "s"
}

// back names the commands that bring things back, with ids of this run.
func (c *compaction) back(r *precis.Report) string {
	flags := c.flags
	recs := slices.Clone(r.Records)
	slices.SortStableFunc(recs, func(a, b precis.RecordLine) int { return cmp.Compare(b.Saves, a.Saves) })
	t := table{}
	t.add("precis read '#"+strconv.Itoa(gone(r))+"'"+flags, faint("a message as it was"))
	t.add("precis grep PATTERN"+flags, faint("search all of it"))
	t.add("precis expand "+recs[0].ID+flags, faint("undo one record: the largest"))
	t.add("precis plan show"+flags, faint("every record and why"))
	t.add("precis plan undo"+flags, faint("take the last plan back"))
	where := fmt.Sprintf("thread %s, plan %d", c.turn.Key.Thread, c.version())
	return heading("How to get it back") + t.String() + "  " + faint(line("nothing is lost: "+where, width-2)) + "\n"
}

// gone is the number of the largest message that is not whole, else of the
// first message of a record.
func gone(r *precis.Report) int {
	for _, l := range r.Largest {
		if l.Now != "whole" {
			return l.Number
		}
	}
	return r.Records[0].From
}

// quote makes a word safe for a shell to read.
func quote(s string) string {
	if !strings.ContainsAny(s, " \t\n'\"\\$`!*?[]{}()<>|&;~#") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain takes the colours out of a text.
func plain(s string) string { return ansi.Strip(s) }
