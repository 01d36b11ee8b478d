package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// threads finds the thread that a command is about.
type threads struct {
	*database
	thread  string // --thread
	proxied bool   // --proxied
}

// threadFlag adds --thread to a command.
func (th *threads) threadFlag(c *cobra.Command) *cobra.Command {
	return th.proxiedFlag(th.namedFlag(c, "`key`, or its beginning (default: the last updated)"))
}

// namedFlag adds --thread alone to a command.
func (th *threads) namedFlag(c *cobra.Command, usage string) *cobra.Command {
	c.Flags().StringVar(&th.thread, "thread", "", usage)
	_ = c.RegisterFlagCompletionFunc("thread", flagOf(th.threadKeys)) // declared just before
	return c
}

// proxiedFlag adds --proxied to a command.
func (th *threads) proxiedFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&th.proxied, "proxied", false, "by default take also a thread that only a proxy made")
	return c
}

// head finds the thread that a command is about: by its key or the beginning of
// one, or the thread that was updated last.
func (th *threads) head(ctx context.Context, s store.Store, name string) (store.Head, error) {
	heads, err := s.Heads(ctx, th.whose)
	if err != nil {
		return store.Head{}, err
	}
	if len(heads) == 0 {
		return store.Head{}, th.none(ctx, s)
	}
	if name == "" {
		h, ok := lastThread(heads, th.proxied || th.whose != "") // a named tenant is a proxy's
		if !ok {
			return h, fail("--proxied takes the last updated, --thread KEY another: precis thread list shows them",
				"find thread: the database holds only threads that a proxy made")
		}
		if len(heads) > 1 {
			th.note("thread %s, the last updated%s of %d (--thread chooses)", h.Key.Thread, byPeople(heads, h), len(heads))
		}
		return h, nil
	}
	var found []store.Head
	for _, h := range heads {
		if h.Key.Thread == name {
			return h, nil
		}
		if strings.HasPrefix(h.Key.Thread, name) {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return store.Head{}, fail("precis thread list shows them", "find thread %q: %w", name, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return store.Head{}, fail("write more of the key", "find thread %q: %d threads begin so", name, len(found))
}

// none says that there is no thread of the tenant that a command is about.
func (th *threads) none(ctx context.Context, s store.Store) error {
	const text = "find thread: the database holds none"
	whose, hint := others(ctx, s)
	if whose == "" {
		return fail("precis compact FILE makes one", text)
	}
	return fail(hint, text+" of yours; %s", whose)
}

// mostNames is how many tenants a hint names.
const mostNames = 8

// others says that other tenants than the one that was asked for have threads, "" where
// none has, and names them.
func others(ctx context.Context, s store.Store) (whose, hint string) {
	all, ok := s.(store.Maintained)
	if !ok {
		return "", ""
	}
	heads, err := all.AllHeads(ctx)
	if err != nil { // what was asked for has its answer
		return "", ""
	}
	var names []string
	for _, h := range heads {
		if h.Key.Tenant != "" && !h.Key.Beside() {
			names = append(names, term.Clean(h.Key.Tenant))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return "", ""
	}
	whose = "those of " + term.Count(len(names), "tenant") + " are here"
	return whose, "--tenant NAME takes one of " + strings.Join(names[:min(len(names), mostNames)], ", ")
}

// lastThread is the thread that commands take by default: the last updated that a
// person made, or any.
func lastThread(heads []store.Head, proxied bool) (store.Head, bool) {
	at := slices.IndexFunc(heads, func(h store.Head) bool { return proxied || !h.ByProxy() })
	if at < 0 {
		return store.Head{}, false
	}
	return heads[at], true
}

// byPeople says that threads of a proxy, updated later than h, do not count.
func byPeople(heads []store.Head, h store.Head) string {
	if heads[0].Key != h.Key {
		return ", but for those of a proxy (--proxied),"
	}
	return ""
}

// reader opens the thread that --thread names for recall.
func (th *threads) reader(ctx context.Context, s store.Store) (*recall.Reader, store.Head, error) {
	h, err := th.head(ctx, s, th.thread)
	if err != nil {
		return nil, h, err
	}
	r, err := recall.Open(ctx, s, h.Key, time.Now())
	return r, h, err
}

// named opens the thread of an optional argument.
func (th *threads) named(ctx context.Context, s store.Store, args []string) (*recall.Reader, store.Head, error) {
	if len(args) > 0 {
		th.thread = args[0]
	}
	return th.reader(ctx, s)
}

// missing adds the hint for a reference that names nothing.
func missing(err error) error {
	if errors.Is(err, recall.ErrMiss) && !errors.Is(err, recall.ErrOutside) {
		return fail("precis thread show lists the messages, precis plan show the records", "%w", err)
	}
	return err
}
