// Package model knows what models accept and cost.
package model

// Model is what Précis needs to know of a model.
type Model struct {
	Name     string
	Provider string // "anthropic", "openai", …
	Window   int    // context window in tokens
	Input    int    // most input tokens, 0 = Window
	Output   int    // most output tokens
	Encoding string // "o200k", "cl100k", "" = not public
}
