//go:build unix

package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// cutter stands between a store and its server, and cuts and delays connections.
type cutter struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     map[net.Conn]bool
	came     int64 // bytes from the server
	delay    time.Duration
	refuse   bool
	cuts     int
}

// cutting returns a cutter in front of a server, and a database's URL through it.
func cutting(t *testing.T, url string) (*cutter, string) {
	t.Helper()
	_, rest, _ := strings.Cut(url, "@")
	to, _, _ := strings.Cut(rest, "/")
	c := cuttingAt(t, to)
	return c, strings.Replace(url, to, c.listener.Addr().String(), 1)
}

// cuttingAt returns a cutter in front of an address.
func cuttingAt(t *testing.T, to string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	c := &cutter{listener: l, to: to, open: map[net.Conn]bool{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { c.serve(in) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // ends the loop
		c.cut(1)
		wg.Wait()
	})
	return c
}

func (c *cutter) serve(in net.Conn) {
	defer func() { _ = in.Close() }() // it may be cut
	c.mu.Lock()
	refuse := c.refuse
	c.mu.Unlock()
	out, err := net.Dial("tcp", c.to)
	if err != nil || refuse {
		return
	}
	defer func() { _ = out.Close() }() // as above
	c.mu.Lock()
	c.open[in] = true
	c.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { c.pass(out, in) })
	wg.Go(func() { c.pass(in, counting{out, c}) })
	wg.Wait()
	c.mu.Lock()
	delete(c.open, in)
	c.mu.Unlock()
}

// counting counts what is read of a connection.
type counting struct {
	net.Conn
	c *cutter
}

func (r counting) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.came += int64(n)
	return n, err
}

// received returns how many bytes came from the server since the last call.
func (c *cutter) received() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.came
	c.came = 0
	return n
}

// pass copies until one side ends, each piece after the delay.
func (c *cutter) pass(to, from net.Conn) {
	defer func() { _ = to.Close() }() // the other direction ends, too
	piece := make([]byte, 4096)
	for {
		n, err := from.Read(piece)
		c.mu.Lock()
		delay := c.delay
		c.mu.Unlock()
		if delay > 0 && n > 0 {
			time.Sleep(rand.N(delay))
		}
		if _, werr := to.Write(piece[:n]); err != nil || werr != nil {
			return
		}
	}
}

// cut ends a share of the connections in the middle of what they do.
func (c *cutter) cut(share float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		if rand.Float64() < share {
			_ = conn.Close() // that is the point
			c.cuts++
		}
	}
}

func (c *cutter) set(delay time.Duration, refuse bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delay, c.refuse = delay, refuse
}

func (c *cutter) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d connections cut", c.cuts)
}
