package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/transcript"
)

const inspectLong = `Inspect serves a page that shows what compaction did: every conversation, its
timeline, the prompt of any request beside the log, why a message left and what
brings it back, other policies tried on the same conversation, and search. Undo,
pins, compaction and erasure are a click away; each says its cost first.

With FILE, a session as compact reads it, the conversation is compacted in memory
as it would have been on the way. Nothing is written.

The page is served on this machine alone. Standard output is its address with the
token that opens it; the browser is started, unless --no-browser, with a file in
the temporary folder that only you can read, and that leads there. A browser that
may not read it (as in a snap) is given the address by hand. Where the database
cannot be written, or with --read-only, nothing can be changed.`

const inspectExample = `  precis inspect
  precis inspect session.jsonl --budget 32k
  precis inspect --db work.db --no-browser --listen 127.0.0.1:7788`

// inspector is one run of the command.
type inspector struct {
	*app
	listen, budget, model, policy, format string
	allow, hosts                          []string
	readOnly, noBrowser                   bool
}

func inspectCommand(a *app) *cobra.Command {
	i := &inspector{app: a}
	c := &cobra.Command{
		Use: "inspect [FILE]", Short: "show in a browser what compaction did, and steer it", Long: inspectLong, Example: inspectExample, Args: arguments(0, 1),
		PreRunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return checkFormat(i.format)
			}
			return forFile(cmd, "budget", "format", "model")
		},
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args) },
	}
	f := c.Flags()
	f.StringVar(&i.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	f.BoolVar(&i.noBrowser, "no-browser", false, "do not start a browser")
	f.BoolVar(&i.readOnly, "read-only", false, "show, and change nothing")
	f.StringSliceVar(&i.allow, "allow", nil, "also show artifacts of a `level`: confidential, restricted")
	f.StringSliceVar(&i.hosts, "allow-host", nil, "`name` under which the page is reached, beside those of this machine")
	budgetVar(f, &i.budget, "for FILE: maximum `tokens` of a request: 32000, 32k, 0.5m (default: by the model)")
	f.StringVarP(&i.model, "model", "m", "", "for FILE: `name` of the model (default: the conversation's own)")
	policyFlag(f, &i.policy)
	formatFlag(c, &i.format, "for FILE: `name` of its format")
	completePolicy(c)
	complete(c, "allow", config.Levels)
	return c
}

// forFile refuses flags that say how FILE is read where none is given.
func forFile(c *cobra.Command, names ...string) error {
	if given := givenOf(c, names); len(given) > 0 {
		return usage("name a file, or leave "+english.WordSeries(given, "and")+" out", "run %s: %s %s for FILE, and none is given",
			c.CommandPath(), english.WordSeries(given, "and"), english.PluralWord(len(given), "is", "are"))
	}
	return nil
}

func (i *inspector) run(ctx context.Context, args []string) error {
	o, err := i.options()
	if err != nil {
		return err
	}
	var s store.Store
	if len(args) > 0 {
		s, err = i.file(ctx, args[0], o)
	} else {
		s, err = i.open(ctx, &o)
	}
	if err != nil {
		return err
	}
	i.noteOthers(ctx, s)
	return errors.Join(i.serve(ctx, s, o), s.Close())
}

func (i *inspector) options() (o inspect.Options, err error) {
	o = inspect.Options{Tenant: i.whose, Token: rand.Text(), ReadOnly: i.readOnly, Hosts: i.hosts, By: login(), Meter: bpe.Meter, Events: &event.Bus{}}
	if o.Permissions, err = config.Permissions(i.allow); err != nil {
		return o, usage("the levels are "+strings.Join(config.Levels, ", "), "read --allow: %w", err)
	}
	if err := (proxy.Access{Hosts: i.hosts}).Validate(); err != nil {
		return o, usage("write it as precis.example", "read --allow-host: %w", err)
	}
	chosen, err := setupNamed(i.policy)
	if err != nil {
		return o, err
	}
	o.Engine.Policy, o.Engine.Rehydrate = chosen.Policy, chosen.Rehydration
	o.Models = func(name string) (model.Model, bool) {
		m, ok, err := i.lookup(name)
		return m, ok && err == nil
	}
	return o, nil
}

// open opens the database, for reading only where it cannot be written.
func (i *inspector) open(ctx context.Context, o *inspect.Options) (store.Store, error) {
	if !o.ReadOnly {
		s, err := i.existing(ctx)
		if err == nil || !errors.Is(err, sqlite.ErrReadOnly) {
			return s, err
		}
		o.ReadOnly = true
		i.note("the database cannot be written: the page only shows")
	}
	return i.openReading(ctx)
}

// noteOthers says whose threads are there, where the page will be empty.
func (i *inspector) noteOthers(ctx context.Context, s store.Store) {
	heads, err := s.Heads(ctx, i.whose)
	if err != nil || len(heads) > 0 { // the page says what fails
		return
	}
	if whose, hint := others(ctx, s); whose != "" {
		i.note("no thread is yours: %s: %s", whose, hint)
	}
}

// file compacts a session in memory, request by request.
func (i *inspector) file(ctx context.Context, file string, o inspect.Options) (store.Store, error) {
	t, _, err := readConversation(ctx, i.streams, file, i.format)
	if err != nil {
		return nil, err
	}
	in, err := i.input(t, o)
	if err != nil {
		return nil, err
	}
	i.progress("compacting " + filepath.Base(file))
	defer i.progress("")
	s := memory.New()
	engine := o.Engine
	engine.Store, engine.Tenant = s, i.whose
	if err := inspect.Simulate(ctx, engine, in); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (i *inspector) input(t *transcript.Transcript, o inspect.Options) (in precis.Input, err error) {
	in = precis.Input{Thread: threadKey(t), Messages: t.Messages, System: t.System, Tools: t.Tools, Client: precis.Client{Source: t.Format}}
	n, err := i.choose(dialect(t), i.model, t.Model)
	if err != nil {
		return in, err
	}
	in.Model = n.known
	if in.Meter, err = bpe.Meter(in.Model); err != nil {
		return in, fmt.Errorf("count for %s: %w", in.Model.Name, err)
	}
	if t.Request != nil {
		in.Client.Envelope = t.Request.SpacedEnvelope()
	}
	in.Budget, err = budgetFlag(i.budget)
	return in, err
}

// serve serves the page until the context ends.
func (i *inspector) serve(ctx context.Context, s store.Store, o inspect.Options) (err error) {
	l, err := net.Listen("tcp", i.listen)
	if err != nil {
		return fail("choose another address with --listen; port 0 takes a free one", "listen: %w", err)
	}
	page := startInspector(l, s, o, faults(i.logger()))
	if err := i.say(page.url); err != nil {
		return errors.Join(err, page.stop())
	}
	if !i.noBrowser {
		forget, none := browse(ctx, page.url)
		defer func() { err = errors.Join(err, forget()) }()
		if none != nil {
			i.note("no browser was started (%v): open the address yourself", none)
		}
	}
	select {
	case <-ctx.Done():
		return page.stop()
	case err := <-page.ended:
		return fmt.Errorf("serve: %w", err)
	}
}

func (i *inspector) say(url string) error {
	if i.json {
		return i.object(map[string]string{"url": url})
	}
	_, err := fmt.Fprintln(i.out, url)
	return err
}
