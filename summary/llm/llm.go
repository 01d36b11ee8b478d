// Package llm writes summaries with a model.
//
// Use: New, wherever a summary.Summarizer is asked for; an engine puts one that needs no
// model behind it. Law: content is data: a conversation is fenced before a model sees
// it, and nothing of an answer counts but items that a message of the span bears out;
// what users are said to demand stands in their own words. Earlier summaries are merged
// by code, never by the model. Promise: no call without an endpoint and a model to call,
// a bounded number of calls, every answer that is not a summary is a typed error, and
// what it cost is counted either way.
package llm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/upstream"
)

// Dialect is the wire format of the endpoint.
type Dialect interface {
	codec.Codec
	codec.Replier
}

// Config says which model is asked and how. URL, Model and Dialect are required.
type Config struct {
	URL     string // of the endpoint, in full: ".../v1/messages"
	Model   string
	Dialect Dialect
	// APIKey goes out as Anthropic's x-api-key or as a bearer token; "" = none.
	// Header is sent besides and goes before it.
	APIKey string
	Header http.Header
	// Client sends the requests; nil = one of the summarizer's own, with the
	// options of upstream's zero value. Close closes only that.
	Client *upstream.Client
	// Temperature: nil = that of the part's design (0.3 session, 0.2 structure,
	// 0 chunk, else the provider's). Plain leaves it and the form of the answer
	// out of requests, for endpoints that refuse them; the prompt asks for the
	// form all the same.
	Temperature *float64
	Plain       bool
	// MaxOutput is the cap of an answer in tokens, reasoning included; 0 = a quarter
	// more than the summary may take (session, chunk, range, turn: what the policy says;
	// where the caller names no cap 1000, 1024, 800, 400), else 2048.
	MaxOutput int
	// MaxInput is the most tokens of one prompt, at most what the model's window
	// leaves; 0 = 100,000. Larger spans are summarized piece by piece, in order.
	MaxInput int
	// Timeout bounds one call, its repeats included; 0 = 120 s. A model that lets it
	// pass is not asked again for Cooldown.
	Timeout time.Duration
	// Stream asks for streamed answers: no gateway then finds the wait too long.
	Stream bool
	// Prompt replaces the default of every part; "" = the defaults. It holds
	// {messages}, and may hold {persona}, {task} and {existing_summary}. Persona is what
	// {persona} stands for. Where a part is an account alone (chunk, turn) its answer is
	// plain text; where it is one beside lists (range, handover) it may be.
	Prompt  string
	Persona string
	// Prefix, when set, gives the agent's own last request that holds the span's
	// messages: the summarizer then sends it as it is with one instruction after
	// it, so that the provider's cache is read. Where it is nil, or the answer is
	// of no use, the messages are sent by themselves.
	Prefix func(summary.Input) *codec.Request
	// Price is what tokens cost; nil = what package model knows of the model.
	Price *model.Price
	// Failures in a row after which the summarizer fails at once, for Cooldown;
	// 0 = 3 and 60 s.
	Failures int
	Cooldown time.Duration
}

// Validate names the field that cannot be used.
func (c Config) Validate() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("summarizer config: url: must be an http or https url") // a URL may hold a key
	case c.Model == "":
		return errors.New("summarizer config: model: must be named")
	case c.Dialect == nil:
		return errors.New("summarizer config: dialect: must be given")
	}
	return c.ValidateWords()
}

// ValidateWords checks what the model is told and the caps of a call, and names the
// field that cannot be used.
func (c Config) ValidateWords() error {
	switch {
	case c.Prompt != "" && !strings.Contains(c.Prompt, "{messages}"):
		return errors.New("summarizer config: prompt: must hold {messages}")
	case c.Temperature != nil && !(*c.Temperature >= 0 && *c.Temperature <= 2):
		return fmt.Errorf("summarizer config: temperature %v: must be 0 to 2", *c.Temperature)
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"max output", int64(c.MaxOutput)},
		{"max input", int64(c.MaxInput)},
		{"timeout", int64(c.Timeout)},
		{"failures", int64(c.Failures)},
		{"cooldown", int64(c.Cooldown)},
	} {
		if f.value < 0 {
			return fmt.Errorf("summarizer config: %s: must not be negative", f.name)
		}
	}
	if c.MaxInput > 0 && c.MaxInput < minInput {
		return fmt.Errorf("summarizer config: max input %d: must be %d or more", c.MaxInput, minInput)
	}
	return nil
}

const (
	minInput        = 4_000
	defaultInput    = 100_000
	defaultTimeout  = 120 * time.Second
	defaultFailures = 3
	defaultCooldown = time.Minute
)

// Summarizer asks a model. Make it with New; it is safe for concurrent use.
type Summarizer struct {
	cfg     Config
	name    string
	own     bool // the client is ours
	breaker *upstream.Breaker
	secrets []string

	mu    sync.Mutex
	spent Usage
}

// New makes a summarizer.
func New(c Config) (*Summarizer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Summarizer{cfg: c, secrets: secrets(c), own: c.Client == nil}
	if s.own {
		var err error
		if s.cfg.Client, err = upstream.New(upstream.Options{}); err != nil {
			return nil, fmt.Errorf("make summarizer: %w", err)
		}
	}
	known, _ := model.Lookup(c.Model)
	s.cfg.MaxInput = max(min(cmp.Or(c.MaxInput, defaultInput), known.Cap()-cmp.Or(c.MaxOutput, 2048)-1000), minInput)
	s.cfg.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	s.breaker = upstream.NewBreaker(cmp.Or(c.Failures, defaultFailures), cmp.Or(c.Cooldown, defaultCooldown))
	s.name = "llm/" + c.Model + "/" + promptVersion(c)
	return s, nil
}

// promptVersion changes with every word that the model is told, and with what
// shapes its answer.
func promptVersion(c Config) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		p := parts[name]
		fmt.Fprintf(h, "%q %q %q %v %d %v %v\n", name, p.prompt, schema(p.fields), temperatureOf(p.temperature), p.maxOutput, p.capped, p.caps)
	}
	fmt.Fprintf(h, "%q %q %v %d %v\n", []string{systemPrompt, closing, closingProse, replaceEarlier, keepEarlier, c.Prompt, c.Persona}, c.Dialect.Name(),
		temperatureOf(c.Temperature), c.MaxOutput, c.Plain)
	return hex.EncodeToString(h.Sum(nil)[:4])
}

func temperatureOf(t *float64) float64 {
	if t == nil {
		return -1
	}
	return *t
}

// Name holds the model and the version of the prompts, which follows from their
// words.
func (s *Summarizer) Name() string { return s.name }

// Close closes the connections of the summarizer's own client.
func (s *Summarizer) Close() {
	if s.own {
		s.cfg.Client.Close()
	}
}

// Summarize implements summary.Summarizer. Previous summaries that stand in the
// span are merged into the result; those that end before it are shown to the
// model and no more; others are ignored, and their messages read again. The
// error wraps one of this package's, upstream's, or the context's.
func (s *Summarizer) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	return s.guard(ctx, "summarize", func(ctx context.Context) (*summary.Structured, error) { return newRun(s, in).summarize(ctx) })
}

// guard writes a summary unless the breaker is open, and tells the breaker how it went.
func (s *Summarizer) guard(ctx context.Context, doing string, write func(context.Context) (*summary.Structured, error)) (*summary.Structured, error) {
	done, err := s.breaker.Allow()
	var out *summary.Structured
	if err == nil {
		out, err = write(ctx)
		switch {
		case ctx.Err() != nil:
			done(upstream.Neither)
		case errors.Is(err, ErrTimeout): // it stalls: nobody waits for it again
			done(upstream.Stalled)
		case err != nil:
			done(upstream.Failed)
		default:
			done(upstream.Worked)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", doing, s.cfg.Model, err)
	}
	return out, nil
}
