package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// completer offers the values of an argument or a flag to the shell.
type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// offered returns the values that a shell shows, none where they cannot be read.
func offered(list func(ctx context.Context) ([]cobra.Completion, error)) completer {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx := c.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		all, err := list(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// threadKeys are the threads, the last updated first.
func (th *threads) threadKeys(ctx context.Context) (all []cobra.Completion, err error) {
	err = th.reading(ctx, func(s store.Store) error {
		heads, err := s.Heads(ctx, th.whose)
		for _, h := range heads {
			about := fmt.Sprintf("%s, %s, %s", term.Count(h.Len, "message"), h.Source, term.Stamp(h.Updated))
			all = append(all, cobra.CompletionWithDesc(h.Key.Thread, about))
		}
		return err
	})
	return all, err
}

// planVersions are those of the thread's plan, the newest first.
func (th *threads) planVersions(ctx context.Context) (all []cobra.Completion, err error) {
	err = th.opened(ctx, func(r *recall.Reader, h store.Head) {
		for v := h.PlanVersion; v >= 0; v-- {
			about := map[int]string{0: "the empty plan", h.PlanVersion: "the current one"}[v]
			all = append(all, cobra.CompletionWithDesc(strconv.Itoa(v), about))
		}
	})
	return all, err
}

// planRecords are those of the plan in force.
func (th *threads) planRecords(ctx context.Context) (all []cobra.Completion, err error) {
	err = th.opened(ctx, func(r *recall.Reader, _ store.Head) {
		if r.Plan == nil {
			return
		}
		for i := range r.Plan.Records {
			rec := &r.Plan.Records[i]
			all = append(all, cobra.CompletionWithDesc(rec.ID, recall.Act(rec)+": "+term.Line(rec.Reason)))
		}
	})
	return all, err
}

// opened hands f the thread that a command line is about so far.
func (th *threads) opened(ctx context.Context, f func(*recall.Reader, store.Head)) error {
	return th.database.reading(ctx, func(s store.Store) error {
		r, h, err := th.reader(ctx, s)
		if err == nil {
			f(r, h)
		}
		return err
	})
}

// flagOf is offered for the value of a flag, whatever arguments stand already.
func flagOf(list func(ctx context.Context) ([]cobra.Completion, error)) completer {
	f := offered(list)
	return func(c *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return f(c, nil, word)
	}
}
