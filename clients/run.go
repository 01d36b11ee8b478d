package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/clients/provider"
)

// longest is the time that one command of a client may take.
const longest = 4 * time.Minute

// row is the result of one client.
type row struct {
	Client, Version, API string
	Budget               string
	Skipped              string // why it did not run, "" if it did
	Requests, Plans      int
	Breaks               int // prompts that do not begin with the one before
	Largest              int // tokens of the largest prompt
	Facts                []string
	Compaction           string
	Killed               string
	LookUps              int
	Marks                marks
	Faults               []string
}

// begin installs a client and makes a lab for it. skipped says why it cannot run.
func begin(ctx context.Context, o options, c client) (l *lab, done func(), skipped string) {
	if err := install(ctx, o, c); err != nil {
		return nil, nil, err.Error()
	}
	dir, err := os.MkdirTemp("", "precis-client-")
	if err != nil {
		return nil, nil, err.Error()
	}
	done = func() { _ = os.RemoveAll(dir) }
	if o.keep {
		fmt.Fprintln(os.Stderr, c.name, "in", dir)
		done = func() {}
	}
	l = &lab{client: c, precis: o.precis, packages: o.cache, dir: dir, notes: o.notes, budget: o.budget}
	if l.budget == "" {
		l.budget = c.budget
	}
	return l, done, ""
}

// try runs a client through the task.
func try(ctx context.Context, o options, c client) row {
	r := row{Client: c.name, API: c.api}
	l, done, skipped := begin(ctx, o, c)
	if skipped != "" {
		r.Skipped = skipped
		return r
	}
	defer done()
	r.Version, r.Budget = version(o, c), l.budget
	if err := l.play(ctx, &r); err != nil {
		r.Faults = append(r.Faults, err.Error())
	}
	return r
}

// play is what every client goes through: a task whose prompts outgrow the budget, with
// the proxy killed in its middle; a question in the same conversation; and, where the
// client compacts itself, another one behind that.
func (l *lab) play(ctx context.Context, r *row) error {
	closeAll, err := l.open(ctx, provider.Script{Notes: l.notes, Facts: facts, LookUps: 6})
	if err != nil {
		return err
	}
	defer closeAll()
	env, err := l.client.setup(l)
	if err != nil {
		return err
	}
	killed := make(chan error, 1)
	killing, giveUp := context.WithCancel(ctx)
	var killer sync.WaitGroup
	killer.Go(func() { killed <- l.kill(ctx, killing, l.notes/2) })
	defer killer.Wait() // or it would start a proxy when all is closed
	defer giveUp()
	first := fmt.Sprintf(task, l.notes, provider.Question("vessel-tern"))
	said, err := l.command(ctx, env, l.client.ask(l, first, false))
	if err != nil {
		return err
	}
	select {
	case err := <-killed:
		r.Killed = "went on"
		if err != nil {
			return err
		}
	case <-time.After(30 * time.Second):
		return errors.New("the task ended before half of it was done: " + tail(said))
	}
	l.judge(r, "vessel-tern", said)
	if said, err = l.command(ctx, env, l.client.ask(l, "One more question: "+provider.Question("vessel-osprey"), true)); err != nil {
		return err
	}
	l.judge(r, "vessel-osprey", said)
	if l.client.compact != nil {
		before := l.model.Report().Summaries
		if _, err = l.command(ctx, env, l.client.compact(l)); err != nil {
			return err
		}
		if l.model.Report().Summaries == before {
			r.Faults = append(r.Faults, "it did not compact its conversation")
		}
		if said, err = l.command(ctx, env, l.client.ask(l, "A last question: "+provider.Question("vessel-gannet"), true)); err != nil {
			return err
		}
		l.judge(r, "vessel-gannet", said)
		r.Compaction = r.Facts[len(r.Facts)-1]
	}
	l.sum(r)
	return nil
}

// judge notes how a question was answered, by the model and on the client's screen.
func (l *lab) judge(r *row, name, said string) {
	from, right := "no answer", false
	for _, a := range l.model.Report().Answers { // a client may ask in a side request, too
		if a.Name == name && (a.Right || !right) {
			from, right = a.From, a.Right
		}
	}
	if !right {
		r.Faults = append(r.Faults, name+": "+from)
	}
	if !strings.Contains(said, facts[name]) {
		r.Faults = append(r.Faults, name+" is not on the screen: "+tail(said))
	}
	r.Facts = append(r.Facts, from)
}

// sum reads what provider and tap saw.
func (l *lab) sum(r *row) {
	got := l.model.Report()
	r.Requests, r.Largest, r.LookUps = got.Requests, got.Largest, got.LookUps
	r.Plans, r.Breaks = l.plans(), breaks(got.Bodies)
	r.Faults = append(r.Faults, got.Faults...)
	if r.Plans == 0 {
		r.Faults = append(r.Faults, "no plan was made")
	}
	l.tap.mu.Lock()
	defer l.tap.mu.Unlock()
	var fault string
	if r.Marks, fault = count(l.tap.sent, got.Bodies); fault != "" {
		r.Faults = append(r.Faults, fault)
	}
	if l.tap.leaked {
		r.Faults = append(r.Faults, "a look-up reached the client")
	}
}

func tail(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = "…" + s[len(s)-300:]
	}
	return s
}

// command runs a program of the client in its folder.
func (l *lab) command(ctx context.Context, env, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Join(l.dir, "work")
	cmd.Env = append([]string{"HOME=" + l.dir, "PATH=" + filepath.Dir(l.node()) + string(os.PathListSeparator) + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "LANG=C.UTF-8"}, env...)
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	l.keepScreen(args, out.String())
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s did not end within %s: %s", l.client.name, longest, tail(out.String()))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", l.client.name, err, tail(out.String()))
	}
	return out.String(), nil
}

// keepScreen keeps what a command showed, for people: a run is judged without it.
func (l *lab) keepScreen(args []string, shown string) {
	f, err := os.OpenFile(filepath.Join(l.dir, "screen.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(f, "$ %s\n%s\n", strings.Join(args, " "), shown)
	_ = f.Close()
}

// bin is a program of an installed package.
func (l *lab) bin(folder, path string) string { return filepath.Join(l.packages, folder, path) }

// node is Node 22, which some clients need.
func (l *lab) node() string { return l.bin("node22", "node_modules/node/bin/node") }

// version is the installed version of a client's package.
func version(o options, c client) string {
	b, err := os.ReadFile(filepath.Join(o.cache, c.folder, "node_modules", c.pack, "package.json"))
	var v struct{ Version string }
	if err != nil || json.Unmarshal(b, &v) != nil {
		return "?"
	}
	return v.Version
}
