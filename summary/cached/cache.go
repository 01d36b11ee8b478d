// Package cached has a summary written once.
//
// Use: Summarizer, around the one that writes. Law: a summary is kept by all that it depends
// on, and one that is kept is verified on the thread that asks before it is used. Promise: a
// cache that fails, forgets or holds rubbish never fails a summary, and callers that ask at
// once for the same share one answer.
package cached

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math/bits"
	"strconv"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// cacheKey holds all that a summary depends on: one that differs in any of it is
// another summary.
type cacheKey struct {
	Content string // contentHash
	Schema  string // of the data form
	Policy  string // name and version
	Model   string // name, or that of a summarizer without one
	Prompt  string // its version
}

// String returns the key in 64 hex digits; keys that differ in a field differ.
func (k cacheKey) String() string {
	h := sha256.New()
	for _, f := range []string{"summary", k.Content, k.Schema, k.Policy, k.Model, k.Prompt} {
		writeField(h, f)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeField(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

// contentHash names what a summarizer reads: the messages of the span by their
// digests, and the earlier summaries by what they say, wherever they stand. So
// equal spans of two threads hash alike, whatever comes before them; an earlier
// summary of messages outside of the span binds the hash to its thread. A span
// that the thread does not hold is errOutside.
func contentHash(t *thread.Thread, span plan.Span, previous []*summary.Structured) (string, error) {
	h := sha256.New()
	writeField(h, strconv.Itoa(span.Part))
	for _, id := range span.IDs {
		i, ok := t.Find(id)
		if !ok {
			return "", fmt.Errorf("hash span: %s: %w", id, errOutside)
		}
		e := t.At(i)
		writeField(h, string(e.Digest[:])+strconv.FormatBool(e.Message.Meta))
	}
	for _, p := range previous {
		if p == nil {
			continue
		}
		if d, err := toRelative(p, t, span); err == nil {
			p = d
		}
		data, err := json.Marshal(p)
		if err != nil {
			return "", fmt.Errorf("hash earlier summary: %w", err)
		}
		writeField(h, string(data))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Cache keeps summaries by key. It may forget, and holds those of one tenant.
type Cache interface {
	// Summary returns what was put, or nil and no error when there is nothing.
	Summary(ctx context.Context, key string) ([]byte, error)
	PutSummary(ctx context.Context, key string, data []byte) error
}

// Summarizer is a summary.Summarizer that asks another one only for what it has not written
// before, on this thread or another. Two calls at once for the same share one answer.
// A cache that fails never fails the summary. What With reads beside its input, and
// the span's messages, belongs in Prompt. With and Cache must be set; use one by
// pointer, and do not change it while it is used.
type Summarizer struct {
	With  summary.Summarizer
	Cache Cache
	// Policy, Model and Prompt are the parts of the key that a caller knows;
	// without a Model it is the name of With.
	Policy, Model, Prompt string
	// OnError is told what went wrong with the cache; nil is told nothing.
	OnError func(error)

	calls flight
}

// Name returns the name of the summarizer that writes.
func (c *Summarizer) Name() string { return c.With.Name() }

// Summarize returns a summary written before for an equal span, verified on this
// one, or has a new one written.
func (c *Summarizer) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	key, err := c.key(in)
	if err != nil { // no such span here: With says so, or reads what there is
		return c.With.Summarize(ctx, in)
	}
	var own *summary.Structured
	shared, err := c.calls.do(ctx, key, func() (*summary.Structured, error) {
		var rel *summary.Structured
		var err error
		own, rel, err = c.find(ctx, key, in)
		return rel, err
	})
	if err != nil || own != nil {
		return own, err
	}
	if shared != nil {
		if s, err := toAbsolute(shared, in.Thread, in.Span); err == nil {
			return s, nil
		}
	}
	return c.With.Summarize(ctx, in)
}

// key names a request. The room for the text counts by powers of two: a summary
// written for a little more or less is cut to fit, one for far less says too
// little.
func (c *Summarizer) key(in summary.Input) (string, error) {
	content, err := contentHash(in.Thread, in.Span, in.Previous)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range []string{c.Prompt, string(in.Part), in.Task, in.Instructions, strconv.Itoa(bits.Len(uint(max(in.Cap, 0))))} {
		writeField(h, f)
	}
	model := c.Model
	if model == "" {
		model = c.With.Name()
	}
	k := cacheKey{
		Content: content, Schema: strconv.Itoa(summary.Schema), Policy: c.Policy, Model: model,
		Prompt: hex.EncodeToString(h.Sum(nil)),
	}
	return k.String(), nil
}

// find returns the summary on the input's thread, and relative, for others; the
// second is nil when it cannot be shared.
func (c *Summarizer) find(ctx context.Context, key string, in summary.Input) (own, rel *summary.Structured, err error) {
	if own, rel = c.stored(ctx, key, in); own != nil {
		return own, rel, nil
	}
	own, err = c.With.Summarize(ctx, in)
	if err != nil || own == nil {
		return own, nil, err
	}
	rel, outside := toRelative(own, in.Thread, in.Span)
	if outside == nil && summary.Verify(own, in.Thread, in.Span, in.Previous...) == nil {
		c.put(ctx, key, rel)
	}
	return own, rel, nil
}

// stored returns what the cache holds, if it verifies here.
func (c *Summarizer) stored(ctx context.Context, key string, in summary.Input) (own, rel *summary.Structured) {
	data, err := c.Cache.Summary(ctx, key)
	if err != nil {
		c.failed("read cached summary", err)
		return nil, nil
	}
	if len(data) == 0 {
		return nil, nil
	}
	rel = new(summary.Structured)
	if err = json.Unmarshal(data, rel); err == nil {
		own, err = toAbsolute(rel, in.Thread, in.Span)
	}
	if err == nil {
		err = summary.Verify(own, in.Thread, in.Span, in.Previous...)
	}
	if err != nil {
		c.failed("use cached summary", err)
		return nil, nil
	}
	return own, rel
}

func (c *Summarizer) put(ctx context.Context, key string, rel *summary.Structured) {
	data, err := json.Marshal(rel)
	if err == nil {
		err = c.Cache.PutSummary(ctx, key, data)
	}
	if err != nil {
		c.failed("cache summary", err)
	}
}

func (c *Summarizer) failed(doing string, err error) {
	if c.OnError != nil {
		c.OnError(fmt.Errorf("%s: %w", doing, err))
	}
}
