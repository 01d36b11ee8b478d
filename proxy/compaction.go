package proxy

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/proxy/native"
	"github.com/seed-3db51b0e/precis/store"
)

// answerCompaction makes the compaction that a client asked its provider for: a plan
// in the log, and an item that stands for what the log holds. The prompt of the next
// request that has the item is what that plan says.
func (p *Proxy) answerCompaction(ctx context.Context, w http.ResponseWriter, j job, r result) (result, error) {
	r = p.keep(ctx, j, r)
	in := j.input
	in.Thread, in.Mode.NoCompact, in.Mode.Force, in.Mode.Trigger = p.compactedThread(j.incoming), false, true, event.Manual
	if j.rejoined {
		in.Thread = j.thread
	}
	made := p.compact(ctx, j, in, partial{})
	a, ok := p.compaction(ctx, j, made)
	if !ok {
		r.status = http.StatusInternalServerError
		fail(w, j.endpoint.Name, r.status, "server_error", "precis: the conversation could not be compacted")
		return r, nil
	}
	r.prompt, r.status = made, http.StatusOK
	r.prompt.Tokens = made.Turn.Compacted
	kind, body := "application/json", a.Body
	if j.native.Demand == native.ByTrigger && j.request.Stream {
		kind, body = "text/event-stream", a.Events
	}
	out := body()
	w.Header().Set("Content-Type", kind)
	if kind != "text/event-stream" {
		w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	}
	w.WriteHeader(r.status)
	_, err := w.Write(out)
	return r, err
}

// compaction makes the answer; it fails where the item would stand for nothing,
// because the log could not be written.
func (p *Proxy) compaction(ctx context.Context, j job, made prompt) (a native.Answer, ok bool) {
	turn := made.Turn
	if turn == nil || turn.Outcome == precis.Failed || turn.Thread == nil {
		return a, false
	}
	key := p.compactedThread(j.incoming)
	item := native.Item{Last: turn.Thread.Tip(), Branch: strings.TrimPrefix(strings.TrimPrefix(turn.Key.Thread, key), "~")}
	if _, err := p.logged(ctx, store.Key{Tenant: turn.Key.Tenant, Thread: item.Thread(key)}, item); err != nil {
		p.failed(ctx, j.conversation, request.Native, err)
		return a, false
	}
	a = native.Answer{Item: item, Model: j.request.Model, At: p.now().Unix(), Tokens: turn.Before}
	if a.ByPath = j.native.Demand == native.ByPath; a.ByPath {
		a.Users = native.UserItems(j.native.Messages)
	}
	return a, true
}
