package proxy

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/proxy/native"
	"github.com/seed-3db51b0e/precis/store"
)

// ThreadHeader names a request's conversation. It is for the proxy alone.
const ThreadHeader = request.ThreadHeader

// conversation is a call, and the conversation that it goes on with.
type conversation struct {
	incoming
	thread string // its key
	// rejoined is set where a compaction item of ours stood for the beginning.
	rejoined bool
	native   native.Request
	// until is when what waits for the store gives up, before the request goes on;
	// zero where it has gone on.
	until time.Time
}

// patient bounds how long a conversation waits for the store.
func (p *Proxy) patient(ctx context.Context, c conversation) (context.Context, context.CancelFunc) {
	if c.until.IsZero() {
		return context.WithTimeout(ctx, p.opts.Limits.PrepareTimeout)
	}
	return context.WithDeadline(ctx, c.until)
}

// match is the second stage: it finds the conversation of a call. What a compaction
// item of ours stands for is put back in its place.
func (p *Proxy) match(ctx context.Context, in incoming) conversation {
	c := conversation{incoming: in, until: time.Now().Add(p.opts.Limits.PrepareTimeout)}
	if known, err := p.rejoin(ctx, &c.incoming); err != nil {
		p.failed(ctx, c, request.Native, err)
	} else {
		c.thread, c.rejoined = known, known != ""
	}
	c.thread = cmp.Or(c.thread, p.key(c.incoming))
	c.native = native.Read(c.codec.Name(), c.http.URL.Path, c.request)
	if c.native.Framed {
		c.codec = framed{c.codec, c.native.Before, c.native.After}
	}
	return c
}

// compactedThread is the key of the thread in which a conversation goes on that its
// client had compacted here.
func (p *Proxy) compactedThread(in incoming) string {
	if in.request.CacheKey != "" && in.http.Header.Get(ThreadHeader) == "" {
		return request.Bounded(native.Key(in.request.CacheKey))
	}
	return p.key(in)
}

// key is the key of a request's thread.
func (p *Proxy) key(in incoming) string {
	return request.Key(in.http.Header, in.request, p.opts.Tenancy.UserHeaders...)
}

// rejoin puts what the log holds in place of a compaction item of ours, and of the
// messages before it that the log has too. It returns the key of the thread, "" where
// there is no such item. An item that nothing is known of goes on as it is.
func (p *Proxy) rejoin(ctx context.Context, in *incoming) (string, error) {
	if in.codec.Name() != responsesName {
		return "", nil
	}
	ms := in.request.Messages
	item, at, ok := native.Find(ms)
	if !ok {
		return "", nil
	}
	k := store.Key{Tenant: in.owner.Name, Thread: item.Thread(p.compactedThread(*in))}
	logged, err := p.logged(ctx, k, item)
	if err != nil {
		return "", err
	}
	body, err := in.codec.Encode(in.request, native.Rejoin(logged, ms[:at], ms[at+1:]))
	if err != nil {
		return "", err
	}
	req, err := in.codec.Decode(body)
	if err != nil {
		return "", err
	}
	in.request = req
	return k.Thread, nil
}

// logged returns the messages that an item stands for.
func (p *Proxy) logged(ctx context.Context, k store.Key, item native.Item) (ms []message.Message, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.opts.Limits.PrepareTimeout)
	defer cancel()
	err = request.Guard(func() error {
		es, err := p.behind.Load(ctx, k)
		if err != nil {
			return err
		}
		for _, e := range es {
			ms = append(ms, e.Message)
			if e.ID == item.Last {
				return nil
			}
		}
		return store.ErrNotFound
	})
	return ms, err
}

// framed is a codec whose prompts have messages around them that the engine does not
// see. It declares no tools: what the provider compacts is left as it is.
type framed struct {
	Codec
	before, after []message.Message
}

func (f framed) Encode(req *codec.Request, ms []message.Message) ([]byte, error) {
	return f.Codec.Encode(req, slices.Concat(f.before, ms, f.after))
}

// answeredHere reports whether the proxy makes the compaction that is asked for.
func (p *Proxy) answeredHere(c conversation) bool {
	return c.native.Demand.Direct() && p.opts.Mode == Compact &&
		(p.opts.Prompt.NativeCompaction == NativeAnswer || c.rejoined || c.endpoint.noCompaction.Load())
}

// failed reports a failure that a call survives, nil for none.
func (p *Proxy) failed(ctx context.Context, c conversation, stage request.Stage, err error) {
	p.telemetry.failed(ctx, c.codec.Name(), c.thread, stage, err)
}
