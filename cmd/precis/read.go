package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

func readCommand(th *threads) *cobra.Command {
	var lines, pattern string
	var raw bool
	c := &cobra.Command{
		Use: "read ID", Short: "print a message, part, record or artifact as it was",
		Long: `Read prints what was logged, byte for byte, whatever plans were made since.
ID is a message number (#12, quoted for the shell, or 12), a part of one (#12/2),
an entry id or the beginning of one, a record (r…: all it covers), or an artifact
(a…). On a terminal, control characters are shown as dots.`,
		Example: "  precis read '#12'\n  precis read '#12/2' --lines 100:140\n  precis read r1c0ffee12345 --grep 'error|panic'",
		Args:    arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return th.reading(c.Context(), func(s store.Store) error {
				r, _, err := th.reader(c.Context(), s)
				switch {
				case err != nil:
					return err
				case pattern != "":
					return search(c.Context(), th.streams, r, recall.Query{Ref: args[0], Max: -1, Width: -1}, pattern, false)
				case raw:
					return readRaw(c.Context(), th.streams, r, args[0])
				}
				return read(c.Context(), th.streams, r, args[0], lines)
			})
		},
	}
	c.Flags().StringVar(&lines, "lines", "", "only these lines: `a:b`, a: or :b, counted from 1")
	c.Flags().StringVar(&pattern, "grep", "", "only lines that match this regular `expression`")
	c.Flags().BoolVar(&raw, "raw", false, "the exact JSON a message came in")
	exclusive(c, "lines", "grep", "raw")
	return th.threadFlag(c)
}

func read(ctx context.Context, std *streams, r *recall.Reader, ref, lines string) error {
	in, err := lineRange(lines)
	if err != nil {
		return err
	}
	page, err := r.Read(ctx, ref, in)
	if err != nil {
		return missing(err)
	}
	if std.json {
		return std.object(page)
	}
	return std.exactly(page.Text)
}

func readRaw(ctx context.Context, std *streams, r *recall.Reader, ref string) error {
	p, err := r.Find(ctx, ref)
	if err != nil {
		return missing(err)
	}
	if p.Record != nil || p.Artifact != nil || p.Part > 0 {
		return usage("precis read ID without --raw prints these", "read %s --raw: only whole messages have a raw form", ref)
	}
	raw := r.Thread.At(p.Index).Message.Raw
	if std.json {
		return std.object(map[string]string{"ref": ref, "raw": string(raw)})
	}
	return std.exactly(string(raw))
}

// lineRange reads a:b, a:, :b or a.
func lineRange(s string) (recall.Range, error) {
	in := recall.Range{Max: -1}
	if s == "" {
		return in, nil
	}
	from, to, ok := strings.Cut(s, ":")
	if !ok {
		to = from
	}
	var err error
	for _, side := range []struct {
		text string
		n    *int
	}{{from, &in.From}, {to, &in.To}} {
		if side.text == "" {
			continue
		}
		if *side.n, err = strconv.Atoi(side.text); err != nil || *side.n < 1 {
			return in, usage("write 100:140, 100: or :40", "--lines %q: not a range of lines", s)
		}
	}
	if in.To > 0 && in.From > in.To {
		return in, usage("the first line comes first", "--lines %q: the range is empty", s)
	}
	return in, nil
}
