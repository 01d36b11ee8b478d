package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

func findCommand(th *threads) *cobra.Command {
	topic := recall.Topic{Lost: true}
	c := &cobra.Command{
		Use: "find WORDS...", Short: "find what was said about something, best first",
		Long: `Find prints the messages that are about some words, names or paths, best first,
as the model's tool shows them: the call that a result answers, the lines that
say most of the words, what the agent said of it, and whether a file changed
since. What left the prompt comes before what stands in it.`,
		Example: "  precis find why the cache test failed\n  precis find --limit 3 UserID retries",
		Args:    counted(1, math.MaxInt), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			if err := atLeast("limit", topic.Limit, 1); err != nil {
				return err
			}
			topic.Text = strings.Join(args, " ")
			return th.reading(c.Context(), func(s store.Store) error {
				r, _, err := th.reader(c.Context(), s)
				if err != nil {
					return err
				}
				return find(c, th.streams, r, topic)
			})
		},
	}
	c.Flags().IntVar(&topic.Limit, "limit", 10, "maximum `messages` found that are shown")
	return th.threadFlag(c)
}

// find prints what a search by words finds.
func find(c *cobra.Command, std *streams, r *recall.Reader, t recall.Topic) error {
	found, text, err := r.Listing(c.Context(), t)
	switch {
	case errors.Is(err, recall.ErrMiss):
		return fail("try other words; --thread searches another thread", "%w", err)
	case err != nil:
		return err
	case std.json:
		return std.object(found)
	}
	for line := range strings.Lines(text) {
		fmt.Fprintln(std.page, term.Clean(strings.TrimSuffix(line, "\n")))
	}
	if more := found.Total - len(found.Hits); more > 0 {
		std.note("%s more with words of it: --limit shows more", term.Count(more, "message"))
	}
	return nil
}
