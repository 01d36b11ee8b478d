package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/internal/update"
)

const updateLong = `Update says whether a newer version of precis has been released. It asks only
with --check: one request to the feed of releases, which carries the version of
this program and nothing else. No other command asks. Nothing is installed: install
a new version the way you installed this one.`

func updateCommand(std *streams) *cobra.Command {
	var check bool
	var feed string
	c := &cobra.Command{
		Use: "update", Short: "say whether a newer version has been released", Long: updateLong, Args: arguments(0, 0),
		Example: "  precis update --check\n  precis update --check --json | jq .newer",
		RunE: func(c *cobra.Command, _ []string) error {
			if !check {
				return usage("precis update --check asks "+feed, "nothing was asked: precis goes to the network only when told")
			}
			return updateCheck(c.Context(), std, feed)
		},
	}
	c.Flags().BoolVar(&check, "check", false, "ask the feed")
	c.Flags().StringVar(&feed, "feed", update.Feed, "`URL` of the newest release, in the form of GitHub's releases/latest (default: this project's there)")
	c.Flags().Lookup("feed").DefValue = "" // it is longer than a line
	return c
}

// updateCheck asks the feed, and says how this program stands to what it answers.
func updateCheck(ctx context.Context, std *streams, feed string) error {
	have := version()
	newest, err := update.Latest(ctx, http.DefaultClient, feed, "precis/"+have)
	if err != nil {
		return fail("--feed names another place", "ask for the newest release: %w", err)
	}
	order := update.Compare(have, newest.Version)
	if std.json {
		return std.object(map[string]any{"version": have, "latest": newest.Version, "newer": order == update.Older, "page": newest.Page, "published": newest.Published})
	}
	says := map[update.Order]string{
		update.Unknown: "the newest release is " + newest.Version + "; this build has no version to compare (" + have + ")",
		update.Older:   newest.Version + " is newer than this one, " + have,
		update.Same:    "this is the newest release, " + newest.Version,
		update.Newer:   "this one, " + have + ", is newer than the newest release, " + newest.Version,
	}[order]
	if newest.Page != "" && order != update.Same {
		says += "\n" + newest.Page
	}
	_, err = fmt.Fprintln(std.page, term.Clean(strings.TrimSpace(says)))
	return err
}
