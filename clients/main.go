// Command clients drives real clients of model providers through precis serve, against
// a scripted provider on this machine, and prints how each of them did.
//
// Use: make clients, or go run . -only pi,codex in this folder. Law: nothing leaves the
// machine but the installing of packages. Promise: what cannot be installed or started
// is a row that says why.
package main

import (
	"context"
	"errors"
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
	scenario                   string
	notes                      int
	budget                     string
	keep                       bool
	offline                    bool
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "`names` of the clients to run, with commas (default: all)")
	flag.StringVar(&o.scenario, "scenario", "", "`task` or refusals (default: both)")
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
	tables := []*table{
		{name: "task", marks: "clients", head: taskHead, try: func(c client) (string, []string) { r := try(ctx, o, c); return r.line(), r.Faults }},
		{name: "refusals", marks: "refusals", head: refusedHead, try: func(c client) (string, []string) { r := tryRefusals(ctx, o, c); return r.line(), r.Faults }},
	}
	var faults []error
	for _, t := range tables {
		if o.scenario == "" || o.scenario == t.name {
			faults = append(faults, t.fill(o))
		}
	}
	if o.write != "" {
		faults = append(faults, write(o.write, tables))
	}
	return errors.Join(append(faults, ctx.Err())...)
}

// table is a scenario, and what each client made of it.
type table struct {
	name, marks, head string
	try               func(client) (line string, faults []string)
	lines             map[string]string // by client
}

// fill runs the clients that were chosen through the scenario.
func (t *table) fill(o options) error {
	fmt.Println(t.head)
	t.lines = map[string]string{}
	var failed []error
	for _, c := range all() {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), c.name) {
			continue
		}
		began := time.Now()
		line, faults := t.try(c)
		fmt.Println(line)
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", c.name, time.Since(began).Seconds())
		t.lines[c.name] = line
		if len(faults) > 0 {
			failed = append(failed, fmt.Errorf("%s, %s: %s", t.name, c.name, strings.Join(faults, "; ")))
		}
	}
	fmt.Println()
	return errors.Join(failed...)
}

// write puts the tables into a page.
func write(path string, tables []*table) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page := string(b)
	for _, t := range tables {
		if page, err = rewrite(page, t.marks, t.head, t.lines); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return os.WriteFile(path, []byte(page), 0o644)
}
