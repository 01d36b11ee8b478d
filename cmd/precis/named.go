package main

import (
	"cmp"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/model"
)

// assumed are the models a request is for when its conversation names none: a provider
// refuses a request without one.
var assumed = map[string]string{openai.Name: "gpt-4.1", responses.Name: "gpt-4.1", anthropic.Name: "claude-sonnet-4-6", gemini.Name: "gemini-2.5-pro"}

// named is the model that a request is for.
type named struct {
	known   model.Model
	listed  bool // the model is in the table
	assumed bool // nobody named the model
}

// choose takes the first name there is, else the model that is assumed of a dialect.
func (a *app) choose(dialect string, names ...string) (n named, err error) {
	name := cmp.Or(names...)
	if name == "" {
		name, n.assumed = assumed[dialect], true
	}
	n.known, n.listed, err = a.lookup(name)
	return n, err
}

// caveat says what a reader of its numbers should know, "" for nothing.
func (n named) caveat() string {
	switch {
	case n.assumed:
		return fmt.Sprintf("the conversation names no model, %s is assumed: --model names another", n.known.Name)
	case !n.listed:
		return fmt.Sprintf("model %s is not known: counted for a window of %s tokens", n.known.Name, term.Comma(n.known.Window))
	case n.known.Guess:
		return fmt.Sprintf("model %s is not in the table: the numbers of a relative, %s, stand in", n.known.Name, n.known.Like)
	}
	return ""
}
