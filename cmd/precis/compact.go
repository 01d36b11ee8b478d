package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/proxy/native"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

const compactLong = `Compact reads a conversation and writes the request to send in its place, no
larger than the budget. Standard output is that request and nothing else, or
--out names a file for it; a report of what was taken out, why, and how to get it
back goes to standard error.

FILE is a session of Claude Code, Codex, pi, opencode or gemini-cli, a request
body of the Anthropic, OpenAI Chat, OpenAI Responses or Gemini API, or messages
one a line, each plain or packed by gzip; "-" is standard input. A session of
opencode is an export, its folder of messages, or a database: opencode.db#SESSION.
The format is found by content; the names of --format are claude-code, codex, pi,
opencode, gemini-cli, openai, responses, anthropic, gemini and jsonl.

The conversation and the plan are kept in a database. Running again on the same
conversation, longer by now, continues its thread: the plan stays as it is while
the request fits, so that provider caches stay warm, and is extended when it
does not. A request within the budget comes out as it came in, byte for byte,
unless its --policy compacts earlier.

The budget is the size of the whole request in tokens, system prompt and tools
included; by default 85 % of what the model's window leaves beside the reply. A
session file does not hold system prompt and tools: leave room for them. As no turn
is known to follow, balanced and policies like it fill the budget the first time, so
that the next turn compacts again; then, and in a proxy or a loop, they go down to
what precis policy show says.

--pin keeps messages word for word from now on. A selector is a message's
number (#12), an entry id or the beginning of one, a role (role:user), or a
regular expression between slashes (/never|always/).`

const compactExample = `  precis compact session.jsonl --budget 32k --out request.json
  precis compact session.jsonl --budget 32k --to openai --model gpt-5.2
  curl … | precis compact - --json | jq '.tokens, .request'
  precis compact chat.json --pin '#3' --pin 'role:user' --pin '/must not/'`

func compactCommand(a *app) *cobra.Command {
	c := &compaction{app: a}
	var detail float64
	cmd := &cobra.Command{
		Use: "compact FILE", Short: "write the request that fits, and report what was taken out",
		Long: compactLong, Example: compactExample, Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("detail") {
				c.detail = &detail
			}
			return c.run(cmd.Context(), args[0])
		},
	}
	f := cmd.Flags()
	budgetVar(f, &c.budget, "maximum `tokens` of the request: 32000, 32k, 0.5m")
	f.StringVarP(&c.model, "model", "m", "", "`name` of the model (default: the conversation's own)")
	policyFlag(f, &c.policy)
	f.Float64Var(&detail, "detail", 0, "`share` of the budget, from 0 to 1, for the agent's own newest words and calls in whole blocks (default: the policy's)")
	completePolicy(cmd)
	formatFlag(cmd, &c.format, "`name` of FILE's format")
	f.StringVar(&c.to, "to", "", "`provider`: "+strings.Join(dialects(), ", ")+" (default: the input's)")
	f.StringVar(&a.thread, "thread", "", "`key` of the thread (default: the session's id)")
	f.StringArrayVar(&c.pins, "pin", nil, "messages to keep word for word, by a `selector` (repeatable)")
	f.StringVarP(&c.outFile, "out", "o", "", "write the request to a `file`, not to standard output")
	f.StringVar(&c.reportFile, "report", "", "write the report to a `file` (JSON if it ends in .json)")
	c.extras.flags(f)
	complete(cmd, "to", dialects())
	a.completeModel(cmd)
	_ = cmd.RegisterFlagCompletionFunc("thread", flagOf(a.threadKeys)) // declared before
	return cmd
}

func (c *compaction) run(ctx context.Context, file string) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := refuseOverwrite(file, target{"out", c.outFile}, target{"report", c.reportFile}, target{"events", c.events}); err != nil {
		return err
	}
	c.progress("reading " + term.Cut(filepath.Base(file), c.notes.Columns-10))
	defer c.progress("")
	if err := c.read(ctx, file); err != nil {
		return err
	}
	if err := c.size(); err != nil {
		return err
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	c.progress("")
	return c.write()
}

// check refuses flags before anything is read.
func (c *compaction) check() (err error) {
	if terminal(c.out.w) && c.outFile == "" && !c.json {
		return usage("redirect it with > request.json, or name a file with --out FILE", "write request: standard output is a terminal")
	}
	if c.chosen, err = setupNamed(c.policy); err != nil {
		return err
	}
	if c.detail != nil {
		c.chosen.Detail = *c.detail
		if err := c.chosen.Validate(); err != nil {
			return usage("precis compact --help explains it", "read --detail: %w", err)
		}
		if !c.chosen.Economy {
			return usage("take balanced, or a policy that extends it", "read --detail: policy %s does not read it", c.chosen.Name)
		}
	}
	if err := checkFormat(c.format); err != nil {
		return err
	}
	if c.to != "" && !slices.Contains(dialects(), c.to) {
		return usage("there are "+strings.Join(dialects(), ", "), "read --to: unknown provider %q", c.to)
	}
	if c.budget != "" {
		c.tokens, err = budgetFlag(c.budget)
	}
	return err
}

func (c *compaction) read(ctx context.Context, file string) (err error) {
	c.source = filepath.Base(file)
	c.input, c.data, err = readConversation(ctx, c.streams, file, c.format)
	return err
}

// size settles model, meter and budget.
func (c *compaction) size() (err error) {
	c.target = cmp.Or(c.to, dialect(c.input))
	if c.named, err = c.choose(c.target, c.model, c.input.Model); err != nil {
		return err
	}
	if c.tokens == 0 {
		c.tokens = c.chosen.Budget(c.known)
	}
	if c.meter, err = bpe.Meter(c.known); err != nil {
		return fmt.Errorf("count for %s: %w", c.known.Name, err)
	}
	return nil
}

func (c *compaction) prepare(ctx context.Context) error {
	pins, err := selectPins(c.pins, c.input.Messages)
	if err != nil {
		return err
	}
	s, err := c.writable(ctx)
	if err != nil {
		return err
	}
	c.asked = c.thread
	if c.asked == "" {
		c.asked = threadKey(c.input)
	}
	in := precis.Input{
		Thread: c.asked, Messages: c.input.Messages, Model: c.known, Meter: c.meter, System: c.input.System,
		Tools: c.input.Tools, Budget: c.tokens, Pins: pins,
		Mode:   precis.Mode{FinalTurn: true, CloseOpenCalls: true},
		Client: precis.Client{Source: c.input.Format, CallsApart: c.target == responses.Name, UserLeads: c.target == anthropic.Name || c.target == gemini.Name},
	}
	if c.input.Request != nil {
		in.Mode.NoCompact = c.input.Request.State != ""
		in.Pins = append(in.Pins, native.Pins(in.Messages)...)
		in.Client.Envelope = c.input.Request.SpacedEnvelope()
		in.Client.ThinkingLeads, in.Client.ThinkingStays = c.input.Request.ThinkingLeads, c.input.Request.ThinkingStays
	}
	c.progress(fmt.Sprintf("compacting %s", term.Count(len(in.Messages), "message")))
	c.turn, err = c.engine(ctx, s, in)
	if err != nil && c.namedDB() == "" && unusable(err) {
		_ = s.Close() // it is given up
		if s, err = c.temporaryStore(ctx, err); err != nil {
			return err
		}
		c.turn, err = c.engine(ctx, s, in)
	}
	if err == nil {
		c.fitReader()
		c.report = report.Of(c.turn)
		c.flags, err = c.flagsFor(ctx, s)
	}
	return errors.Join(err, s.Close())
}

// fitReader leaves out of the prompt what tells a model to call the recall tools, where
// nothing says that it has any.
func (c *compaction) fitReader() {
	for _, t := range c.input.Tools {
		if rehydrate.Explicit(t.Name) {
			return
		}
	}
	for i := range c.input.Messages {
		for _, p := range c.input.Messages[i].Parts {
			if p.Kind == message.Call && rehydrate.Explicit(p.Name) {
				return
			}
		}
	}
	var fewer int
	c.turn.Messages, fewer = c.turn.WithoutRecall(c.chosen.Recall)
	c.turn.Compacted -= fewer
}

// flagsFor are the flags that lead a later command to this run's thread: the
// database, if it is not the default one, and the thread, if it is not the one
// that commands take by default.
func (c *compaction) flagsFor(ctx context.Context, s store.Store) (string, error) {
	flags := c.database.flags(databaseFlags)
	heads, err := s.Heads(ctx, c.whose)
	if h, ok := lastThread(heads, c.whose != ""); err != nil || !ok || h.Key == c.turn.Key {
		return flags, err
	}
	return flags + " --thread " + term.Quote(short(c.turn.Key.Thread, heads)), nil
}

// short is the beginning of a thread's key that no other begins with.
func short(key string, heads []store.Head) string {
	const least = 8
	if len(key) <= least {
		return key
	}
	for _, h := range heads {
		if h.Key.Thread != key && strings.HasPrefix(h.Key.Thread, key[:least]) {
			return key
		}
	}
	return key[:least]
}

func (c *compaction) engine(ctx context.Context, s store.Store, in precis.Input) (turn *precis.Turn, err error) {
	o := precis.Options{Store: s, Tenant: c.whose}
	c.extras.follow(c.chosen, &o)
	defer func() { err = errors.Join(err, c.extras.close()) }()
	if err := c.extras.apply(&o); err != nil {
		return nil, err
	}
	e, err := precis.New(o)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Prepare(ctx, in)
}

// write puts the request on standard output and the report on standard error,
// or where the flags want them.
func (c *compaction) write() (err error) {
	if c.request, err = c.encode(); err != nil {
		return fmt.Errorf("encode request for %s: %w", c.target, err)
	}
	if c.reportFile != "" {
		if err := c.writeReport(); err != nil {
			return err
		}
	}
	if c.outFile != "" {
		if err := writeWhole(c.outFile, c.request); err != nil {
			return fail("choose another file with --out", "write request: %w", err)
		}
	}
	if c.json {
		return c.object(c.result())
	}
	if c.outFile == "" {
		if _, err := c.out.Write(c.request); err != nil {
			return fmt.Errorf("write request: %w", err)
		}
	}
	if c.reportFile == "" {
		fmt.Fprint(c.stderr, c.text(c.notes.Columns))
	}
	return nil
}

func (c *compaction) writeReport() error {
	var b bytes.Buffer
	if strings.HasSuffix(c.reportFile, ".json") {
		if err := writeObject(&b, c.details()); err != nil {
			return err
		}
	} else {
		b.WriteString(term.Plain(c.text(term.Columns)))
	}
	if err := writeWhole(c.reportFile, b.Bytes()); err != nil {
		return fail("choose another file with --report", "write report: %w", err)
	}
	return nil
}
