//go:build unix

package hook

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// interpreter runs a command line in a process group of its own.
func interpreter(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
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
