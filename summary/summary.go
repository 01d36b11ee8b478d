// Package summary is the structured state of a conversation's covered part.
package summary

import (
	"context"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Input is what a summarizer works on.
type Input struct {
	Thread *thread.Thread
	// Span is what the summary will cover: all of it, also what earlier
	// summaries in Previous covered.
	Span plan.Span
	// Previous are the summaries of earlier rounds inside Span, oldest first.
	Previous []*Structured
	// Cap is the most tokens Text may take under Count; 0 = no cap.
	Cap   int
	Count func(string) int
}

// Summarizer writes a summary. It must not name anything the span does not hold.
type Summarizer interface {
	// Name identifies it, with its version, in plans and caches.
	Name() string
	Summarize(ctx context.Context, in Input) (*Structured, error)
}

// Structured is a summary as data (SPEC L6).
type Structured struct{}
