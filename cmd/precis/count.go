package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/transcript"
)

func countCommand(a *app) *cobra.Command {
	var text bool
	var name, format string
	c := &cobra.Command{
		Use: "count FILE", Short: "count the tokens of a conversation or a text",
		Long: `Count says how many tokens a conversation takes as a request, and what takes
them: system prompt, tools, messages by role, and the framing that each request
takes. Where the conversation names no model, it is that which compact assumes.
With --text the file is counted as plain text. "-" is standard input.`,
		Example: "  precis count session.jsonl\n  precis count --text README.md --model gpt-5.2", Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return count(c.Context(), a, args[0], name, format, text) },
	}
	c.Flags().BoolVar(&text, "text", false, "count the file as plain text")
	c.Flags().StringVarP(&name, "model", "m", "", "`name` of the model that counts (default: the conversation's own)")
	formatFlag(c, &format, "`name` of FILE's format, as for compact")
	a.completeModel(c)
	return c
}

// counts hold what count prints.
type counts struct {
	Tokens  int            `json:"tokens"`
	Model   string         `json:"model"`
	Counter string         `json:"counter"`
	Exact   bool           `json:"exact"`
	Assumed bool           `json:"assumed,omitempty"` // nobody named the model
	Framing int            `json:"framing,omitempty"` // what a request takes beside all else
	System  int            `json:"system,omitempty"`
	Tools   int            `json:"tools,omitempty"`
	Roles   map[string]int `json:"roles,omitempty"` // messages by role
	Number  int            `json:"messages,omitempty"`
	Window  int            `json:"window"`
	Soft    int            `json:"soft_threshold"`
}

func count(ctx context.Context, a *app, file, name, format string, text bool) error {
	data, err := load(ctx, a.streams, file)
	if err != nil {
		return err
	}
	var n counts
	if text {
		n, err = countText(a, string(data), name)
	} else {
		n, err = countConversation(a, data, filepath.Base(file), name, format)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.object(n)
	}
	printCounts(a.streams, n)
	return nil
}

// meterOf makes the counter of a model and notes what is to be known of it.
func meterOf(a *app, dialect string, names ...string) (counts, token.Meter, error) {
	m, err := a.choose(dialect, names...)
	if err != nil {
		return counts{}, token.Meter{}, err
	}
	meter, err := bpe.Meter(m.known)
	if err != nil {
		return counts{}, meter, fmt.Errorf("count for %s: %w", m.known.Name, err)
	}
	if text := m.caveat(); text != "" {
		a.note("%s", text)
	}
	return counts{
		Model: m.known.Name, Assumed: m.assumed, Counter: meter.Counter.Name(), Exact: meter.Exact(),
		Window: m.known.Window, Soft: m.known.SoftThreshold(),
	}, meter, nil
}

func countText(a *app, s, name string) (counts, error) {
	n, meter, err := meterOf(a, dialects()[0], name)
	if err == nil {
		n.Tokens = meter.Text(s)
	}
	return n, err
}

func countConversation(a *app, data []byte, source, name, format string) (counts, error) {
	if err := checkFormat(format); err != nil {
		return counts{}, err
	}
	t, err := transcript.Read(data, format)
	if err != nil {
		hint := "--text counts any file as plain text"
		if format != "auto" {
			hint = "leave --format out; " + hint
		}
		return counts{}, &failure{exitInput, fmt.Errorf("read %s: %s", source, why(err)), hint}
	}
	a.misread(source, data, format)
	n, meter, err := meterOf(a, dialect(t), name, t.Model)
	if err != nil {
		return n, err
	}
	n.System, n.Tools, n.Roles = meter.System(t.System), meter.Tools(declared(t.Tools)), map[string]int{}
	n.Framing = meter.Overhead.Request
	n.Tokens = n.Framing + n.System + n.Tools
	for _, m := range t.Messages {
		if m.Meta {
			continue
		}
		c := meter.Message(m)
		n.Number, n.Tokens = n.Number+1, n.Tokens+c
		n.Roles[string(recall.RoleOf(m))] += c
	}
	return n, nil
}

func declared(tools []codec.Tool) []token.Tool {
	out := make([]token.Tool, len(tools))
	for i, t := range tools {
		out[i] = token.Tool{Name: t.Name, Description: t.Description, Schema: t.Read()}
	}
	return out
}

func printCounts(std *streams, n counts) {
	about := "exact"
	if !n.Exact {
		about = "estimate with a margin"
	}
	fmt.Fprintf(std.page, "%s  %s\n", term.Count(n.Tokens, "token"), term.Faint("("+n.Counter+", "+about+")"))
	if n.Number == 0 {
		return
	}
	t := term.Table{Right: []bool{false, true, true}}
	row := func(name string, tokens int) {
		if tokens > 0 {
			t.Add(name, term.Comma(tokens), term.Percent(tokens, n.Tokens))
		}
	}
	row("system prompt", n.System)
	row("tools", n.Tools)
	for _, r := range []message.Role{message.System, message.User, message.Assistant, message.Tool} {
		row(string(r)+" messages", n.Roles[string(r)])
	}
	row("framing", n.Framing)
	fmt.Fprint(std.page, std.paper.Table(&t))
	fmt.Fprintf(std.page, "%s; the window holds %s, the default budget is %s\n",
		term.Count(n.Number, "message"), term.Comma(n.Window), term.Comma(n.Soft))
}
