package proxy

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-3db51b0e/precis/summary"
)

// aloud is a summarizer whose failures are told: what is prepared ahead has no
// call that could. One that goes on is told once (SPEC V9).
type aloud struct {
	summary.Summarizer
	tell func(string)

	mu   sync.Mutex
	told string
}

// Summarize implements summary.Summarizer.
func (a *aloud) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	s, err := a.Summarizer.Summarize(ctx, in)
	if ctx.Err() == nil {
		a.heard(err)
	}
	return s, err
}

func (a *aloud) heard(err error) {
	text := ""
	if err != nil {
		text = summary.Redact(fmt.Errorf("summarize with %s: %w", a.Name(), err))
	}
	a.mu.Lock()
	again := text == a.told
	a.told = text
	a.mu.Unlock()
	if text != "" && !again {
		a.tell(text)
	}
}

// unsummarized tells of a model that made no summary ahead of need.
func (p *Proxy) unsummarized(text string) {
	p.metrics.failed("", "summary")
	p.log.Warn("a summary was not made, it goes on without", "error", text)
}
