// Command precis compacts recorded conversations of language-model agents.
//
// Use: precis compact session.jsonl --budget 32k. Law: standard output is the
// result and nothing else; what is for people goes to standard error. Promise:
// the exit code says how it went (see precis --help), and all that leaves a
// prompt stays readable with precis read, grep and expand.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
