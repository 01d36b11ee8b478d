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
	delay    time.Duration
	refuse   bool
	cuts     int
}

// cutting returns a cutter in front of a server, and a database's URL through it.
func cutting(t *testing.T, url string) (*cutter, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	_, rest, _ := strings.Cut(url, "@")
	to, _, _ := strings.Cut(rest, "/")
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
	return c, strings.Replace(url, to, l.Addr().String(), 1)
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
	wg.Go(func() { c.pass(in, out) })
	wg.Wait()
	c.mu.Lock()
	delete(c.open, in)
	c.mu.Unlock()
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
