package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/upstream"
)

// maxAnswer bounds an answer in bytes.
const maxAnswer = 16 << 20

// ask sends a request built by hand and returns the text of its answer.
func (s *Summarizer) ask(ctx context.Context, req *codec.Request) (string, error) {
	body, err := s.cfg.Dialect.Encode(req, req.Messages)
	if err != nil {
		return "", fmt.Errorf("ask model: %w", err)
	}
	return s.send(ctx, req.Model, body)
}

// send sends the body of a request to a model and returns the text of its answer. An answer that is no
// whole text is an error, and counts as refused.
func (s *Summarizer) send(ctx context.Context, name string, body []byte) (string, error) {
	reply, err := s.call(ctx, name, body)
	if err != nil {
		return "", fmt.Errorf("ask model: %w", err)
	}
	text, err := s.text(reply)
	if err != nil {
		s.tally(1, 0)
		return "", fmt.Errorf("ask model: %w", err)
	}
	return text, nil
}

// call sends the body of a request to a model, bounded by Config.Timeout, and counts what it cost.
func (s *Summarizer) call(ctx context.Context, model string, body []byte) (*codec.Reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.Timeout, ErrTimeout)
	defer cancel()
	reply, err := s.reply(ctx, body)
	if err != nil {
		return nil, classify(s.safe(err))
	}
	s.spend(model, reply.Usage)
	return reply, nil
}

func (s *Summarizer) reply(ctx context.Context, body []byte) (*codec.Reply, error) {
	resp, err := s.cfg.Client.Do(ctx, upstream.Request{URL: s.cfg.URL, Header: s.header(), Body: body})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	in := io.LimitReader(resp.Body, maxAnswer)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" && resp.Status == http.StatusOK {
		return s.stream(in)
	}
	whole, err := io.ReadAll(in)
	if err != nil {
		return nil, interrupted(err)
	}
	return s.cfg.Dialect.Reply(resp.Status, whole)
}

// stream puts a streamed answer together.
func (s *Summarizer) stream(in io.Reader) (*codec.Reply, error) {
	events, whole := sse.NewReader(in, 0), s.cfg.Dialect.Stream()
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			return whole.Reply()
		}
		if err != nil {
			return nil, interrupted(err)
		}
		if err := whole.Event(e.Name, e.Data); err != nil && !errors.Is(err, codec.ErrMalformed) {
			return nil, err
		}
	}
}

// interrupted gives the error of a body that broke off its kind.
func interrupted(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", codec.ErrCut, err)
	}
	return err
}

// anthropic is the dialect whose keys have a header of their own.
const anthropic = "anthropic"

func (s *Summarizer) header() http.Header {
	h := s.cfg.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	set := func(name, value string) {
		if value != "" && h.Get(name) == "" {
			h.Set(name, value)
		}
	}
	set("Content-Type", "application/json")
	set("User-Agent", "precis")
	key := s.cfg.APIKey
	if s.cfg.Dialect.Name() != anthropic {
		if key != "" {
			set("Authorization", "Bearer "+key)
		}
		return h
	}
	set("Anthropic-Version", "2023-06-01")
	set("X-Api-Key", key)
	return h
}
