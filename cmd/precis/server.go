package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
	"github.com/seed-3db51b0e/precis/token"
)

// server is one run of the command: its flags, and the file that sets them.
type server struct {
	*app
	listen, budget, policy, mode, recall, users string
	upstreams
	grace, drain time.Duration
	images       int
	bytes, otlp  string
	points       bool
	notes        bool
	access
	protection
	thinking, native, durability string
	extras

	inspect    string         // --inspect
	configFile string         // --config
	file       *config.Config // what it holds, nil for none
	set        *pflag.FlagSet
	check      bool        // --check
	faults     *log.Logger // takes what a server would write to standard error
}

// The values of --users.
const (
	usersAuto = "auto"
	usersOne  = "one"
	usersKeys = "by-key"
)

// flags are those that say how the proxy runs.
func (s *server) flags(f *pflag.FlagSet) {
	f.StringVar(&s.configFile, "config", "", "`file` that sets what the command line does not (docs/proxy.md)")
	f.StringVar(&s.listen, "listen", "127.0.0.1:8484", "`address` to listen on; port 0 takes a free one")
	s.upstreams.flags(f, false)
	budgetVar(f, &s.budget, "maximum `tokens` of a request: 32000, 32k, 0.5m (default: by the model)")
	policyFlag(f, &s.policy)
	f.StringVar(&s.mode, "mode", string(proxy.Compact), "`what` to do: "+strings.Join(modes, ", "))
	f.StringVar(&s.recall, "recall", string(proxy.RecallWithPlan), "`when` the model gets tools to read back: "+strings.Join(recallTimes, ", "))
	f.StringVar(&s.users, "users", usersAuto, "`who` callers are: "+strings.Join(userKinds, ", "))
	s.access.flags(f)
	s.protection.flags(f)
	s.limits(f)
	f.DurationVar(&s.drain, "drain", 0, "`time` for which /readyz says 503, once the proxy is told to stop, before it refuses connections")
	f.StringVar(&s.inspect, "inspect", "", "`address` of a page that shows what compaction does; port 0 takes a free one")
	f.DurationVar(&s.grace, "grace", 30*time.Second, "`time` that requests have to finish when the proxy is stopped")
}

// limits are the flags that wrap has, too.
func (s *server) limits(f *pflag.FlagSet) {
	f.IntVar(&s.images, "max-images", 0, "maximum `pictures` and documents of a request (default: by the model; -1: no limit)")
	f.StringVar(&s.bytes, "max-bytes", "", "maximum `bytes` of a request: 20m; 0: no limit (default: by the model)")
	f.BoolVar(&s.notes, "notes", false, "give the model a tool to declare what to keep, and where a piece of work ends")
	f.BoolVar(&s.points, "cache-points", false, "set cache markers where the agent left room; that adds bytes to every request")
	f.StringVar(&s.thinking, "thinking", string(proxy.ThinkingStrip), "`what` becomes of thinking whose prefix changed, where models check it: "+strings.Join(thinkings, ", "))
	f.StringVar(&s.native, "native", string(proxy.NativePass), "`who` answers OpenAI clients that ask for a compaction: "+strings.Join(natives, ", "))
	f.StringVar(&s.durability, "durability", string(proxy.DurabilityFull), "`what` an answer's end waits for: "+strings.Join(durabilities, ", ")+" (the log on disk, or nothing)")
	s.extras.flags(f)
	f.StringVar(&s.otlp, "otlp", "", "`URL` of an OpenTelemetry collector for traces (default: OTEL_EXPORTER_OTLP_ENDPOINT)")
}

// configure takes what --config says.
func (s *server) configure(f *pflag.FlagSet) (err error) {
	s.set = f
	if s.configFile == "" {
		return nil
	}
	s.file, err = config.Read(s.configFile)
	if c := (*fs.PathError)(nil); errors.As(err, &c) {
		return &failure{exitInput, err, "name a file that exists with --config; docs/proxy.md lists its fields"}
	}
	if err != nil {
		return err
	}
	return setFlags(s.file, s.configFile, f)
}

// setFlags gives the flags that the command line leaves alone a file's values.
func setFlags(file *config.Config, path string, f *pflag.FlagSet) error {
	for _, x := range file.Settings() {
		flag := f.Lookup(x.Flag) // nil: it is another command's
		if flag == nil || flag.Changed {
			continue
		}
		if err := flag.Value.Set(x.Value); err != nil {
			return &config.Error{Path: path, Field: x.Field, Err: unlike(flag, x.Value, err)}
		}
	}
	return nil
}

// where is the place that a flag's value comes from, for an error about it.
func (s *server) where(flag string) string {
	for _, x := range s.file.Settings() {
		if x.Flag == flag && !s.set.Changed(flag) {
			return s.configFile + ": " + x.Field
		}
	}
	return "--" + flag
}

// given is a flag with its value, as it was given.
func (s *server) given(flag, value string) string {
	if at := s.where(flag); at != "--"+flag {
		return fmt.Sprintf("%s: %q", at, value)
	}
	return asFlag(flag, value)
}

var (
	modes        = []string{string(proxy.Compact), string(proxy.Observe), string(proxy.Off)}
	recallTimes  = []string{string(proxy.RecallWithPlan), string(proxy.RecallAlways), string(proxy.RecallOff)}
	userKinds    = []string{usersAuto, usersOne, usersKeys}
	thinkings    = []string{string(proxy.ThinkingStrip), string(proxy.ThinkingDropBlock)}
	natives      = []string{string(proxy.NativePass), string(proxy.NativeAnswer)}
	durabilities = []string{string(proxy.DurabilityFull), string(proxy.DurabilityFast)}
)

// options are those of the flags and the file.
func (s *server) options() (o proxy.Options, err error) {
	if err := s.checkChoices(); err != nil {
		return o, err
	}
	chosen, err := setupOf(s.policy, "read "+strings.ReplaceAll(s.where("policy"), "%", "%%")+": %w")
	if err != nil {
		return o, err
	}
	s.follow(chosen, &o.Engine)
	if s.budget != "" {
		if o.Budget, err = token.ParseAmount(s.budget); err != nil {
			return o, usage("write it as 32000, 32k or 0.5m", "%s: not a token count", s.given("budget", s.budget))
		}
	}
	if o.Models, err = s.table(); err != nil {
		return o, err
	}
	if s.images < -1 {
		return o, usage("leave it out for the default", "%s: want 0 or more, or -1 for no limit", s.given("max-images", strconv.Itoa(s.images)))
	}
	o.Limits.Images, o.Prompt.CachePoints, o.Prompt.Notes = s.images, s.points, s.notes
	if o.Limits.Bytes, err = s.bytesOf("max-bytes", s.bytes); err != nil {
		return o, err
	}
	o.Durability = proxy.Durability(s.durability)
	o.Prompt.Thinking, o.Prompt.NativeCompaction = proxy.Thinking(s.thinking), proxy.NativeCompaction(s.native)
	o.Mode, o.Prompt.Recall = proxy.Mode(s.mode), proxy.Recall(s.recall)
	o.Log = s.logger()
	if err := s.file.Apply(&o); err != nil {
		return o, err
	}
	if err := s.access.apply(&o, s.where); err != nil {
		return o, err
	}
	if err := s.protection.apply(&o, s.bytesOf); err != nil {
		return o, err
	}
	o.Tenancy.ByCredential = s.users == usersKeys || s.users == usersAuto && len(o.Tenancy.Named) > 0
	if len(o.Tenancy.Named) > 0 && !o.Tenancy.ByCredential {
		return o, usage("leave users out, or write by-key", "read %s: tenants need a user for each key", s.where("users"))
	}
	o.Providers, err = s.providers()
	return o, err
}

// bytesOf is a flag's number of bytes: 0 for none, -1 for a written 0.
func (s *server) bytesOf(flag, value string) (int, error) {
	switch value {
	case "":
		return 0, nil
	case "0":
		return -1, nil
	}
	n, err := token.ParseAmount(value)
	if err != nil {
		return 0, usage("write it as 20000000 or 20m", "%s: not a number of bytes", s.given(flag, value))
	}
	return n, nil
}

// checkChoices checks the flags that have few values.
func (s *server) checkChoices() error {
	for _, c := range []struct {
		flag, value, what string
		of                []string
	}{
		{"mode", s.mode, "mode", modes},
		{"recall", s.recall, "value", recallTimes},
		{"users", s.users, "kind", userKinds},
		{"thinking", s.thinking, "value", thinkings},
		{"native", s.native, "value", natives},
		{"durability", s.durability, "value", durabilities},
	} {
		if !slices.Contains(c.of, c.value) {
			return usage("there are "+strings.Join(c.of, ", "), "read %s: unknown %s %q", s.where(c.flag), c.what, c.value)
		}
	}
	return nil
}

func (s *server) providers() ([]proxy.Provider, error) {
	return s.upstreams.providers(func(name string, err error) error {
		return usage("write it as https://host or https://host/path", "read %s: %w", s.where(upstreamFlag+name), err)
	})
}
