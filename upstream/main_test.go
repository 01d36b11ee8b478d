package upstream_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a real server and a client of it.
func serve(t *testing.T, o upstream.Options, h http.HandlerFunc) (*upstream.Client, string) {
	t.Helper()
	s := httptest.NewServer(h)
	c := client(t, o)
	t.Cleanup(func() { c.Close(); s.Close() })
	return c, s.URL
}

func client(t *testing.T, o upstream.Options) *upstream.Client {
	t.Helper()
	c, err := upstream.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pipe starts a server on connections in memory, whose time is that of the
// test's bubble, and a client of it.
func pipe(t *testing.T, o upstream.Options, h http.HandlerFunc) (*upstream.Client, func()) {
	t.Helper()
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then a server does not see that its client leaves
		h(w, r)
	})}
	served := make(chan struct{})
	go func() { _ = s.Serve(l); close(served) }()
	o.Transport = &http.Transport{DialContext: l.dial}
	c := client(t, o)
	return c, func() {
		c.Close()
		_ = s.Close()
		<-served
	}
}

type listener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

var errClosed = errors.New("listener is closed")

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, errClosed
	}
}

func (l *listener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
