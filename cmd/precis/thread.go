package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/transcript"
)

func threadCommand(th *threads) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "list the threads, the last updated first", Args: arguments(0, 0),
		Long: `List shows each conversation with the folder that the agent worked in, the model,
and what the user said first, as far as these are known; of more than a thousand
threads, for the last thousand. What was forked from a thread stands below it.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return th.reading(c.Context(), func(s store.Store) error { return threadList(c.Context(), th.database, s) })
		},
	}
	var from, limit int
	show := &cobra.Command{
		Use: "show [KEY]", Short: "list a thread's messages and what became of them", Args: arguments(0, 1),
		Example: "  precis thread show\n  precis thread show 5f2c --from 120 --max 40",
		RunE: func(c *cobra.Command, args []string) error {
			if err := errors.Join(atLeast("from", from, 1), atLeast("max", limit, 0)); err != nil {
				return err
			}
			return th.reading(c.Context(), func(s store.Store) error { return threadShow(c.Context(), th, s, args, from, limit) })
		},
	}
	th.threadFlag(show).ValidArgsFunction = offered(th.threadKeys)
	show.Flags().IntVar(&from, "from", 1, "`number` of the first message")
	show.Flags().IntVar(&limit, "max", 0, "maximum `messages` (default all)")
	var raw bool
	export := &cobra.Command{
		Use: "export [KEY]", Short: "print a thread's messages as they came", Args: arguments(0, 1),
		Long: `Export prints every message of the log as it came, one JSON value a line,
whatever plans were made since. --raw prints the exact bytes instead: of a thread
that came as requests, the last whole request; of a session file, its records.`,
		Example: "  precis thread export > session.jsonl\n  precis thread export 5f2c --raw > request.json",
		RunE: func(c *cobra.Command, args []string) error {
			return th.reading(c.Context(), func(s store.Store) error { return threadExport(c.Context(), th, s, args, raw) })
		},
	}
	th.threadFlag(export).ValidArgsFunction = offered(th.threadKeys)
	export.Flags().BoolVar(&raw, "raw", false, "the exact bytes")
	return group("thread", "the conversations that are kept", "", list, show, export)
}

func threadShow(ctx context.Context, th *threads, s store.Store, args []string, from, limit int) error {
	r, h, err := th.named(ctx, s, args)
	if err != nil {
		return err
	}
	if from > h.Len {
		return fail("leave --from out, or take one of them", "show thread %s: there is no message %s: its messages are %s to %s",
			h.Key.Thread, ref.Message(from), ref.Message(1), ref.Message(h.Len))
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
	if th.json {
		return th.object(struct {
			threadLine
			recall.Descriptions
			Quality recall.Quality `json:"quality"`
		}{lineOf(h, outsetOf(ctx, s, h)), cards, quality})
	}
	fmt.Fprintln(th.page, th.paper.Wrap(fmt.Sprintf("thread %s: %s in %s, plan %d, from %s", term.Strong(term.Line(h.Key.Thread)),
		term.Count(h.Len, "message"), term.Count(r.Thread.Turns(), "turn"), h.PlanVersion, term.Line(h.Source)), ""))
	if quality.Plans > 0 {
		fmt.Fprintln(th.page, th.paper.Paragraph(quality.String()))
	}
	t := term.Table{Right: []bool{true, true, false, false, true}}
	t.Add("#", "turn", "role", "tool", "tokens", "now", "begins")
	for _, c := range cards.Cards {
		name := term.Line(c.Tool)
		if th.paper.Excerpts {
			name = term.Cut(name, 16)
		}
		t.Add(strconv.Itoa(c.Number), strconv.Itoa(c.Turn), string(c.Role), name, term.Comma(c.Tokens), c.State, term.Line(c.First))
	}
	fmt.Fprint(th.page, th.paper.Table(&t))
	return nil
}

func threadExport(ctx context.Context, th *threads, s store.Store, args []string, raw bool) error {
	r, h, err := th.named(ctx, s, args)
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
	o := transcript.WriteOptions{Raw: raw, Source: h.Format()}
	if raw {
		if o.Envelope, err = store.LastEnvelope(ctx, s, h.Key); err != nil {
			return err
		}
	}
	return transcript.Write(th.out, ms, o)
}
