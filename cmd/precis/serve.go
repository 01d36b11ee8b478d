package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

const serveLong = `Serve stands between an agent and its model provider. The agent changes one URL;
its prompts are kept within the budget, and everything that leaves them can be
read, searched and put back.

Calls of the Anthropic Messages, OpenAI Chat Completions and OpenAI Responses
APIs are compacted; everything else passes as it is. A prompt within the budget
goes on byte for byte, as does any prompt when something goes wrong in here.
Answers are forwarded as they come. Keys pass through; they are neither kept nor
logged. A prompt that the provider refuses as too long is compacted and sent
again, once.

A conversation is recognised by what it says. A client may name it with the
header X-Precis-Thread; Claude Code's own session headers are known.

Callers are one user, the one that all other commands are about, while the proxy
listens on a loopback address only. Otherwise each key is a user of its own.
--users changes that.

From a conversation's first plan on, the model has tools to search and read what
left its prompt. They are answered in here, and the agent never sees them. That
is so for Anthropic Messages and OpenAI Chat; models that check their thinking
against its prefix do not get them. --recall off takes them away, --recall always
declares them from the first request, which then is not byte for byte what the
agent sent.

The mode observe changes nothing and logs what would have happened; off passes
everything and keeps nothing.

Standard output is the proxy's address; the log goes to standard error, as JSON
with --json. /healthz, /readyz and /metrics (Prometheus) tell how it does.`

const serveExample = `  precis serve
  ANTHROPIC_BASE_URL=http://127.0.0.1:8484 claude
  OPENAI_BASE_URL=http://127.0.0.1:8484/v1 my-agent
  precis serve --budget 64k --mode observe
  precis serve --listen 0.0.0.0:8484 --upstream-openai https://openrouter.ai/api/v1`

// server is one run of the command: its flags.
type server struct {
	*app
	listen, openai, anthropic, budget, policy, mode, recall, users string
	grace                                                          time.Duration
}

// The values of --users.
const (
	usersAuto = "auto"
	usersOne  = "one"
	usersKeys = "by-key"
)

func (a *app) serveCommand() *cobra.Command {
	s := &server{app: a}
	cmd := &cobra.Command{
		Use: "serve", Short: "a proxy that compacts what agents send", Long: serveLong, Example: serveExample, Args: want(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", "127.0.0.1:8484", "`address` to listen on; port 0 takes a free one")
	f.StringVar(&s.openai, "upstream-openai", "https://api.openai.com", "`URL` of the OpenAI API")
	f.StringVar(&s.anthropic, "upstream-anthropic", "https://api.anthropic.com", "`URL` of the Anthropic API")
	f.StringVarP(&s.budget, "budget", "b", "", "most `tokens` of a request: 32000, 32k, 0.5m (default: by the model)")
	f.StringVar(&s.policy, "policy", "balanced", "`name` of a policy: "+strings.Join(policy.Names(), ", "))
	f.StringVar(&s.mode, "mode", string(proxy.Compact), "`what` to do: "+strings.Join(modes, ", "))
	f.StringVar(&s.recall, "recall", string(proxy.RecallWithPlan), "`when` the model gets tools to read back: "+strings.Join(recallTimes, ", "))
	f.StringVar(&s.users, "users", usersAuto, "`who` callers are: "+strings.Join(userKinds, ", "))
	f.DurationVar(&s.grace, "grace", 30*time.Second, "`time` that requests have to finish when the proxy is stopped")
	complete(cmd, "policy", policy.Names())
	complete(cmd, "mode", modes)
	complete(cmd, "recall", recallTimes)
	complete(cmd, "users", userKinds)
	return cmd
}

var (
	modes       = []string{string(proxy.Compact), string(proxy.Observe), string(proxy.Off)}
	recallTimes = []string{string(proxy.RecallWithPlan), string(proxy.RecallAlways), string(proxy.RecallOff)}
	userKinds   = []string{usersAuto, usersOne, usersKeys}
)

func (s *server) run(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fail("choose another address with --listen; port 0 takes a free one", "listen: %w", err)
	}
	defer func() { _ = l.Close() }() // the server has closed it, unless it never began
	o.Credentials = s.users == usersKeys || s.users == usersAuto && !loopback(l.Addr())
	st, err := s.writable(ctx)
	if err != nil {
		return err
	}
	o.Engine.Store = st
	p, err := proxy.New(o)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	err = s.serve(ctx, l, p)
	p.Close()
	return errors.Join(err, st.Close())
}

// options are those of the flags.
func (s *server) options() (o proxy.Options, err error) {
	if !slices.Contains(modes, s.mode) {
		return o, usage("there are "+strings.Join(modes, ", "), "read --mode: unknown mode %q", s.mode)
	}
	if !slices.Contains(recallTimes, s.recall) {
		return o, usage("there are "+strings.Join(recallTimes, ", "), "read --recall: unknown value %q", s.recall)
	}
	if !slices.Contains(userKinds, s.users) {
		return o, usage("there are "+strings.Join(userKinds, ", "), "read --users: unknown kind %q", s.users)
	}
	chosen, err := policyNamed(s.policy)
	if err != nil {
		return o, err
	}
	if s.budget != "" {
		if o.Budget, err = tokens(s.budget); err != nil {
			return o, err
		}
	}
	o.Mode, o.Recall, o.Engine = proxy.Mode(s.mode), proxy.Recall(s.recall), precis.Options{Policy: chosen}
	o.Log = slog.New(slog.NewTextHandler(s.stderr, nil))
	if s.json {
		o.Log = slog.New(slog.NewJSONHandler(s.stderr, nil))
	}
	o.Providers = []proxy.Provider{
		{Name: "openai", URL: s.openai, Calls: map[string]proxy.Codec{
			"/v1/chat/completions": openai.Codec{}, "/v1/responses": responses.Codec{},
		}},
		{Name: "anthropic", URL: s.anthropic, Calls: map[string]proxy.Codec{"/v1/messages": anthropic.Codec{}}},
	}
	for _, v := range o.Providers {
		if err := v.Validate(); err != nil {
			return o, usage("write it as https://host or https://host/path", "read --upstream-%s: %w", v.Name, err)
		}
	}
	return o, nil
}

func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// serve serves until the context ends or the program is told to stop, and lets
// requests finish.
func (s *server) serve(ctx context.Context, l net.Listener, p *proxy.Proxy) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	if _, err := bpe.Counter("o200k"); err != nil { // made ready before the first request comes
		return err
	}
	h := &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 3 * time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	if err := s.say(l.Addr()); err != nil {
		return errors.Join(err, h.Close(), ignore(<-ended, http.ErrServerClosed))
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	signal.Reset(os.Interrupt, syscall.SIGTERM) // a second signal ends the program at once
	p.Stop()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
	defer cancel()
	err := h.Shutdown(wait)
	if err != nil {
		s.note("requests were still being served after %v: their connections are closed", s.grace)
		err = h.Close()
	}
	return errors.Join(err, ignore(<-ended, http.ErrServerClosed))
}

// ignore is err unless it is the one expected.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// say prints the address that clients use.
func (s *server) say(at net.Addr) error {
	url := "http://" + at.String()
	if s.json {
		return s.object(map[string]string{"url": url})
	}
	_, err := fmt.Fprintln(s.out, url)
	return err
}
