package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

func (a *app) describeCommand() *cobra.Command {
	return a.threadFlag(&cobra.Command{
		Use: "describe ID", Short: "say what a message, part, record or artifact is",
		Example: "  precis describe '#12'\n  precis describe r1c0ffee12345", Args: want(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(s store.Store) error { return a.describe(c.Context(), s, args[0]) })
		},
	})
}

func (a *app) describe(ctx context.Context, s store.Store, ref string) error {
	r, _, err := a.reader(ctx, s)
	if err != nil {
		return err
	}
	card, err := r.Describe(ctx, ref)
	if err != nil {
		return missing(err)
	}
	if a.json {
		return a.object(card)
	}
	fmt.Fprintf(a.page, "%s  %s\n", strong(card.Ref), card.Kind)
	var t table
	for _, f := range facts(card) {
		t.add(faint(f[0]), line(f[1], width))
	}
	fmt.Fprint(a.page, t.String())
	if len(card.Parts) > 0 {
		fmt.Fprint(a.page, "\n"+partTable(card.Parts))
	}
	if card.Now != "" {
		fmt.Fprintf(a.page, "\nIn its place now:\n%s\n", clean(card.Now))
	}
	return nil
}

// facts are the fields of a card that say something, with their names.
func facts(c recall.Description) [][2]string {
	var out [][2]string
	add := func(name, value string) {
		if value != "" && value != "0" {
			out = append(out, [2]string{name, value})
		}
	}
	if c.Kind != c.Ref && c.ID != c.Ref {
		add("id", c.ID)
	}
	switch {
	case c.To > c.Number:
		add("messages", fmt.Sprintf("#%d–#%d", c.Number, c.To))
	case c.Kind == "record" || c.Kind == "artifact":
		add("message", "#"+strconv.Itoa(c.Number))
	}
	add("turn", strconv.Itoa(c.Turn))
	add("role", string(c.Role))
	add("type", c.Type)
	add("tool", c.Tool)
	add("call", c.CallID)
	if c.Failed {
		add("outcome", "failed")
	}
	add("action", c.Action)
	add("why", c.Reason)
	add("frees", tokensOf(c.Saves))
	if c.Kind == "record" {
		add("plan", strconv.Itoa(c.Version))
		add("now", tokensOf(c.Tokens))
	} else {
		add("tokens", commas(c.Tokens))
	}
	if c.Bytes > 0 {
		add("size", fmt.Sprintf("%s in %s", many(c.Bytes, "byte"), many(c.Lines, "line")))
	}
	add("in prompt", c.State)
	add("records", strings.Join(c.Records, " "))
	add("artifact", c.Artifact)
	if !c.Created.IsZero() {
		add("made", stamp(c.Created))
	}
	if !c.Expires.IsZero() {
		add("expires", stamp(c.Expires))
	}
	add("access", c.Sensitivity)
	add("other raw forms", strconv.Itoa(c.Variants))
	add("begins", c.First)
	return out
}

func tokensOf(n int) string {
	if n == 0 {
		return ""
	}
	return many(n, "token")
}

func partTable(parts []recall.Description) string {
	t := table{right: []bool{false, false, false, true}}
	t.add("part", "type", "tool", "bytes", "now", "begins")
	for _, p := range parts {
		t.add(p.Ref, p.Type, p.Tool, commas(p.Bytes), p.State, line(p.First, width))
	}
	return t.String()
}
