package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/handover"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/transcript"
)

const handoverLong = `Handover writes what a session said of rules, files, commands, decisions and
errors, within a budget, for an agent that goes on without the session itself. It
needs no model, no key and no network. The session is kept, so that precis mcp
and precis grep read back every word of it; its file is only read.

FILE is a session, as precis compact takes it; --session finds one of Claude Code
by its id. What the user said stands word for word; where the budget has no room for
it, the text says which messages are cut or left out. The newest messages of others
are not written, unless the agent keeps none of them (--whole), or those before the
first that it keeps (--kept).

With --hook it speaks to Claude Code: the JSON of a SessionStart hook comes on
standard input, and the text goes back as context. Whatever goes wrong, or takes
longer than two seconds, it says nothing, and the agent goes on as it would.`

// handoverTime is how long a hook may take; an agent waits for two seconds.
var handoverTime = 1800 * time.Millisecond

// handoverRun is one run of the command.
type handoverRun struct {
	compaction
	session, kept       string
	hook, whole, before bool
}

func handoverCommand(a *app) *cobra.Command {
	h := &handoverRun{compaction: compaction{app: a}}
	cmd := &cobra.Command{
		Use: "handover [FILE]", Short: "write what a session said, for an agent that goes on without it",
		Long: handoverLong, Example: "  precis handover session.jsonl --budget 4k", Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return h.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	budgetVar(f, &h.budget, "maximum `tokens` of the request that the text is made for; it takes less (default 8k; with --whole a third of the session, at most 24k)")
	f.BoolVar(&h.hook, "hook", false, "answer a hook of Claude Code")
	f.StringVar(&h.session, "session", "", "`id` of a session of Claude Code, in place of FILE")
	f.BoolVar(&h.whole, "whole", false, "write the newest messages, too")
	f.StringVar(&h.kept, "kept", "", "`id` of the first message that the agent keeps itself: what is before it is written")
	f.BoolVar(&h.before, "before", false, "print instead, for Claude Code's plugin, the messages from before its last compaction by precis")
	formatFlag(cmd, &h.format, "`name` of FILE's format, as for compact")
	exclusive(cmd, "whole", "kept", "hook", "before")
	exclusive(cmd, "session", "hook")
	return cmd
}

func (h *handoverRun) run(ctx context.Context, args []string) error {
	if err := checkFormat(h.format); err != nil {
		return err
	}
	switch {
	case h.hook && len(args) == 0:
		if err := h.answer(ctx); err != nil {
			h.note("nothing is handed over: %v", err)
		}
		return nil
	case h.session != "" && len(args) == 0:
		file, err := sessionOf(h.session)
		if err != nil {
			return err
		}
		args = []string{file}
	case h.hook || h.session != "" || len(args) == 0:
		return usage("name a session file or --session ID, or say --hook where an agent calls", "want one of FILE, --session and --hook")
	}
	if h.before {
		return h.messages(ctx, args[0])
	}
	text, err := h.text(ctx, args[0])
	if err == nil && text == "" {
		h.note("nothing is handed over: the session fits into %s as it is", term.Count(h.turn.Budget, "token"))
	}
	switch {
	case err != nil:
		return err
	case h.json:
		return h.object(map[string]string{"thread": h.turn.Key.Thread, "text": text})
	}
	_, err = io.WriteString(h.out, text)
	return err
}

// sessionOf finds the file of a session of Claude Code.
func sessionOf(id string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fail("", "find home folder: %w", err)
	}
	for _, p := range discover.Places(discover.Env{Home: home, GOOS: runtime.GOOS, Getenv: os.Getenv}) {
		if p.Agent != transcript.ClaudeCode || id != filepath.Base(id) {
			continue
		}
		folders, err := os.ReadDir(p.Dir)
		if err != nil {
			continue // there are none
		}
		for _, f := range folders {
			file := filepath.Join(p.Dir, f.Name(), id+".jsonl")
			if _, err := os.Stat(file); err == nil {
				return file, nil
			}
		}
	}
	return "", fail("precis discover lists those of this machine", "find session %q of Claude Code: there is none", id)
}

// messages prints what a session held before its last compaction.
func (h *handoverRun) messages(ctx context.Context, file string) error {
	data, err := load(ctx, h.streams, file)
	if err != nil {
		return err
	}
	ms, err := handover.Before(data)
	if err != nil {
		return fail("", "read %s: %w", filepath.Base(file), err)
	}
	return json.NewEncoder(h.out).Encode(ms)
}

// hooked is what the hook of an agent is answered: nothing where the text is "".
type hooked struct{ event, text string }

// answer speaks to the hook of an agent.
func (h *handoverRun) answer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, handoverTime)
	defer cancel()
	said, err := inTime(ctx, h.asked)
	if err != nil || said.text == "" {
		return err
	}
	return writeObject(h.out, map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": said.event, "additionalContext": said.text}})
}

// asked reads what a hook asks, and makes the answer.
func (h *handoverRun) asked(ctx context.Context) (said hooked, err error) {
	var asked struct {
		Event  string `json:"hook_event_name"`
		Source string `json:"source"` // why the session starts
		File   string `json:"transcript_path"`
	}
	if err := json.NewDecoder(h.stdin).Decode(&asked); err != nil {
		return said, err
	}
	switch {
	case asked.File == "":
		return said, errors.New("the hook names no transcript")
	case asked.Source != "" && asked.Source != "compact":
		return said, fmt.Errorf("the session starts by %s, not after a compaction", asked.Source)
	}
	said.event = asked.Event
	said.text, err = h.text(ctx, asked.File)
	return said, err
}

// text is the handover of a session, "" for one that is short enough to have none. What a
// request has around the conversation is the agent's own.
func (h *handoverRun) text(ctx context.Context, file string) (_ string, err error) {
	if h.chosen, err = setupNamed("balanced"); err != nil {
		return "", err
	}
	if err := h.read(ctx, file); err != nil {
		return "", err
	}
	kept, ok := h.place(h.kept)
	if !ok {
		return "", fail("", "read %s: no entry has the id %q", filepath.Base(file), h.kept)
	}
	h.input.System, h.input.Tools = nil, nil
	if h.tokens, err = h.room(); err != nil {
		return "", err
	}
	if err := h.size(); err != nil {
		return "", err
	}
	n := handover.Newest{Whole: h.whole, Kept: kept, Budget: h.tokens, Count: h.meter.Text}
	h.tokens -= handover.Reserve(h.input.Messages, h.tokens, h.meter.Text)
	if err := h.prepare(ctx); err != nil {
		return "", err
	}
	if h.hook {
		n.Most = hookMost
	}
	text := handover.Text(h.turn, n)
	if took := h.meter.Text(text); h.budget != "" && took > n.Budget {
		h.note("the text takes %s: what it says of itself has no room in %s", term.Count(took, "token"), term.Comma(n.Budget))
	}
	return text, nil
}

// hookMost bounds in bytes the text of a hook: of a longer one Claude Code shows the model
// the first two thousand.
const hookMost = 10_000

// room is the budget that was asked for, or the one that suits: a text that stands for all
// of a session is larger, and never more than a third of it, at four bytes a token. The
// hook of a Claude Code whose plugins make its compactions adds no plan to theirs.
func (h *handoverRun) room() (int, error) {
	const least, hooked, most, all = 4_000, 4_500, 8_000, 24_000
	whole := h.whole || h.hook && pluginCompacts(h.data)
	switch {
	case h.budget != "":
		return budgetFlag(h.budget)
	case h.hook && !whole:
		return hooked, nil
	case !whole:
		return most, nil
	}
	size := 0
	for _, m := range h.input.Messages {
		for _, p := range m.Parts {
			size += len(p.Body())
		}
	}
	return min(max(size/4/3, least), all), nil
}

// pluginCompacts reports whether the Claude Code that wrote a session lets plugins make
// its compactions.
func pluginCompacts(session []byte) bool {
	const member = `"version":`
	at := bytes.LastIndex(session, []byte(member))
	if at < 0 {
		return false
	}
	line, _, _ := bytes.Cut(session[at+len(member):], []byte("\n"))
	var v [3]int
	_, err := fmt.Sscanf(strings.TrimLeft(string(line), ` "`), "%d.%d.%d", &v[0], &v[1], &v[2])
	return err == nil && slices.Compare(v[:], []int{2, 1, 287}) >= 0
}

// place returns the position in the log of the message with an id of the agent's, or of
// the first behind an entry with that id that is no message; 0 for no id. It reports
// whether there is such an entry.
func (h *handoverRun) place(id string) (int, bool) {
	if id == "" {
		return 0, true
	}
	named := func(raw []byte) bool {
		var r struct{ ID, UUID string }
		return json.Unmarshal(raw, &r) == nil && (r.ID == id || r.UUID == id)
	}
	for i := range h.input.Messages {
		if named(h.input.Messages[i].Raw) {
			return i, true
		}
	}
	no := 0
	for line := range bytes.Lines(h.data) {
		if no++; !named(line) {
			continue
		}
		at := slices.IndexFunc(h.input.Sources, func(s transcript.Source) bool { return s.Line > no })
		if at < 0 {
			at = len(h.input.Sources)
		}
		return at, true
	}
	return 0, false
}
