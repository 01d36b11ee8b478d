package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/seed-3db51b0e/precis/event"
)

// Exit codes of a command that mean something.
const (
	exitGo   = 0 // go on; a verdict on standard output, or nothing
	exitVeto = 2 // veto; the reason is on standard error
)

// ExitError says that a command ended with a code that is no answer.
type ExitError struct {
	Code   int    // -1: ended by a signal
	Stderr string // its beginning
}

func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return fmt.Sprintf("exit code %d: %s", e.Code, e.Stderr)
}

// Shell runs a command line, /bin/sh -c or on Windows cmd /C, for each call. The
// payload is a line of JSON on standard input, never on the command line. Exit
// code 0 goes on, with the verdict on standard output if there is one; 2 vetoes
// with standard error as the reason; any other is an *ExitError.
//
// The environment and working directory are those of this process, and
// PRECIS_HOOK_EVENT is the event's name. What runs longer than the timeout
// (0: event.DefaultTimeout) is killed with its children: its process group, or
// its descendants on Windows. So are, but for Windows, children that keep the
// output open after the command itself has ended. One that is to live on
// redirects its output.
func Shell(command string, timeout time.Duration) event.Hooks {
	s := shell{command: command, timeout: orDefault(timeout)}
	return event.Hooks{Before: s.before, After: s.after, Timeout: s.timeout + margin}
}

// CheckShell names what keeps a command line of Shell from ever running: a syntax error, or
// a first word that no command has. It runs nothing of it, and finds nothing on Windows.
func CheckShell(command string) error { return checkShell(command) }

type shell struct {
	command string
	timeout time.Duration
}

func (s shell) before(ctx context.Context, p event.Payload) (event.Verdict, error) {
	out, err := s.run(ctx, p)
	if exit, ok := errors.AsType[*ExitError](err); ok && exit.Code == exitVeto {
		return event.Verdict{Veto: true, Reason: exit.Stderr}, nil
	}
	if err != nil {
		return event.Verdict{}, err
	}
	if out.over {
		return event.Verdict{}, fmt.Errorf("run hook: %w", ErrTooLong)
	}
	return verdict(out.kept)
}

func (s shell) after(ctx context.Context, p event.Payload) error {
	_, err := s.run(ctx, p)
	return err
}

// run runs the command once and returns its standard output.
func (s shell) run(ctx context.Context, p event.Payload) (*head, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("run hook: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, errs := &head{}, &head{}
	cmd := interpreter(ctx, s.command)
	cmd.Cancel = func() error { return killTree(cmd.Process) }
	cmd.WaitDelay = margin / 2 // then output that children keep open is let go
	cmd.Env = append(os.Environ(), "PRECIS_HOOK_EVENT="+string(p.Name))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(body, '\n')), out, errs
	err = cmd.Run()
	if err != nil && cmd.Process != nil {
		sweep(cmd.Process)
	}
	return out, failure(ctx, cmd, err, errs)
}

// failure returns the error of a command that ended badly, with what it said.
func failure(ctx context.Context, cmd *exec.Cmd, err error, stderr *head) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("run hook: %w", ctx.Err())
	case cmd.ProcessState == nil: // did not start
		return fmt.Errorf("run hook: %w", err)
	case errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.ExitCode() == exitGo:
		return nil
	case cmd.ProcessState.ExitCode() == exitGo: // said go, but its input or output failed
		return fmt.Errorf("run hook: %w", err)
	}
	return fmt.Errorf("run hook: %w", &ExitError{Code: cmd.ProcessState.ExitCode(), Stderr: excerpt(stderr.kept)})
}

// head keeps the beginning of what is written to it and takes the rest, so that
// a command that talks too much does not hang.
type head struct {
	kept []byte
	over bool
}

func (h *head) Write(b []byte) (int, error) {
	room := maxOutput - len(h.kept)
	if len(b) > room {
		h.over = true
		h.kept = append(h.kept, b[:room]...)
		return len(b), nil
	}
	h.kept = append(h.kept, b...)
	return len(b), nil
}
