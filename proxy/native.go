package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/upstream"
)

// demand is what a client wants of its provider in a request.
type demand int

const (
	nothing   demand = iota
	whenLong         // to compact as it sees fit, or for itself: the answer is not made here
	byTrigger        // one compaction item, as the last item of the input says
	byPath           // what POST /v1/responses/compact returns
)

// word is what a provider says of a demand that it does not know.
func (d demand) word() string {
	if d == byTrigger {
		return triggerKind
	}
	return compactionKind
}

// native is what providers' own compaction makes of a call.
type native struct {
	asks demand
	// known is the thread that a compaction item of ours stands for, "" without.
	known string
	own   []message.Message // what the engine gets to see
	pins  []plan.Ref        // compaction items of the provider's, which nothing here can read
}

const (
	compactionKind = "compaction" // of an item or block
	triggerKind    = "compaction_trigger"
	compactPath    = "/compact"
)

// kindOf is the type of an item, or of the first block of a message.
func kindOf(m message.Message) string {
	if len(m.Parts) == 0 || m.Parts[0].Kind != message.Opaque {
		return ""
	}
	return objectOf(m.Parts[0].Raw).text("type")
}

// window says which messages of the request are the engine's, and what the
// client asks of the provider. What stands before the latest compaction block of
// Anthropic's is not read by its provider any more: it goes along as it is, and
// counts for nothing.
func (c *call) window() {
	n := &c.native
	ms, from, until := c.req.Messages, 0, len(c.req.Messages)
	if c.codec.Name() == responsesName && until > 0 && kindOf(ms[until-1]) == triggerKind {
		n.asks, until = byTrigger, until-1
	} else if strings.HasSuffix(c.r.URL.Path, compactPath) {
		n.asks = byPath
	} else if c.req.Compacts {
		n.asks = whenLong
	}
	blocks := false
	for i := range ms[:until] {
		if kindOf(ms[i]) == compactionKind {
			blocks = true
			if c.codec.Name() == anthropicName {
				from = i
			}
		}
	}
	n.own = ms[from:until]
	if blocks || until < len(ms) {
		c.codec = framed{c.codec, ms[:from], ms[until:]}
	}
	if blocks && n.asks == nothing {
		n.pins = pinned(n.own)
	}
}

// pinned are the compaction items among messages.
func pinned(ms []message.Message) (pins []plan.Ref) {
	for i, e := range thread.Extend("", ms) {
		if kindOf(ms[i]) == compactionKind {
			pins = append(pins, plan.Ref{ID: e.ID})
		}
	}
	return pins
}

// framed is a codec whose prompts have messages around them that the engine does
// not see. It declares no tools: what the provider compacts is left as it is.
type framed struct {
	Codec
	before, after []message.Message
}

func (f framed) Encode(req *codec.Request, ms []message.Message) ([]byte, error) {
	return f.Codec.Encode(req, slices.Concat(f.before, ms, f.after))
}

// itemPrefix begins what a compaction item of ours holds, sealed is what follows:
// the last entry that the item stands for, and which branch of the conversation
// that is on. The item says nothing; it is known by what the log says of it.
const itemPrefix = "precis:"

// compacted is the name of the thread in which a conversation goes on that its
// client had compacted here: what the client calls the conversation, and never
// what an item says (SPEC V10).
func (c *call) compacted() string {
	if c.req.CacheKey != "" && c.r.Header.Get(ThreadHeader) == "" {
		return bounded(compactionKind + ":" + c.req.CacheKey)
	}
	return conversation(c.r.Header, c.req)
}

// expand puts what the log holds in place of a compaction item of ours, and of
// the messages before it that the log has too. An item that nothing is known of
// goes on as it is.
func (c *call) expand(tenant string) {
	ms := c.req.Messages
	if c.codec.Name() != responsesName {
		return
	}
	for at := len(ms) - 1; at >= 0; at-- {
		if kindOf(ms[at]) != compactionKind {
			continue
		}
		item, ours := strings.CutPrefix(objectOf(ms[at].Parts[0].Raw).text("encrypted_content"), itemPrefix)
		if !ours {
			return
		}
		k, old, err := c.logged(tenant, item)
		if err == nil {
			err = c.continued(old, ms[:at], ms[at+1:])
		}
		if err != nil {
			c.failed("native", err)
			return
		}
		c.native.known = k.Thread
		return
	}
}

// logged is what an item stands for.
func (c *call) logged(tenant, item string) (k store.Key, ms []message.Message, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	last, branch, _ := strings.Cut(item, "~")
	k = store.Key{Tenant: tenant, Thread: c.compacted()}
	if branch != "" {
		k.Thread += "~" + branch
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), c.p.opts.Limits.PrepareTimeout)
	defer cancel()
	es, err := c.p.behind.Load(ctx, k)
	if err != nil {
		return k, nil, err
	}
	for _, e := range es {
		ms = append(ms, e.Message)
		if string(e.ID) == last {
			return k, ms, nil
		}
	}
	return k, nil, store.ErrNotFound
}

// continued makes the request that the client would have sent without the
// compaction: what was logged, what the client put before the item besides, and
// what came after it.
func (c *call) continued(old, before, after []message.Message) error {
	have := map[message.Digest]bool{}
	for i := range old {
		have[old[i].Digest()] = true
	}
	ms := slices.Clone(old)
	for _, m := range before {
		if !have[m.Digest()] && kindOf(m) != compactionKind {
			ms = append(ms, m)
		}
	}
	body, err := c.codec.Encode(c.req, append(ms, after...))
	if err != nil {
		return err
	}
	req, err := c.codec.Decode(body)
	if err != nil {
		return err
	}
	c.req, c.out = req, body
	return nil
}

// answers says whether the proxy makes the compaction that is asked for.
func (c *call) answers() bool {
	if c.native.asks != byTrigger && c.native.asks != byPath || c.p.opts.Mode != Compact || c.turn == nil {
		return false
	}
	return c.p.opts.Prompt.NativeCompaction == NativeAnswer || c.native.known != "" || c.side.unaided.Load()
}

// errUnaided says that the provider knows no compaction.
var errUnaided = errors.New("provider knows no compaction")

// unaided says whether an answer refuses a compaction because the provider knows
// none. If so it has been read.
func (c *call) unaided(resp *upstream.Response) bool {
	if c.native.asks != byTrigger && c.native.asks != byPath || c.p.opts.Mode != Compact || c.turn == nil {
		return false
	}
	var tells func([]byte) bool
	switch resp.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		tells = func(said []byte) bool { // it is the path that is unknown, and no model
			return c.native.asks == byPath && !bytes.Contains(said, []byte("model"))
		}
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		tells = func(said []byte) bool { return bytes.Contains(said, []byte(c.native.asks.word())) }
	default:
		return false
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, mostError))
	if err != nil || !tells(said) {
		resp.Body = joined(said, resp.Body)
		return false
	}
	_ = resp.Body.Close() // why is known
	c.side.unaided.Store(true)
	c.p.log.Info("provider knows no compaction, it is made here from now on", "provider", c.side.Name, "status", resp.Status)
	return true
}

// codec is the one of a call's path, or of the path below it where OpenAI's
// clients have conversations compacted; nil for what is no call.
func (s *side) codec(path string) Codec {
	if c := s.Calls[path]; c != nil {
		return c
	}
	above, below := strings.CutSuffix(path, compactPath)
	if c := s.Calls[above]; below && c != nil && c.Name() == responsesName {
		return c
	}
	return nil
}
