// Command clients drives real clients of model providers through precis serve, against
// a scripted provider on this machine, and prints how each of them did.
//
// Use: make clients, or go run . -only pi,codex in this folder. Law: nothing leaves the
// machine but the installing of packages. Promise: what cannot be installed or started
// is a row that says why.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	only, write, cache, precis string
	notes                      int
	budget                     string
	keep                       bool
	offline                    bool
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "`names` of the clients to run, with commas (default: all)")
	flag.StringVar(&o.write, "write", "", "`file` whose table between the markers is replaced")
	flag.StringVar(&o.cache, "cache", "", "`folder` to install packages in (default: the user's cache)")
	flag.StringVar(&o.precis, "precis", "", "`program` to test (default: built from this repository)")
	flag.IntVar(&o.notes, "notes", 30, "`steps` of the task")
	flag.StringVar(&o.budget, "budget", "", "`tokens` of a request (default: by the client)")
	flag.BoolVar(&o.keep, "keep", false, "keep the folders of the runs")
	flag.BoolVar(&o.offline, "offline", false, "install nothing: clients that are not there are skipped")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		o.cache = filepath.Join(dir, "precis-clients")
	}
	if o.precis == "" {
		o.precis = filepath.Join(o.cache, "precis")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.precis, "./cmd/precis")
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build precis: %w: %s", err, out)
		}
	}
	fmt.Println(tableHead)
	var rows []row
	for _, c := range all() {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), c.name) {
			continue
		}
		began := time.Now()
		r := try(ctx, o, c)
		r.Seconds = time.Since(began).Seconds()
		fmt.Println(r.line())
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", c.name, r.Seconds)
		rows = append(rows, r)
	}
	if o.write != "" {
		if err := rewrite(o, rows); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r.failed() {
			return fmt.Errorf("%s: %s", r.Client, strings.Join(r.Faults, "; "))
		}
	}
	return ctx.Err()
}
