package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	api "go.opentelemetry.io/otel/trace"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

const serveLong = `Serve stands between an agent and its model provider. The agent changes one URL;
its prompts are kept within the budget, and everything that leaves them can be
read, searched and put back.

Calls of the Anthropic Messages, OpenAI Chat Completions, OpenAI Responses and
Gemini APIs are compacted, and requests that count tokens count what is sent;
everything else passes as it is. A prompt within the budget goes on byte for byte,
as does any prompt when something in precis fails. Answers are forwarded as they
come. The end of an answer waits until it and its request are on disk; with
--durability fast it does not. Keys pass through; they are neither kept nor
logged. A prompt that the provider refuses as too long is compacted and sent
again, once.

A conversation is recognised by what it says. A client may name it with the
header X-Precis-Thread; Claude Code's own session headers are known.

Callers are one user, the one that all other commands are about, while the proxy
listens on a loopback address only. Otherwise each key is a user of its own,
whom other commands find by --tenant. --users changes that.

From a conversation's first plan on, the model has tools to search and read what
left its prompt. The proxy answers them, and the agent never sees them. This holds
for Anthropic Messages, OpenAI Chat, OpenAI Responses with store false, and Gemini
where the request has none of its built-in tools.
--recall off takes them away, --recall always declares them from the first
request, which then is not byte for byte what the agent sent. Where all four
would take more than a tenth of the budget, only those that read and search are
declared, and where these would, none.

The mode observe changes nothing and logs what would have happened; off passes
everything and keeps nothing.

Standard output is the proxy's address; the log goes to standard error, as JSON
with --json. /healthz, /readyz and /metrics (Prometheus) report its state.`

const serveExample = `  precis serve
  ANTHROPIC_BASE_URL=http://127.0.0.1:8484 claude
  OPENAI_BASE_URL=http://127.0.0.1:8484/v1 my-agent
  precis serve --budget 64k --mode observe
  precis serve --config precis.toml --check
  precis serve --listen 0.0.0.0:8484 --upstream-openai https://openrouter.ai/api`

func serveCommand(a *app) *cobra.Command {
	s := &server{app: a}
	cmd := &cobra.Command{
		Use: "serve", Short: "a proxy that compacts what agents send", Long: serveLong, Example: serveExample, Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.configure(cmd.Flags()); err != nil {
				return err
			}
			return s.run(cmd.Context())
		},
	}
	s.flags(cmd.Flags())
	completePolicy(cmd)
	cmd.Flags().BoolVar(&s.check, "check", false, "check flags and --config, and exit")
	complete(cmd, "mode", modes)
	complete(cmd, "recall", recallTimes)
	complete(cmd, "users", userKinds)
	complete(cmd, "thinking", thinkings)
	complete(cmd, "native", natives)
	complete(cmd, "durability", durabilities)
	complete(cmd, "allow-read", config.Levels)
	return cmd
}

func (s *server) run(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	if err := s.checkOptions(o); err != nil {
		return err
	}
	if s.check {
		return s.checkOnly(ctx, o)
	}
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fail("choose another address with --listen; port 0 takes a free one", "listen: %w", err)
	}
	defer func() { _ = l.Close() }() // the server has closed it, unless it never began
	o.Tenancy.ByCredential = o.Tenancy.ByCredential || s.users == usersAuto && !loopback(l.Addr())
	st, err := s.writable(ctx)
	if err != nil {
		return err
	}
	if s.inspect != "" {
		o.Engine.Events = &event.Bus{}
	}
	p, done, err := s.proxy(ctx, o, st)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	page, err := startBeside(s.inspect, s.whose, login(), st, o, p)
	if err == nil {
		err = s.serve(ctx, l, p, page)
	}
	return errors.Join(err, done(), st.Close())
}

// proxy makes one over a store, with its traces and its learned limits, and returns
// the function that ends it.
func (s *server) proxy(ctx context.Context, o proxy.Options, st store.Store) (*proxy.Proxy, func() error, error) {
	o.Engine.Store, s.faults = st, faults(o.Log)
	if path, err := s.path(); err == nil && !s.volatile && o.Mode != proxy.Off {
		if o.Limits.Shared = postgres.IsURL(path); !o.Limits.Shared {
			o.Limits.File = path + limitsSuffix
		}
	}
	if err := s.extras.apply(&o.Engine); err != nil {
		return nil, nil, errors.Join(err, s.extras.close())
	}
	o.Engine.Background = o.Engine.Summarizer != nil
	if err := s.ofTenants(o.Tenancy.Named, s.file); err != nil {
		return nil, nil, errors.Join(err, s.extras.close())
	}
	tracer, stop, err := s.traces(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, s.extras.close())
	}
	o.Tracer = tracer
	p, err := proxy.New(o)
	if err != nil {
		return nil, nil, errors.Join(err, stop(ctx), s.extras.close())
	}
	return p, func() error {
		p.Close()
		bad := s.extras.close()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := stop(ctx); err != nil {
			s.note("the last traces were not sent: %v", err)
		}
		return bad
	}, nil
}

// traces is where spans go, as --otlp says.
func (s *server) traces(ctx context.Context) (api.TracerProvider, func(context.Context) error, error) {
	p, stop, err := traces(ctx, s.otlp)
	if err != nil {
		return nil, nil, usage("write it as http://host:4318", "read %s: %w", s.where("otlp"), err)
	}
	return p, stop, nil
}

// checkParts says which of the things that a proxy has beside its options cannot be made: its
// keys, its address, the files it writes, the model that writes summaries, and the way to a
// collector.
func (s *server) checkParts(ctx context.Context) error {
	if _, err := s.keys(); err != nil {
		return err
	}
	if err := s.checkPlaces(ctx); err != nil {
		return err
	}
	if _, err := net.ResolveTCPAddr("tcp", s.listen); s.listen != "" && err != nil {
		return usage("write it as 127.0.0.1:8484; port 0 takes a free one", "%s: %w", s.given("listen", s.listen), err)
	}
	_, rest, err := s.summarizer()
	if err != nil {
		return err
	}
	rest()
	_, stop, err := s.traces(ctx)
	if err != nil {
		return err
	}
	return stop(ctx)
}

// limitsSuffix names the file beside a database that keeps the learned limits: what
// providers' answers taught about their windows and counts. The name is that of
// earlier versions, whose files are read.
const limitsSuffix = ".lessons.json"

// checkOnly checks everything, starts nothing, and prints that it is well.
func (s *server) checkOnly(ctx context.Context, o proxy.Options) error {
	o.Engine.Store = memory.New()
	if err := errors.Join(o.Validate(), o.Engine.Store.Close()); err != nil {
		return err
	}
	if err := s.checkParts(ctx); err != nil {
		return err
	}
	if s.json {
		return s.object(map[string]bool{"ok": true})
	}
	_, err := fmt.Fprintln(s.out, "ok")
	return err
}

func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// serve serves until the context ends, and lets requests finish.
func (s *server) serve(ctx context.Context, l net.Listener, p *proxy.Proxy, shown *page) error {
	if _, err := bpe.Counter("o200k"); err != nil { // made ready before the first request comes
		return err
	}
	h := &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 3 * time.Minute, ErrorLog: s.faults}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	if shown != nil {
		defer func() { _ = shown.stop() }() // what matters is the proxy
	}
	if err := s.say(l.Addr(), shown); err != nil {
		return errors.Join(err, h.Close(), ignore(<-ended, http.ErrServerClosed))
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	p.Stop()
	time.Sleep(s.drain) // a balancer asks /readyz meanwhile
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

// say prints the address that clients use, and that of the inspector.
func (s *server) say(at net.Addr, shown *page) error {
	url := "http://" + at.String()
	if s.json {
		all := map[string]string{"url": url}
		if shown != nil {
			all["inspect"] = shown.url
		}
		return s.object(all)
	}
	if shown != nil {
		s.note("the inspector is at %s", shown.url)
	}
	_, err := fmt.Fprintln(s.out, url)
	return err
}
