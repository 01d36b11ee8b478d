package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/transcript"
)

// load reads a file, or standard input for "-". Either may be a pipe that nothing comes from.
func load(ctx context.Context, std *streams, file string) ([]byte, error) {
	return inTime(ctx, func(ctx context.Context) ([]byte, error) {
		if file == "-" {
			return loadInput(std)
		}
		return loadFile(ctx, file)
	})
}

func loadFile(ctx context.Context, file string) ([]byte, error) {
	data, err := discover.Load(ctx, file)
	hint := "name a session file or a request body; - is standard input"
	switch {
	case errors.Is(err, discover.ErrChoice):
		hint = "name the file of one session; precis discover tells of those of this machine"
	case errors.Is(err, io.ErrUnexpectedEOF):
		hint = "the file may be cut short"
	case err == nil && bytes.HasPrefix(data, []byte("SQLite format 3\x00")):
		err = fmt.Errorf("%s is a database, not a session", file)
		hint = "precis thread list --db FILE shows the conversations of one that precis made, precis thread export --db FILE prints one"
	}
	if err != nil {
		return nil, &failure{exitInput, fmt.Errorf("read input: %w", err), hint}
	}
	return data, nil
}

func loadInput(std *streams) ([]byte, error) {
	if terminal(std.stdin) {
		std.note("reading standard input; end it with Ctrl-D")
	}
	data, err := io.ReadAll(std.stdin)
	if err == nil {
		data, err = discover.Unpacked(data)
	}
	if err != nil {
		hint := ""
		if errors.Is(err, io.ErrUnexpectedEOF) {
			hint = "the input may be cut short"
		}
		return nil, &failure{exitInput, fmt.Errorf("read standard input: %w", err), hint}
	}
	return data, nil
}

// readConversation reads a file in a format, and returns its bytes, too.
func readConversation(ctx context.Context, std *streams, file, format string) (*transcript.Transcript, []byte, error) {
	data, err := load(ctx, std, file)
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Base(file)
	t, err := transcript.Read(data, format)
	if err != nil {
		return nil, nil, &failure{exitInput, fmt.Errorf("read %s: %s", name, why(err)), inputHint(err, format)}
	}
	std.misread(name, data, format)
	return t, data, nil
}

// why says what is wrong with an input, without saying again that it was read.
func why(err error) string { return strings.TrimPrefix(err.Error(), "read transcript: ") }

// inputHint is the advice for an input that was read in a format, "auto" for the one that
// it seems to have.
func inputHint(err error, format string) string {
	var cut *json.SyntaxError // past its first byte: what comes before it is JSON
	switch {
	case errors.Is(err, transcript.ErrMany):
		return "take one of them: head -n 1 FILE | precis compact -"
	case errors.As(err, &cut) && cut.Offset > 1:
		return "the file may be cut short"
	case errors.Is(err, transcript.ErrFormat):
		return "say what it is with --format: " + strings.Join(transcript.Formats(), ", ")
	case format != "auto":
		return "leave --format out: what a file is, it says itself"
	case errors.Is(err, transcript.ErrNoMessages):
		return "give a session file, a request body, or messages one a line"
	}
	return "the file may be cut short or of another format: see --format"
}

// misread notes that a file which was read as --format says is of another by its content.
func (std *streams) misread(file string, data []byte, format string) {
	if is := transcript.Contradicts(data, format); is != "" {
		std.note("%s was read as %s, as --format says; by its content it is %s: leave --format out", file, format, is)
	}
}

// threadKey is the session's id, or, for input that has none, twelve digits of
// the chain up to the first user message: a file that grows keeps its key.
func threadKey(t *transcript.Transcript) string {
	if t.Session != "" {
		return t.Session
	}
	upto := 1
	for i, m := range t.Messages {
		if m.Role == message.User {
			upto = i + 1
			break
		}
	}
	es := thread.Extend("", t.Messages[:upto])
	return string(es[upto-1].ID)[:12]
}
