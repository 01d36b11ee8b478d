//go:build unix

package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

// interpreter runs a command line in a process group of its own.
func interpreter(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// plainWord is a first word that the shell takes as it stands.
var plainWord = regexp.MustCompile(`^[\w./+-]+$`)

func checkShell(command string) error {
	parse := exec.Command("/bin/sh", "-n", "-c", command) //nolint:noctx // it reads a line
	if out, err := parse.CombinedOutput(); err != nil {
		return errors.New(excerpt(out))
	}
	words := strings.Fields(command)
	if len(words) == 0 || !plainWord.MatchString(words[0]) {
		return nil
	}
	find := exec.Command("/bin/sh", "-c", `command -v -- "$0" >/dev/null`, words[0]) //nolint:noctx // it looks a name up
	if find.Run() != nil {
		return fmt.Errorf("%q is not found", words[0])
	}
	return nil
}

// killTree kills the process's group.
func killTree(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// sweep kills what a command that has ended left in its group. The group keeps
// its number while anything is in it; if nothing is, nothing happens.
func sweep(p *os.Process) { _ = killTree(p) }
