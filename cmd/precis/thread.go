package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

func (a *app) threadCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "list the threads, the last updated first", Args: want(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(s store.Store) error { return a.threadList(c.Context(), s) })
		},
	}
	var from, limit int
	show := &cobra.Command{
		Use: "show [KEY]", Short: "list a thread's messages and what became of them", Args: want(0, 1),
		Example: "  precis thread show\n  precis thread show 5f2c --from 120 --max 40",
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(s store.Store) error { return a.threadShow(c.Context(), s, args, from, limit) })
		},
	}
	show.Flags().IntVar(&from, "from", 1, "`number` of the first message")
	show.Flags().IntVar(&limit, "max", 0, "most `messages` (default all)")
	var raw bool
	export := &cobra.Command{
		Use: "export [KEY]", Short: "print a thread's messages as they came", Args: want(0, 1),
		Long: `Export prints every message of the log as it came, one JSON value a line,
whatever plans were made since. --raw prints the exact bytes instead: of a thread
that came as requests, the last whole request; of a session file, its records.`,
		Example: "  precis thread export > session.jsonl\n  precis thread export 5f2c --raw > request.json",
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(s store.Store) error { return a.threadExport(c.Context(), s, args, raw) })
		},
	}
	export.Flags().BoolVar(&raw, "raw", false, "the exact bytes")
	return group("thread", "the conversations that are kept", "", list, show, export)
}

// threadLine is a thread for programs.
type threadLine struct {
	Thread   string    `json:"thread"`
	Messages int       `json:"messages"`
	Version  int       `json:"plan_version"`
	Source   string    `json:"source,omitempty"`
	Parent   string    `json:"parent,omitempty"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

func lineOf(h store.Head) threadLine {
	return threadLine{h.Key.Thread, h.Len, h.PlanVersion, h.Source, h.Parent, h.Created, h.Updated}
}

func (a *app) threadList(ctx context.Context, s store.Store) error {
	heads, err := s.Heads(ctx, a.whose)
	if err != nil {
		return err
	}
	if a.json {
		all := make([]threadLine, len(heads))
		for i, h := range heads {
			all[i] = lineOf(h)
		}
		return a.object(all)
	}
	t := table{right: []bool{false, true, true}, free: true}
	t.add("updated", "msgs", "plan", "source", "thread")
	for _, h := range heads {
		t.add(h.Updated.Local().Format("Jan _2 15:04"), commas(h.Len), strconv.Itoa(h.PlanVersion), h.Source, clean(h.Key.Thread))
	}
	fmt.Fprint(a.page, t.String())
	return nil
}

// named opens the thread of an optional argument.
func (a *app) named(ctx context.Context, s store.Store, args []string) (*recall.Reader, store.Head, error) {
	if len(args) > 0 {
		a.thread = args[0]
	}
	return a.reader(ctx, s)
}

func (a *app) threadShow(ctx context.Context, s store.Store, args []string, from, limit int) error {
	r, h, err := a.named(ctx, s, args)
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = -1
	}
	cards, err := r.List("messages", from-1, limit)
	if err != nil {
		return err
	}
	quality, err := r.Quality(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.object(struct {
			threadLine
			recall.Descriptions
			Quality recall.Quality `json:"quality"`
		}{lineOf(h), cards, quality})
	}
	fmt.Fprintf(a.page, "thread %s: %s in %s, plan %d, from %s\n\n", strong(clean(h.Key.Thread)),
		many(h.Len, "message"), many(r.Thread.Turns(), "turn"), h.PlanVersion, h.Source)
	if quality.Plans > 0 {
		fmt.Fprintf(a.page, "%s\n\n", quality)
	}
	t := table{right: []bool{true, true, false, false, true}}
	t.add("#", "turn", "role", "tool", "tokens", "now", "begins")
	for _, c := range cards.Cards {
		t.add(strconv.Itoa(c.Number), strconv.Itoa(c.Turn), string(c.Role), line(c.Tool, 16), commas(c.Tokens), c.State, line(c.First, width))
	}
	fmt.Fprint(a.page, t.String())
	return nil
}

func (a *app) threadExport(ctx context.Context, s store.Store, args []string, raw bool) error {
	r, h, err := a.named(ctx, s, args)
	if err != nil {
		return err
	}
	last, err := precis.LastReply(ctx, s, h.Key)
	if err != nil {
		return err
	}
	var ms []message.Message
	for i := range r.Thread.Len() {
		ms = append(ms, r.Thread.At(i).Message)
	}
	ms = append(ms, last...)
	if raw {
		if around, err := s.Envelope(ctx, h.Key); err == nil {
			var raws [][]byte
			for _, m := range ms {
				if m.Dialect == h.Source && !m.Meta {
					raws = append(raws, m.Raw)
				}
			}
			_, err = a.out.Write(codec.Refill(around, raws))
			return err
		}
	}
	for i := range ms {
		b, err := record(ms[i], raw)
		if err != nil {
			return fmt.Errorf("export message #%d: %w", i+1, err)
		}
		if _, err := a.out.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// record is a message as it came; on one line if it need not be exact.
func record(m message.Message, raw bool) ([]byte, error) {
	if len(m.Raw) == 0 {
		return json.Marshal(m)
	}
	if raw || !bytes.ContainsAny(m.Raw, "\n\r") {
		return bytes.Clone(m.Raw), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, m.Raw); err != nil {
		return bytes.Clone(m.Raw), nil // it came so
	}
	return b.Bytes(), nil
}
