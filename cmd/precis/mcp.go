package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/mcp"
	"github.com/seed-3db51b0e/precis/proxy/config"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// tokenName is the variable that holds what requests over HTTP must bear.
const tokenName = "PRECIS_MCP_TOKEN"

func mcpCommand(th *threads) *cobra.Command {
	o := mcp.Options{Version: version(), With: th.reading}
	var address string
	var allow []string
	c := &cobra.Command{
		Use: "mcp", Short: "serve read, grep, describe and list to an agent, over MCP",
		Long: `Mcp is a Model Context Protocol server: it gives an agent the tools precis_read,
precis_grep, precis_describe and precis_list, with which it reads back what left
its prompt. It speaks on standard input and output to the agent that starts it,
or with --http to any number. It reads the database and never writes to it, but
for bringing an older one up to date.

Over HTTP the tools are at /mcp. An address that other machines can reach is
served only to requests that bear the token in the variable ` + tokenName + `.`,
		Example: "  claude mcp add precis -- precis mcp\n  codex mcp add precis -- precis mcp\n  precis mcp --http 127.0.0.1:7717",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if o.Permissions, err = config.Permissions(allow); err != nil {
				return usage("the levels are "+strings.Join(config.Levels, ", "), "read --allow: %w", err)
			}
			o.Thread, o.Proxied, o.Tell = th.thread, th.proxied || o.Tenant != "", trouble(th.streams)
			m, err := mcp.New(o)
			if err != nil {
				return err
			}
			if address != "" {
				return serveHTTP(c.Context(), th.streams, m, address, os.Getenv(tokenName))
			}
			return m.Serve(c.Context(), th.stdin, th.out)
		},
	}
	f := c.Flags()
	f.StringVar(&address, "http", "", "serve over HTTP at this `address`, for instance 127.0.0.1:7717")
	f.BoolVar(&o.Notes, "notes", false, "also serve precis_note, by which the agent declares what to keep and where a piece of work ends")
	f.StringVar(&o.Tenant, "tenant", "", "whose threads are served (default: those that precis compact makes)")
	f.StringSliceVar(&allow, "allow", nil, "also show artifacts of this `level`: confidential, restricted")
	complete(c, "allow", config.Levels)
	return th.threadFlag(c)
}

// trouble notes what an agent is told only in part. Calls come at once.
func trouble(std *streams) func(store.Key, recall.Retrieval) {
	var mu sync.Mutex
	return func(_ store.Key, got recall.Retrieval) {
		if got.Outcome == recall.Unavailable {
			mu.Lock()
			defer mu.Unlock()
			std.note("%s: %v", got.Tool, got.Err)
		}
	}
}

// serveHTTP serves the tools at an address.
func serveHTTP(ctx context.Context, std *streams, m *mcp.Server, address, token string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return usage("write it as 127.0.0.1:7717; port 0 takes a free one", "%s: %w", asFlag("http", address), err)
	}
	if token == "" && !local(address) {
		return usage("set "+tokenName+", or listen on 127.0.0.1", "serve %s: other machines can reach it, and there is no token", address)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fail("choose another address with --http", "serve: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", m.Handler(token))
	std.note("serving at http://%s/mcp", l.Addr())
	return serveUntil(ctx, l, mux, faults(std.logger()))
}

// serveUntil serves until the context ends, and finishes what has begun.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler, faults *log.Logger) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, ErrorLog: faults}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		done <- s.Shutdown(end)
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fail("", "serve: %w", err)
	}
	return <-done
}

// local reports whether only this machine can reach an address.
func local(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
