// Package overflow tells from a provider's error that a prompt was too long for
// it, and by how much.
//
// Use: Classify an error before giving up, compact to what it says, send once;
// Finish on the word a reply ended with. Law: what a message says is data: of a
// success only its error is looked at, of an error only what an error says, not
// what it quotes of the request (SPEC V10). Promise: a rate limit or a refused
// output cap is never an overflow, a number is given only where the wording says
// what it is, and the work is bounded however large the body is (SPEC T8, WE1,
// WE2).
package overflow

import "strings"

// Unit is what an Overflow counts.
type Unit string

// The units.
const (
	Tokens Unit = "tokens"
	Bytes  Unit = "bytes"
)

// Overflow is what an error says about the size of a prompt; 0 where it does
// not say.
type Overflow struct {
	Limit int // the most that prompt and output may be together
	// Requested is the size of the prompt. Where the error states only the sum of
	// prompt and output it is the sum.
	Requested int
	Output    int // reserved for the answer, beside Requested
	Unit      Unit
}

// Classify reports whether an answer reports an overflow. status is the answer's
// HTTP status, 0 for the text of an error that came without one; body is the
// answer's body, one event or all of a stream, or the text of the error. An
// answer with status 429 or one that speaks of a rate limit or an output cap is
// none, whatever else it says. An empty 400 or 413 is one: some providers say
// no more.
func Classify(status int, body string) (Overflow, bool) {
	if status == 429 {
		return Overflow{}, false
	}
	text := normal(said(status, bounded(body)))
	unit, near := find(text)
	switch {
	case unit != "":
	case status == 413:
		unit, near = Bytes, text
	case status == 400 && strings.TrimSpace(body) == "":
		unit = Tokens
	}
	if unit == "" || vetoes.find(text) != nil {
		return Overflow{}, false
	}
	o := measures[unit].read(near)
	o.Unit = unit
	return o, true
}

// said is what an answer says of an error.
func said(status int, body string) string {
	switch {
	case status == 0 || status >= 400:
		return told(body)
	case status >= 200 && status < 300:
		return failures(body)
	}
	return ""
}

// find looks for what a text says is too long: its unit, "" if it says nothing
// of the kind, and the words around.
func find(text string) (u Unit, near string) {
	if at := tooManyTokens.find(text); at != nil {
		return Tokens, around(text, at[0], at[1])
	}
	if at := tooManyBytes.find(text); at != nil {
		return Bytes, around(text, at[0], at[1])
	}
	return "", ""
}

// reach is how far from the wording its numbers are looked for, in bytes.
const reach = 1000

// around is text[from:to] with up to reach bytes on either side, whole words.
func around(text string, from, to int) string {
	const spaces = " \n\t"
	if i := from - reach; i > 0 {
		text, to = text[i:], to-i
		from = reach
		if j := strings.IndexAny(text[:from], spaces); j >= 0 {
			text, to = text[j:], to-j
		}
	}
	if i := to + reach; i < len(text) {
		text = text[:i]
		if j := strings.LastIndexAny(text[to:], spaces); j >= 0 {
			text = text[:to+j]
		}
	}
	return text
}

// edge is how much of either end of a body is looked at, in bytes.
const edge = 64 << 10

// bounded leaves out the middle of a large body.
func bounded(s string) string {
	if len(s) <= 2*edge {
		return s
	}
	return s[:edge] + "\n" + s[len(s)-edge:]
}

// normal is the form that patterns are written for.
func normal(s string) string {
	return quotes.Replace(strings.ToLower(s))
}

var quotes = strings.NewReplacer("\u2019", "'", "&#39;", "'", "&#x27;", "'", "&apos;", "'", "&gt;", ">", "&quot;", `"`, "\u00a0", " ", "\u202f", " ")

// Finish reports whether the word that a reply ended with means that it was cut
// short: an Anthropic stop reason, an OpenAI finish reason or reason of an
// incomplete response, a Gemini finish reason. No tool call of such a reply may
// be executed.
func Finish(reason string) (truncated bool) {
	switch strings.ToLower(reason) {
	case "max_tokens", "model_context_window_exceeded", "length", "max_output_tokens", "model_length":
		return true
	}
	return false
}
