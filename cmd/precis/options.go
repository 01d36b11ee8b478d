package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/filestate"
	"github.com/seed-3db51b0e/precis/hook"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
)

// extras are the parts of an engine that a user may add by flags: a model that
// writes summaries, events, a hook, the files that results were read from.
type extras struct {
	summaryFlags
	events, hook, root string

	stop []func() error
}

func (x *extras) flags(f *pflag.FlagSet) {
	x.summaryFlags.flags(f)
	f.StringVar(&x.events, "events", "", "append what happens to a `file`, a JSON line each")
	f.StringVar(&x.hook, "hook", "", "shell `command` asked before a compaction and told after it")
	f.StringVar(&x.root, "root", "", "`directory` the agent worked in: results of reading a file there may be cleared while it has not changed")
}

// follow takes what a policy's file says.
func (w *summaryFlags) follow(s policyfile.Setup, o *precis.Options) {
	o.Policy, o.Rehydrate, o.Tools, o.NoFallback = s.Policy, s.Rehydration, s.ToolPolicies(), s.Summary.NoFallback()
	w.words = s.Summary
}

// check says why the hook or the folder cannot be used. given writes a flag with its value.
func (x *extras) check(given func(flag, value string) string) error {
	if x.hook != "" {
		if err := hook.CheckShell(x.hook); err != nil {
			return usage("write it as you would in a shell; a command that is not on PATH with its path", "%s: %w", given("hook", x.hook), err)
		}
	}
	if x.root != "" {
		if dir, err := os.Stat(x.root); err != nil || !dir.IsDir() {
			return usage("it is the directory the agent worked in", "%s: not a directory", given("root", x.root))
		}
	}
	return nil
}

// asFlag is a flag with its value, as a command line has it.
func asFlag(flag, value string) string { return fmt.Sprintf("--%s %q", flag, value) }

// apply adds them to an engine's options; close ends them.
func (x *extras) apply(o *precis.Options) error {
	if err := x.check(asFlag); err != nil {
		return err
	}
	s, done, err := x.summarizer()
	if err != nil {
		return err
	}
	if s != nil {
		o.Summarizer = s
		x.stop = append(x.stop, func() error { done(); return nil })
	}
	if x.hook != "" {
		o.Hooks = hook.Shell(x.hook, 0)
	}
	if x.root != "" {
		o.Source = filestate.Files(x.root)
	}
	if x.events != "" {
		return x.subscribe(o)
	}
	return nil
}

// ofTenants has the model told in the words of each tenant's policy, for those that have
// one in the proxy's file.
func (x *extras) ofTenants(named map[string]proxy.Tenant, file *config.Config) error {
	for credential, t := range named {
		setup, ok := file.Setup(credential)
		if !ok {
			continue
		}
		own := x.summaryFlags
		own.words = setup.Summary
		with, done, err := own.summarizer()
		if err != nil {
			return err
		}
		if with == nil {
			continue
		}
		x.stop = append(x.stop, func() error { done(); return nil })
		rest := t.Engine
		t.Engine = func(o *precis.Options) { rest(o); o.Summarizer = with }
		named[credential] = t
	}
	return nil
}

func (x *extras) subscribe(o *precis.Options) error {
	f, err := os.OpenFile(x.events, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fail("name a file in a folder that can be written with --events", "open events file: %w", err)
	}
	w := event.NewJSONL(f)
	if o.Events == nil {
		o.Events = &event.Bus{}
	}
	o.Events.Subscribe(w.Append, event.Options{Name: "jsonl"})
	x.stop = append(x.stop, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err := o.Events.Close(ctx)
		if _, first := w.Err(); first != nil {
			err = errors.Join(err, fmt.Errorf("write events: %w", first))
		}
		return errors.Join(err, f.Close())
	})
	return nil
}

// close ends what apply began, events last.
func (x *extras) close() (err error) {
	for _, f := range x.stop {
		err = errors.Join(err, f())
	}
	x.stop = nil
	return err
}
