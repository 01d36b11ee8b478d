package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
)

const handoverLong = `Handover writes what a session said of rules, files, commands, decisions and
errors, within a budget, for an agent that goes on without the session itself. It
needs no model, no key and no network. The session is kept, so that precis mcp
and precis grep read back every word of it; its file is only read.

With --hook it speaks to Claude Code: the JSON of a SessionStart hook comes on
standard input, and the text goes back as context. Whatever goes wrong, or takes
longer than two seconds, it says nothing, and the agent goes on as it would.`

// handoverTime is how long an agent waits for a handover.
const handoverTime = 2 * time.Second

// handover is one run of the command.
type handover struct {
	compaction
	hook bool
}

func handoverCommand(a *app) *cobra.Command {
	h := &handover{compaction: compaction{app: a}}
	h.format = "auto"
	cmd := &cobra.Command{
		Use: "handover [FILE]", Short: "write what a session said, for an agent that goes on without it",
		Long: handoverLong, Example: "  precis handover session.jsonl --budget 4k", Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case h.hook && len(args) == 0:
				if err := h.answer(cmd.Context()); err != nil {
					h.note("nothing is handed over: %v", err)
				}
				return nil
			case h.hook || len(args) == 0:
				return usage("name a session file, or say --hook where an agent calls", "want a FILE or --hook")
			}
			text, err := h.text(cmd.Context(), args[0])
			if err == nil {
				_, err = io.WriteString(h.out, text)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&h.budget, "budget", "b", "8k", "most `tokens` of the request that the text is made for; it takes less")
	f.BoolVar(&h.hook, "hook", false, "answer a hook of Claude Code")
	return cmd
}

// answer speaks to the hook of an agent.
func (h *handover) answer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, handoverTime)
	defer cancel()
	var asked struct {
		Event string `json:"hook_event_name"`
		File  string `json:"transcript_path"`
	}
	if err := json.NewDecoder(h.stdin).Decode(&asked); err != nil {
		return err
	}
	if asked.File == "" {
		return errors.New("the hook names no transcript")
	}
	text, err := h.text(ctx, asked.File)
	if err != nil || text == "" {
		return err
	}
	return writeObject(h.out, map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": asked.Event, "additionalContext": text}})
}

// text is the handover of a session, "" for one that is short enough to have none.
func (h *handover) text(ctx context.Context, file string) (_ string, err error) {
	if h.tokens, err = budgetFlag(h.budget); err != nil {
		return "", err
	}
	if h.chosen, err = setupNamed("balanced"); err != nil {
		return "", err
	}
	if err := h.read(file); err != nil {
		return "", err
	}
	if err := h.size(); err != nil {
		return "", err
	}
	if err := h.prepare(ctx); err != nil {
		return "", err
	}
	said := summaries(h.turn)
	if said == "" {
		return "", nil
	}
	return fmt.Sprintf("%s\n\nEvery message of this session is kept as it was said: precis_grep, precis_read and precis_describe read it, in thread %q.\n", said, h.turn.Key.Thread), nil
}

// summaries are the texts that stand in a prompt for whole messages of the log, and what
// the user said among them that stands there word for word; "" where nothing was left out.
func summaries(turn *precis.Turn) string {
	var said []string
	until := 0
	for i, o := range turn.Origins {
		if o.Record != nil {
			until = i + 1
		}
	}
	for i, m := range turn.Messages[:until] {
		heading := ""
		if turn.Origins[i].Record == nil {
			if m.Role != message.User {
				continue
			}
			heading = fmt.Sprintf("The user said, word for word (#%d):\n", turn.Origins[i].First+1)
		}
		for _, p := range m.Parts {
			if p.Kind == message.Text {
				said = append(said, heading+strings.TrimSpace(p.Text))
			}
		}
	}
	return strings.Join(said, "\n\n")
}
