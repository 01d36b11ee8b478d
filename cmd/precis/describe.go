package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
)

func describeCommand(th *threads) *cobra.Command {
	return th.threadFlag(&cobra.Command{
		Use: "describe ID", Short: "say what a message, part, record or artifact is",
		Example: "  precis describe '#12'\n  precis describe r1c0ffee12345", Args: arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return th.reading(c.Context(), func(s store.Store) error { return describe(c.Context(), th, s, args[0]) })
		},
	})
}

func describe(ctx context.Context, th *threads, s store.Store, ref string) error {
	r, _, err := th.reader(ctx, s)
	if err != nil {
		return err
	}
	card, err := r.Describe(ctx, ref)
	if err != nil {
		return missing(err)
	}
	if th.json {
		return th.object(card)
	}
	fmt.Fprintf(th.page, "%s  %s\n", term.Strong(card.Ref), card.Kind)
	var t term.Table
	for _, f := range facts(card) {
		t.Add(term.Faint(f[0]), term.Line(f[1]))
	}
	fmt.Fprint(th.page, th.paper.Table(&t))
	if len(card.Parts) > 0 {
		fmt.Fprint(th.page, "\n"+th.paper.Table(partTable(card.Parts)))
	}
	if card.Now != "" {
		fmt.Fprintf(th.page, "\nIn its place now:\n%s\n", term.Clean(card.Now))
	}
	if card.Behind != "" {
		fmt.Fprintf(th.page, "\nWhat lies behind it:\n%s", term.Clean(card.Behind))
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
		add("messages", fmt.Sprintf("%s–%s", ref.Message(c.Number), ref.Message(c.To)))
	case c.Kind == "record" || c.Kind == "artifact":
		add("message", ref.Message(c.Number).String())
	}
	if c.ToTurn > 0 {
		add("turns", fmt.Sprintf("%d–%d", c.Turn, c.ToTurn))
	} else {
		add("turn", strconv.Itoa(c.Turn))
	}
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
		add("tokens", term.Comma(c.Tokens))
	}
	if c.Bytes > 0 {
		add("size", fmt.Sprintf("%s in %s", term.Count(c.Bytes, "byte"), term.Count(c.Lines, "line")))
	}
	add("in prompt", c.State)
	add("records", strings.Join(c.Records, " "))
	add("artifact", c.Artifact)
	add("path", c.Path)
	if !c.Created.IsZero() {
		add("made", term.Stamp(c.Created))
	}
	if !c.Expires.IsZero() {
		add("expires", term.Stamp(c.Expires))
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
	return term.Count(n, "token")
}

func partTable(parts []recall.Description) *term.Table {
	t := term.Table{Right: []bool{false, false, false, true}}
	t.Add("part", "type", "tool", "bytes", "now", "begins")
	for _, p := range parts {
		t.Add(p.Ref, term.Line(p.Type), term.Line(p.Tool), term.Comma(p.Bytes), p.State, term.Line(p.First))
	}
	return &t
}
