package hook

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// interpreter runs a command line as it is: cmd has rules of its own for quotes.
func interpreter(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + command + `"`, HideWindow: true}
	return cmd
}

// killTree kills the process and its descendants.
func killTree(p *os.Process) error {
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run(); err != nil {
		return p.Kill()
	}
	return nil
}

// sweep does nothing: the number of a process that has ended may be another's
// by now.
func sweep(*os.Process) {}

// checkShell finds nothing: cmd has no way to read a line without running it.
func checkShell(string) error { return nil }
