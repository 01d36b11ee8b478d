//go:build linux

package upstream

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// A host that does not answer is given up by the dialer's deadline: the system gives it up after
// minutes, with an error of its own.
//
// SPEC: B6
func TestDialTimeout(t *testing.T) {
	before := dialTimeout
	t.Cleanup(func() { dialTimeout = before })
	dialTimeout = 200 * time.Millisecond
	transport := NewTransport()
	defer transport.CloseIdleConnections()
	c := http.Client{Transport: transport}
	resp, err := c.Get("http://" + deaf(t))
	if err == nil {
		_ = resp.Body.Close() // the test has failed
		t.Fatalf("status %d", resp.StatusCode)
	}
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) { // of the two, the one that saw it first
		t.Error(err)
	}
}

// deaf is the address of a listener that takes no connection, nor refuses one: its queue
// is full.
func deaf(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) }) // nothing was written to it
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(at.(*syscall.SockaddrInet4).Port))
	for range 8 {
		c, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			return address
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // nothing was written to it
	}
	t.Skip("this system takes connections that nobody accepts")
	return ""
}
