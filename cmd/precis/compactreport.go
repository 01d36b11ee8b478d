package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/transcript"
)

// details is the report for programs.
type details struct {
	*report.Report
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
	path = shown(path)
	if c.volatile {
		path = ""
	}
	return details{
		Report: c.report, To: c.target, Model: c.known.Name, Database: path, Notes: c.caveats(),
		Input: inputDetails{
			Format: c.input.Format, Session: c.input.Session, Messages: len(c.input.Messages),
			Bytes: len(c.data), Skipped: skips(c.input),
		},
	}
}

// result holds what --json prints.
type result struct {
	Thread  string          `json:"thread"`
	Version int             `json:"plan_version"` // 0: none was kept
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
		Thread: c.turn.Key.Thread, Version: c.turn.Version(), Policy: c.policyName(), Outcome: c.turn.Outcome,
		Tokens:  tokenTotals{c.turn.Original, c.turn.Compacted, c.turn.Budget},
		Request: json.RawMessage(strings.TrimPrefix(string(c.request), "\xef\xbb\xbf")), Report: c.details(),
	}
}

// policyName is the policy of the plan in force, else the one asked for.
func (c *compaction) policyName() string {
	if c.turn.Plan != nil {
		return c.turn.Plan.Policy
	}
	return c.chosen.Name
}

// serving are the providers whose APIs a request can be written for.
var serving = map[string]string{openai.Name: "openai", responses.Name: "openai", anthropic.Name: "anthropic", gemini.Name: "google"}

// elsewhere reports whether a provider serves its models in another API than the target.
func elsewhere(provider, target string) bool {
	return provider != serving[target] && slices.Contains(slices.Collect(maps.Values(serving)), provider)
}

// endsWithUser names the targets whose providers refuse a request that ends with the
// agent's turn.
var endsWithUser = map[string]bool{anthropic.Name: true, gemini.Name: true}

// pinsCut counts pinned messages that the last resort cut for the budget.
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

// emptySummaries counts the messages whose summaries say nothing but which messages they stand for.
func (c *compaction) emptySummaries() (n int) {
	if c.turn.Plan == nil {
		return 0
	}
	for _, r := range c.turn.Plan.Records {
		var s summary.Structured
		if r.Action == plan.Summarize && json.Unmarshal(r.Summary, &s) == nil && wording.Bare(r.Body(), &s) {
			n += r.Span.Count()
		}
	}
	return n
}

// fixed counts what no plan changes: system prompt, tools and framing.
func (c *compaction) fixed() int {
	n := c.turn.Overhead
	for _, i := range c.turn.Thread.Systems() {
		n += c.turn.MessageTokens(i)
	}
	return n
}

// caveats are sentences about what a reader should know before trusting the rest.
func (c *compaction) caveats() []string {
	notes := []string{}
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	name := c.known.Name
	if text := c.named.caveat(); text != "" {
		notes = append(notes, text)
	}
	if n := len(c.turn.Messages); n > 0 && endsWithUser[c.target] && c.turn.Messages[n-1].Role == message.Assistant && !c.asItCame() {
		say("the conversation ends with the agent's turn, which the provider refuses: the request ends with a user message \"Continue.\"")
	}
	if c.listed && elsewhere(c.known.Provider, c.target) {
		say("the request is written for %s with model %s: --model names another", c.target, name)
	}
	if c.turn.Budget < leastBudget && !c.asItCame() {
		say("nearly nothing is left at %s: %d of %s stand in the prompt, and its markers may be too short to name those that left; raise the budget",
			term.Count(c.turn.Budget, "token"), len(c.turn.Messages), term.Count(len(c.input.Messages), "message"))
	}
	if n := c.emptySummaries(); n > 0 && !c.asItCame() {
		say("%s left, and the summary in their place has no room for what they hold: system prompt, tools and framing take %s of %s; raise the budget",
			term.Count(n, "message"), term.Comma(c.fixed()), term.Count(c.turn.Budget, "token"))
	}
	if n := c.cutRequest(); n > 0 && !c.asItCame() {
		say("of what the user said last (%s) less than half stands in the prompt: pin it, raise the budget, or take another policy than %s", ref.Message(n), c.policyName())
	}
	if n := c.pinsCut(); n > 0 {
		say("%s do not fit and were cut: raise the budget or pin less", term.Count(n, "pinned message"))
	}
	if !c.meter.Exact() {
		say("the model's encoding is not public: counts are estimates with a margin on the safe side")
	}
	if missing := c.missing(); missing != "" {
		say("the session holds %s: leave room for yours", missing)
	}
	if r := c.input.Request; r != nil && r.State != "" {
		say("a part of the conversation lies on the provider's server (%s): the request is left as it came", r.State)
	}
	if got := c.turn.Key.Thread; got != c.asked {
		say("the conversation departs from thread %s: it is kept as its fork %s", c.asked, got)
	}
	if text := c.objection(); text != "" {
		notes = append(notes, text)
	}
	if n := c.turn.Forced; n > 0 {
		say("%s that an undo gave back had to leave again: the budget forces it", term.Count(n, "piece"))
	}
	notes = append(notes, c.input.Notes...)
	for _, err := range c.turn.Failures {
		say("%v", err)
	}
	return notes
}

// cutRequest returns the number of the newest message of the user's where less than half of it stands
// in the prompt, 0 where more does: the model that goes on may not know what it is to do.
func (c *compaction) cutRequest() int {
	for i := len(c.input.Messages) - 1; i >= 0; i-- {
		if thread.Speaks(c.input.Messages[i]) {
			samples := samplesOf(c.input.Messages[i])
			stand := 0
			for _, said := range samples {
				tells := func(p message.Part) bool { return strings.Contains(oneline.Of(recall.Text(p)), said) }
				if slices.ContainsFunc(c.turn.Messages, func(m message.Message) bool { return slices.ContainsFunc(m.Parts, tells) }) {
					stand++
				}
			}
			if 2*stand < len(samples) {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// Of a message so many samples are looked for, each of so many bytes.
const (
	mostSamples = 16
	sampleBytes = 24
)

// samplesOf returns pieces of what a user says in a message, at even distances.
func samplesOf(m message.Message) (samples []string) {
	said, w := "", thread.WordsOf(&m)
	for i := range m.Parts {
		said += " " + w.Said(i)
	}
	said = oneline.Of(said)
	for at := 0; at < len(said); at += max(sampleBytes, len(said)/mostSamples) {
		samples = append(samples, strings.TrimSpace(said[at:min(at+sampleBytes, len(said))]))
	}
	return samples
}

// objection says that a hook objected, and what came of it; "" where none did.
func (c *compaction) objection() string {
	v := c.turn.Veto
	if !v.Veto {
		return ""
	}
	text := "a hook objected"
	if v.Reason != "" {
		text += " (" + term.Line(v.Reason) + ")"
	}
	if c.turn.Outcome != precis.Vetoed {
		text += ": the conversation does not fit the budget, so it was compacted all the same"
	}
	return text
}

// missing names what a request has beside messages, and the session has not.
func (c *compaction) missing() string {
	instructs := func(m message.Message) bool { return m.Role == message.System }
	system, tools := len(c.input.System) > 0 || slices.ContainsFunc(c.input.Messages, instructs), len(c.input.Tools) > 0
	switch {
	case c.input.Request != nil || system && tools:
		return ""
	case system:
		return "no tools"
	case tools:
		return "no system prompt"
	}
	return "no system prompt and no tools"
}

// text is the report for people.
func (c *compaction) text(columns int) string {
	title := []string{c.source, c.input.Format}
	if c.known.Name != "" {
		title = append(title, c.known.Name)
	}
	return c.report.Text(report.Print{Columns: columns, Command: invoked(os.Args[0]), Cut: c.notes.Excerpts && c.reportFile == "", Title: title, Flags: c.flags, Remarks: c.remarks()})
}

// remarks list what was not read, and the caveats.
func (c *compaction) remarks() (all []string) {
	skipped := skips(c.input)
	for _, s := range skipped {
		if s.Loss {
			all = append(all, "not read: "+s.String())
		}
	}
	if left := leftOut(skipped); left != "" {
		all = append(all, left)
	}
	for _, n := range c.caveats() {
		all = append(all, "note: "+n)
	}
	return all
}

// String: "2 records, half-written (lines 17, 20)".
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
	line := "line"
	if s.Count > 1 {
		line = "lines"
	}
	return fmt.Sprintf("%s, %s (%s %s)", term.Count(s.Count, "record"), name, line, strings.Join(at, ", "))
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
			name = s.Kind + " (" + name + ")"
		}
		if s.Count > 1 {
			name += fmt.Sprintf(" %d times", s.Count)
		}
		reasons = append(reasons, name)
	}
	if n == 0 {
		return ""
	}
	if len(reasons) > 6 {
		reasons = append(reasons[:6], "…")
	}
	hold := "hold"
	if n == 1 {
		hold = "holds"
	}
	return fmt.Sprintf("left out: %s that %s no message: %s", term.Count(n, "record"), hold, strings.Join(reasons, ", "))
}
