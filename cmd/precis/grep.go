package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// roles are those that a message may have.
var roles = []string{string(message.System), string(message.User), string(message.Assistant), string(message.Tool)}

func grepCommand(th *threads) *cobra.Command {
	var q recall.Query
	var role string
	var fold, fixed bool
	c := &cobra.Command{
		Use: "grep PATTERN", Short: "search the whole conversation, also what left the prompt",
		Long: `Grep prints the lines that match a regular expression (RE2), with the message and
part they stand in, the line within it, and what stands in the prompt now. It
fails when nothing matches.`,
		Example: "  precis grep 'connection refused'\n  precis grep -i todo --role user\n  precis grep -C 2 FAIL --tool Bash",
		Args:    counted(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			if role != "" && !slices.Contains(roles, role) {
				return usage("there are "+strings.Join(roles, ", "), "read --role: unknown role %q", role)
			}
			if err := atLeast("context", q.Context, 0); err != nil {
				return err
			}
			if q.Max < -1 || q.Max == 0 {
				return usage("leave it out for the default", "--max %d: want 1 or more, or -1 for all", q.Max)
			}
			pattern := args[0]
			if fixed {
				pattern = regexp.QuoteMeta(pattern)
			}
			return th.reading(c.Context(), func(s store.Store) error {
				r, _, err := th.reader(c.Context(), s)
				if err != nil {
					return err
				}
				q.Role = message.Role(role)
				return search(c.Context(), th.streams, r, q, pattern, fold)
			})
		},
	}
	f := c.Flags()
	f.BoolVarP(&fold, "ignore-case", "i", false, "upper and lower case are the same")
	f.BoolVarP(&fixed, "fixed", "F", false, "PATTERN is a text, not an expression")
	f.IntVarP(&q.Context, "context", "C", 0, "`lines` shown before and after")
	f.IntVar(&q.Max, "max", 100, "maximum `lines` found that are shown, -1 for all")
	f.StringVar(&role, "role", "", "only messages of this `role`")
	f.StringVar(&q.Tool, "tool", "", "only calls and results of this `tool`")
	complete(c, "role", roles)
	return th.threadFlag(c)
}

// search prints the lines a query finds.
func search(ctx context.Context, std *streams, r *recall.Reader, q recall.Query, pattern string, fold bool) error {
	if fold {
		pattern = "(?i)" + pattern
	}
	var err error
	if q.Pattern, err = regexp.Compile(pattern); err != nil {
		hint := "the syntax is RE2's: https://golang.org/s/re2syntax"
		if q.Ref == "" { // precis grep
			hint += "; -F takes the text as it is"
		}
		return usage(hint, "read pattern: %w", err)
	}
	found, err := r.Grep(ctx, q)
	switch {
	case err == nil:
	case q.Ref == "" && errors.Is(err, recall.ErrMiss):
		return fail("-i ignores case; --thread searches another thread", "%w", err)
	case errors.Is(err, recall.ErrOutside):
		return fail("precis grep PATTERN searches the whole conversation", "%w", err)
	default:
		return missing(err)
	}
	if std.json {
		return std.object(found)
	}
	last := ""
	for _, h := range found.Hits {
		if h.Ref != last {
			headOf(std, h, last != "")
		}
		last = h.Ref
		hit(std, h)
	}
	if rest := found.Total - len(found.Hits); rest > 0 {
		std.note("%s more: --max -1 shows all", term.Count(rest, "line"))
	}
	return nil
}

func headOf(std *streams, h recall.Hit, gap bool) {
	if gap {
		fmt.Fprintln(std.page)
	}
	what := []string{h.Ref, string(h.Role)}
	if h.Tool != "" {
		what = append(what, h.Tool)
	}
	if h.State != "" && h.State != "whole" {
		what = append(what, "("+h.State+")")
	}
	fmt.Fprintln(std.page, term.Clean(strings.Join(what, " ")))
}

func hit(std *streams, h recall.Hit) {
	for i, l := range h.Before {
		fmt.Fprintf(std.page, "%6d- %s\n", h.Line-len(h.Before)+i, term.Clean(l))
	}
	fmt.Fprintf(std.page, "%6d: %s\n", h.Line, term.Clean(h.Text))
	for i, l := range h.After {
		fmt.Fprintf(std.page, "%6d- %s\n", h.Line+1+i, term.Clean(l))
	}
}
