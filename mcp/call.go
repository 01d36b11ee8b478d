package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/tool"
)

// call answers one call of a tool. A store that others write to may fail a read
// that began before they did, so one that fails is read once more.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a := &answer{s: s, tool: req.Params.Name, key: store.Key{Tenant: s.o.Tenant}}
	a.read(ctx, req.Params.Arguments)
	if a.got.Outcome == recall.Unavailable && ctx.Err() == nil {
		a.read(ctx, req.Params.Arguments)
	}
	if s.o.Tell != nil {
		s.o.Tell(a.key, a.got)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.text}}, IsError: a.failed}, nil
}

// answer is the reply to one call.
type answer struct {
	s      *Server
	tool   string
	key    store.Key // of the thread that was read
	text   string
	failed bool
	got    recall.Retrieval
}

func (a *answer) fail(o recall.Outcome, err error, format string, args ...any) {
	a.text, a.failed = string(o)+": "+fmt.Sprintf(format, args...), true
	a.got = recall.Retrieval{Tool: a.tool, Outcome: o, Err: err}
}

func (a *answer) read(ctx context.Context, raw json.RawMessage) {
	name, args, err := splitThread(raw)
	if err != nil {
		a.fail(recall.BadArgument, err, "thread must be a string")
		return
	}
	if a.tool == tool.NoteName { // its call stands in the agent's history: nothing is read
		a.text, a.failed = a.handler().Answer(ctx, &recall.Reader{}, a.tool, args)
		return
	}
	err = a.s.o.With(ctx, func(st store.Store) error { return a.answerFrom(ctx, st, name, args) })
	switch {
	case err == nil:
	case ctx.Err() != nil:
		a.fail(recall.Stopped, err, "the call was given up before it was answered")
	case errors.Is(err, fs.ErrNotExist):
		a.fail(recall.Unavailable, err, "no conversation has been kept yet: there is no database")
	default:
		a.fail(recall.Unavailable, err, "the log cannot be read now; the same call may work later")
	}
}

// answerFrom answers from a store.
func (a *answer) answerFrom(ctx context.Context, st store.Store, name string, args json.RawMessage) error {
	name = cmp.Or(name, a.s.o.Thread)
	k, threads, err := a.find(ctx, st, name)
	if err != nil || a.failed {
		return err
	}
	a.key = k
	r, err := recall.Open(ctx, st, k, a.s.o.Now())
	if err != nil {
		return err
	}
	handler := a.handler()
	handler.Who = artifact.Requester{ID: "mcp", Tenant: a.s.o.Tenant, Permissions: a.s.o.Permissions}
	a.text, a.failed = handler.Answer(ctx, r, a.tool, args)
	if name == "" && threads > 1 {
		a.text += fmt.Sprintf("\n(of thread %q, the last updated of %d; the argument thread chooses another)", k.Thread, threads)
	}
	return nil
}

// find returns the thread that a name chooses, and how many there are where that was
// counted; it lists them only where the name is no key. Without one the call has failed.
func (a *answer) find(ctx context.Context, st store.Store, name string) (k store.Key, threads int, err error) {
	a.failed = false
	if name != "" {
		h, err := st.Head(ctx, store.Key{Tenant: a.s.o.Tenant, Thread: name})
		if !errors.Is(err, store.ErrNotFound) {
			return h.Key, 0, err
		}
	}
	heads, err := st.Heads(ctx, a.s.o.Tenant)
	if err != nil {
		return k, 0, err
	}
	h, ok := findHead(heads, name, a.s.o.Proxied)
	if !ok {
		a.fail(recall.Miss, nil, "%s", threadList(heads, name))
	}
	return h.Key, len(heads), nil
}

func (a *answer) handler() recall.ToolHandler {
	return recall.ToolHandler{Max: a.s.o.Max, Tell: func(got recall.Retrieval) { a.got = got }}
}

// splitThread takes the thread from the arguments of a call. It leaves what is not an
// object for recall to refuse.
func splitThread(raw json.RawMessage) (thread string, rest json.RawMessage, err error) {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil || args["thread"] == nil {
		return "", raw, nil
	}
	if err := json.Unmarshal(args["thread"], &thread); err != nil {
		return "", nil, err
	}
	delete(args, "thread")
	rest, err = json.Marshal(args)
	return thread, rest, err
}

// findHead returns the thread of that key, else the only one whose key has that
// prefix; for "" the one last updated, of those that not only a proxy made unless
// proxied is set.
func findHead(heads []store.Head, name string, proxied bool) (store.Head, bool) {
	var found []store.Head
	for _, h := range heads {
		if h.Key.Thread == name || name == "" && (proxied || !h.ByProxy()) {
			return h, true
		}
		if name != "" && strings.HasPrefix(h.Key.Thread, name) {
			found = append(found, h)
		}
	}
	if len(found) != 1 {
		return store.Head{}, false
	}
	return found[0], true
}

// threadList describes the threads there are.
func threadList(heads []store.Head, name string) string {
	if len(heads) == 0 {
		return "no conversation has been kept yet"
	}
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "thread %.80q is none, or more than one, of the %d here; the last updated:", name, len(heads))
	if name == "" {
		b.Reset()
		fmt.Fprintf(&b, "only a proxy made the %d here, so the argument thread must name one; the last updated:", len(heads))
	}
	for _, h := range heads[:min(len(heads), most)] {
		fmt.Fprintf(&b, "\n%.120q, %s, updated %s", h.Key.Thread, term.Count(h.Len, "message"), h.Updated.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return b.String()
}
