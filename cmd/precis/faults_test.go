package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// failsOnce is a listener whose first connection fails in a way that passes.
type failsOnce struct {
	net.Listener
	once sync.Once
}

// passing is the error of such a connection.
type passing struct{}

func (passing) Error() string   { return "too many open files" }
func (passing) Timeout() bool   { return false }
func (passing) Temporary() bool { return true }

func (l *failsOnce) Accept() (c net.Conn, err error) {
	l.once.Do(func() { err = passing{} })
	if err != nil {
		return nil, err
	}
	return l.Listener.Accept()
}

// What the standard library's server has to say stands in the log, in its form, of the
// inspector and of the tools over HTTP as of the proxy.
//
// SPEC: B8 · B13
func TestServersTellInTheLog(t *testing.T) {
	servers := map[string]func(*streams, net.Listener) error{
		"inspect": func(std *streams, l net.Listener) error {
			s := memory.New()
			p := startInspector(l, s, inspect.Options{Token: "t"}, faults(std.logger()))
			answers(t, l)
			return errors.Join(p.stop(), s.Close())
		},
		"mcp": func(std *streams, l net.Listener) error {
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				answers(t, l)
				stop()
			}()
			return serveUntil(ctx, l, http.NotFoundHandler(), faults(std.logger()))
		},
	}
	for name, serve := range servers {
		for form, want := range map[string]string{"text": ` level=WARN msg="http: Accept error: too many open files`, "json": `,"level":"WARN","msg":"http: Accept error: too many open files`} {
			var said bytes.Buffer
			std := newStreams(nil, &bytes.Buffer{}, &said)
			std.json = form == "json"
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if err := serve(std, &failsOnce{Listener: l}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s, %s: %q", name, form, said.String())
			}
		}
	}
}

// answers waits until a server answers.
func answers(t *testing.T, l net.Listener) {
	t.Helper()
	c := http.Client{Timeout: 10 * time.Second}
	r, err := c.Get("http://" + l.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	_ = r.Body.Close() // only that it came counts
}
