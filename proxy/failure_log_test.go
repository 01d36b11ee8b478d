package proxy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/summary"
)

// gossip is a model that repeats what it was to summarize instead.
type gossip struct{}

func (gossip) Name() string { return "gossip" }

func (gossip) Summarize(_ context.Context, in summary.Input) (*summary.Structured, error) {
	return nil, fmt.Errorf("model refused: %s: %w", in.Thread.At(0).Message.Parts[0].Text, &codec.Failure{Status: 401, Message: "Never touch it"})
}

// Why a model made no summary is told without a word that was said.
//
// SPEC: V9
func TestFailuresWithoutContent(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Budget, o.Engine.Summarizer = budget, gossip{}
	f := serve(t, o)
	g := newAgent(t, apiNamed(t, "anthropic"), f.url, true)
	for f.plans(t) == 0 {
		g.step()
	}
	if text := f.log.String(); strings.Contains(text, "Never touch") || !strings.Contains(text, "summarize with gossip: status 401") {
		t.Errorf("log %s", text)
	}
}

// faulty is a model that panics instead.
type faulty struct{ gossip }

func (faulty) Summarize(_ context.Context, in summary.Input) (*summary.Structured, error) {
	panic(in.Thread.At(0).Message.Parts[0].Text)
}

// What fails or panics ahead of need is told too, once, and in no more words.
//
// SPEC: V9, B11
func TestFailuresAheadOfNeed(t *testing.T) {
	for want, s := range map[string]summary.Summarizer{"summarize with gossip: status 401": gossip{}, "error=\"summarize with gossip\"": faulty{}} {
		up := newProvider(t)
		o := options(up.url)
		o.Budget, o.Engine.Summarizer, o.Engine.Background = budget, s, true
		f := serve(t, o)
		g := newAgent(t, apiNamed(t, "anthropic"), f.url, true)
		for f.plans(t) < 3 {
			g.step()
		}
		f.proxy.Close() // it ends what is prepared ahead
		text := f.log.String()
		if n := strings.Count(text, "level=WARN"); n != 1 || strings.Contains(text, "Never touch") || !strings.Contains(text, want) {
			t.Errorf("told %d times, not %q: %s", n, want, text)
		}
	}
}
