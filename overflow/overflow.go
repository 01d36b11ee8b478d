// Package overflow recognises the errors by which providers say that a prompt was
// too long, and reads by how much.
//
// Use: Classify an error before giving up, compact to what it says, send once. Law:
// content is data: of a success only its error is read, of an error only the members
// that describe it, not the request it quotes. Promise: a rate limit or a refused output cap is never an overflow (WE1,
// WE2), a number is given only where the wording states its meaning, and the work is
// bounded however large the body is.
package overflow

import "strings"

// Unit names what an Overflow counts.
type Unit string

// The units.
const (
	Tokens Unit = "tokens"
	Bytes  Unit = "bytes"
)

// Overflow holds the sizes that an error states; 0 where it states none.
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
	text := normalise(errorIn(status, bounded(body)))
	unit, near := find(text)
	switch {
	case unit != "":
	case status == 413:
		unit, near = Bytes, text
	case status == 400 && strings.TrimSpace(body) == "":
		unit = Tokens
	}
	if unit == "" || notOverflow.find(text) != nil {
		return Overflow{}, false
	}
	o := measures[unit].read(near)
	o.Unit = unit
	return o, true
}

// errorIn returns the text of the error in an answer.
func errorIn(status int, body string) string {
	switch {
	case status == 0 || status >= 400:
		return errorText(body)
	case status >= 200 && status < 300:
		return embeddedErrors(body)
	}
	return ""
}

// find returns the unit of what a text says is too long, "" if it says nothing of
// the kind, and the words around.
func find(text string) (u Unit, near string) {
	if at := tooManyTokens.find(text); at != nil {
		return Tokens, around(text, at[0], at[1])
	}
	if at := tooManyBytes.find(text); at != nil {
		return Bytes, around(text, at[0], at[1])
	}
	return "", ""
}

// numberRange is the distance from a wording, in bytes, within which its numbers are
// searched.
const numberRange = 1000

// around returns text[from:to] with up to numberRange bytes on either side, whole words.
func around(text string, from, to int) string {
	const spaces = " \n\t"
	if i := from - numberRange; i > 0 {
		text, to = text[i:], to-i
		from = numberRange
		if j := strings.IndexAny(text[:from], spaces); j >= 0 {
			text, to = text[j:], to-j
		}
	}
	if i := to + numberRange; i < len(text) {
		text = text[:i]
		if j := strings.LastIndexAny(text[to:], spaces); j >= 0 {
			text = text[:to+j]
		}
	}
	return text
}

// maxEdge bounds how much of either end of a body is read, in bytes.
const maxEdge = 64 << 10

// bounded leaves out the middle of a large body.
func bounded(s string) string {
	if len(s) <= 2*maxEdge {
		return s
	}
	return s[:maxEdge] + "\n" + s[len(s)-maxEdge:]
}

// normalise brings text into the form that the patterns match.
func normalise(s string) string {
	return quotes.Replace(strings.ToLower(s))
}

var quotes = strings.NewReplacer("\u2019", "'", "&#39;", "'", "&#x27;", "'", "&apos;", "'", "&gt;", ">", "&quot;", `"`, "\u00a0", " ", "\u202f", " ")
