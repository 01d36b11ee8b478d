// Package token counts what a prompt costs.
//
// Use: For picks the Meter of a model; Meter.Request is the whole request,
// Meter.Message and its kin are the pieces, and the pieces add up to the whole.
// A Calibration learns from reported usage what an inexact meter gets wrong.
// Law: counts are on the safe side: an exact encoding is counted as the provider
// counts it, with framing rounded up; any other count carries its stated margin.
// Promise: everything here is pure: same text, same count, on any machine.
//
// # What the estimators are worth
//
// Heuristic is made to be over rather than under the o200k count: by 5 to 16 %
// on code, JSON, logs and prose, where bytes/4 and UTF-16/4 are 15 to 40 % under
// on everything but prose. On base64 it is 11 % under, which its margin covers.
// docs/tokens.md has the table and the command that makes it.
package token

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/seed-3db51b0e/precis/message"
)

// Counter counts the tokens of a text. Implementations are safe for concurrent
// use and deterministic.
type Counter interface {
	// Name identifies the counter in cached counts and plans, e.g. "o200k".
	Name() string
	Count(text string) int
	// Exact reports whether the count is the provider's own; if not, a margin applies.
	Exact() bool
}

// Meter counts messages and requests: a counter, the provider's framing, and
// for inexact counters a factor and a margin, which are part of every count.
// Counter is required; the other fields may be zero.
type Meter struct {
	Counter  Counter
	Overhead Overhead
	Factor   float64 // applied to inexact counts; 0 = 1
	// Margin is the share added to inexact counts to be on the safe side:
	// 0.15 adds 15 %.
	Margin float64
	// Learned is a Calibration's correction of Factor; 0 = 1. For exact counts it is
	// above 1, or nothing: providers read more than a request shows.
	Learned float64
	// NoIDs leaves call ids uncounted, as the estimators of the seeds do.
	NoIDs bool
}

// Overhead is a provider's framing in tokens.
type Overhead struct {
	Request int // once a request: reply priming
	Message int // a message: delimiters and role
	Name    int // a participant's name, beside its text
	Call    int // a tool call
	Result  int // a tool result
	Tool    int // a declared tool
	Tools   int // once, when any tool is declared: the provider's own instructions
	Media   int // most that one image costs; remote media count this
}

// Tool is a declared tool as a Meter counts it.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of the arguments; may be nil
}

// Request is a whole request as a Meter counts it.
type Request struct {
	System   []message.Part // a top-level system prompt
	Tools    []Tool
	Messages []message.Message
}

// Exact reports whether the texts' counts are the provider's own, and no usage said
// otherwise.
func (m Meter) Exact() bool { return m.Counter.Exact() && m.Learned <= 1 }

// exactSlack is how much more than an exact count a provider may report before the
// count is not the provider's.
const exactSlack = 0.02

// Teaches reports whether the usage reported for a prompt that m counted is worth
// observing: always where counts are estimates, else where it is above the count.
func (m Meter) Teaches(count, reported int) bool {
	return reported > 0 && (!m.Exact() || float64(reported) > float64(count)*(1+exactSlack))
}

// Text counts a text.
func (m Meter) Text(s string) int {
	if s == "" {
		return 0
	}
	return m.scale(m.Counter.Count(s))
}

func (m Meter) scale(n int) int {
	f := m.multiplier()
	if f == 1 {
		return n
	}
	return int(math.Ceil(float64(n)*f - 1e-9))
}

// multiplier returns what an inexact count is multiplied by, margin included.
func (m Meter) multiplier() float64 {
	if m.Counter.Exact() {
		if m.Exact() {
			return 1
		}
		return m.Learned * (1 + leastMargin)
	}
	return cmp.Or(m.Factor, 1) * cmp.Or(m.Learned, 1) * (1 + m.Margin)
}

// Calibrated is the meter corrected by what was learned. An exact meter stays as it is
// unless providers report more than it counts.
func (m Meter) Calibrated(c Calibration) Meter {
	if m.Counter.Exact() {
		if f := c.factor(); f > 1+exactSlack {
			m.Learned = f
		}
		return m
	}
	m.Learned = c.factor()
	m.Margin = c.margin(m.Margin)
	return m
}

// Estimate takes margin and learned correction out of a count that m made: it
// is what Calibration.Observe wants.
func (m Meter) Estimate(count int) int {
	if m.Counter.Exact() {
		return int(math.Round(float64(count) / m.multiplier()))
	}
	return int(math.Round(float64(count) / (cmp.Or(m.Learned, 1) * (1 + m.Margin))))
}

// Part counts one part with its framing.
func (m Meter) Part(p message.Part) int {
	switch p.Kind {
	case message.Text:
		return m.Text(p.Text)
	case message.Thinking:
		return max(m.Text(p.Text), quarter(len(p.Signature)))
	case message.Call:
		return m.Overhead.Call + m.id(p.CallID) + m.Text(p.Name) + m.Text(p.Args)
	case message.Result:
		return m.Overhead.Result + m.id(p.CallID) + m.parts(p.Parts)
	case message.Media:
		return m.media(p)
	}
	return m.opaque(p)
}

func (m Meter) id(id string) int {
	if m.NoIDs || message.IsDerivedID(id) {
		return 0
	}
	return m.Text(id)
}

func (m Meter) parts(ps []message.Part) int {
	n := 0
	for i := range ps {
		n += m.Part(ps[i])
	}
	return n
}

// Message counts a message with its framing; a Meta record, which is never
// sent, is 0.
func (m Meter) Message(msg message.Message) int {
	if msg.Meta {
		return 0
	}
	n := m.Overhead.Message + m.parts(msg.Parts)
	if msg.Name != "" {
		n += m.Overhead.Name + m.Text(msg.Name)
	}
	return n
}

// Messages counts a run of messages.
func (m Meter) Messages(ms []message.Message) int {
	n := 0
	for i := range ms {
		n += m.Message(ms[i])
	}
	return n
}

// System counts a top-level system prompt; none is 0.
func (m Meter) System(ps []message.Part) int {
	if len(ps) == 0 {
		return 0
	}
	return m.Overhead.Message + m.parts(ps)
}

// Tool counts one declared tool.
func (m Meter) Tool(name, description string, schema json.RawMessage) int {
	return m.Overhead.Tool + m.Text(name) + m.Text(description) + m.Text(string(schema))
}

// Tools counts the declared tools together; none is 0.
func (m Meter) Tools(ts []Tool) int {
	if len(ts) == 0 {
		return 0
	}
	n := m.Overhead.Tools
	for _, t := range ts {
		n += m.Tool(t.Name, t.Description, t.Schema)
	}
	return n
}

// Request counts a whole request: framing, system prompt, tools and messages.
func (m Meter) Request(r Request) int {
	return m.Overhead.Request + m.System(r.System) + m.Tools(r.Tools) + m.Messages(r.Messages)
}
