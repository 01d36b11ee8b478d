package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// broken is a store in which something goes wrong.
type broken struct {
	store.Store
	head   func(context.Context) error
	commit func() error
}

func (b *broken) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if b.head != nil {
		if err := b.head(ctx); err != nil {
			return store.Head{}, err
		}
	}
	return b.Store.Head(ctx, k)
}

func (b *broken) Commit(ctx context.Context, k store.Key, p *plan.Plan, as []artifact.Artifact) error {
	if b.commit != nil {
		if err := b.commit(); err != nil {
			return err
		}
	}
	return b.Store.Commit(ctx, k, p, as)
}

var errDisk = errors.New("disk is full")

// Whatever goes wrong inside, the client's own bytes go upstream, the client gets
// its answer, and the failure is told and counted once.
//
// SPEC: V9, S7
func TestFailsOpen(t *testing.T) {
	for name, b := range map[string]*broken{
		"store fails":  {head: func(context.Context) error { return errDisk }},
		"store panics": {head: func(context.Context) error { panic("content that is nobody's business") }},
		"store hangs":  {head: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
		"commit fails": {commit: func() error { return errDisk }},
	} {
		t.Run(name, func(t *testing.T) {
			a := apiNamed(t, "openai")
			up := newProvider(t)
			g := grown(t, up, a, 20, true)
			b.Store = memory.New()
			o := options(up.url)
			o.Engine.Store, o.Budget, o.Limits.PrepareTimeout = b, budget, 20*time.Millisecond
			if name == "commit fails" {
				o.Limits.PrepareTimeout = 0
			}
			f := serve(t, o)
			if name == "commit fails" { // of a stranger nothing is committed before it is accepted
				post(t, f.url+a.path, a.body([]string{userSays(a, "Good morning.")}, false))
			}
			g.url = f.url + a.path
			g.step()
			got := up.requests()
			if last := got[len(got)-1].body; last != g.sent {
				t.Error("upstream got another body")
			}
			if n := strings.Count(f.log.String(), "compaction failed"); n != 1 || strings.Contains(f.log.String(), "nobody's") {
				t.Errorf("log %s", f.log)
			}
			if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, `precis_failures_total{api="openai",stage="prepare"} 1`) {
				t.Errorf("metrics %s", m)
			}
		})
	}
}

// A budget that nothing fits is the provider's to judge.
//
// SPEC: V4, V9
func TestImpossible(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget = 10
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			g.step()
			if got := up.requests(); len(got) != 1 || got[0].body != g.sent {
				t.Errorf("%d requests", len(got))
			}
			if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, `stage="impossible"} 1`) {
				t.Errorf("metrics %s", m)
			}
		})
	}
}

// After a failure the last good plan is used: the prompt stays what it was.
//
// SPEC: V6, V9
func TestLastGoodPlan(t *testing.T) {
	a := apiNamed(t, "anthropic")
	up := newProvider(t)
	b := &broken{Store: memory.New()}
	o := options(up.url)
	o.Engine.Store, o.Budget = b, budget
	f := serve(t, o)
	g := newAgent(t, a, f.url, true)
	for f.plans(t) == 0 {
		g.step()
	}
	g.step()
	before := up.requests()
	b.head = func(context.Context) error { return errDisk }
	g.step()
	b.head = nil
	g.step()
	if n := breaks(t, a, up.requests()[len(before)-1:]); n != 0 {
		t.Errorf("%d breaks", n)
	}
	for i, r := range up.requests()[len(before)-1:] { // tools are a part of the prefix, too
		if !strings.Contains(r.body, "precis_grep") {
			t.Errorf("request %d declares no recall tools", i)
		}
	}
}

func (f *front) plans(t testing.TB) int {
	t.Helper()
	n := 0
	for _, h := range f.threads(t, "") {
		n += h.PlanVersion
	}
	return n
}

// A provider that is not there is an error in the form that its clients read,
// and says no more than they may know.
//
// SPEC: B6
func TestNoProvider(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + l.Addr().String()
	_ = l.Close()
	f := serve(t, options(dead))
	for _, a := range apis {
		for _, path := range []string{a.path + "?key=" + secret, a.path + "/other?key=" + secret} {
			resp, got := post(t, f.url+path, a.body([]string{a.first}, true))
			if resp.StatusCode != http.StatusBadGateway || strings.Contains(got, secret) {
				t.Errorf("%s: status %d: %s", path, resp.StatusCode, got)
			}
			if kind, text := member(t, got, "error", "type"), fmt.Sprint(member(t, got, "error", "message")); kind != "api_error" && a.name != "gemini" || !strings.Contains(text, "refused") {
				t.Errorf("%s: %s", path, got)
			}
			if top := member(t, got, "type"); (top == "error") != (a.name == "anthropic") {
				t.Errorf("%s: %s", path, got)
			}
		}
	}
	if strings.Contains(f.log.String(), secret) {
		t.Error("the log has the key")
	}
}

// A provider that takes too long is a 504.
//
// SPEC: B6
func TestSlowProvider(t *testing.T) {
	up := newProvider(t)
	up.answer = func(_ http.ResponseWriter, r *http.Request, _ string) bool { <-r.Context().Done(); return true }
	o := options(up.url)
	o.Upstream.HeaderTimeout = 10 * time.Millisecond
	f := serve(t, o)
	for _, a := range apis {
		resp, got := post(t, f.url+a.path, a.body([]string{a.first}, false))
		if resp.StatusCode != http.StatusGatewayTimeout || member(t, got, "error", "type") != "timeout_error" && member(t, got, "error", "status") != "DEADLINE_EXCEEDED" {
			t.Errorf("%s: status %d: %s", a.name, resp.StatusCode, got)
		}
	}
}

// An answer that breaks off, or stalls, breaks off for the client too: half of
// one never looks whole.
//
// SPEC: B6, V9
func TestAnswerBreaksOff(t *testing.T) {
	for _, a := range apis {
		for _, how := range []string{"cut", "stall"} {
			t.Run(a.name+"/"+how, func(t *testing.T) {
				half := stream(a, 1, 100)
				half = half[:len(half)/2]
				up := newProvider(t)
				up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
					up.send(w, "text/event-stream", half)
					if how == "cut" {
						panic(http.ErrAbortHandler)
					}
					<-r.Context().Done()
					return true
				}
				o := options(up.url)
				o.Upstream.IdleTimeout = 50 * time.Millisecond
				f := serve(t, o)
				resp, err := client(t).Do(request(t, context.Background(), f.url+a.path, a.body([]string{a.first}, true)))
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err == nil || string(got) != half {
					t.Errorf("%v after %d of %d bytes", err, len(got), len(half))
				}
			})
		}
	}
}

// A client that leaves ends the provider's work: before the answer, and in it.
//
// SPEC: B6
func TestClientLeaves(t *testing.T) {
	for _, a := range apis {
		for _, begun := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/begun=%t", a.name, begun), func(t *testing.T) {
				arrived, gone := make(chan bool, 1), make(chan bool, 1)
				up := newProvider(t)
				up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
					if begun {
						up.send(w, "text/event-stream", "data: {}\n\n")
					}
					arrived <- true
					<-r.Context().Done()
					gone <- true
					return true
				}
				f := serve(t, options(up.url))
				ctx, leave := context.WithCancel(context.Background())
				var all sync.WaitGroup
				all.Go(func() {
					resp, err := client(t).Do(request(t, ctx, f.url+a.path, a.body([]string{a.first}, true)))
					if err == nil {
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				})
				<-arrived
				leave()
				<-gone
				all.Wait()
			})
		}
	}
}

// Requests upgraded to another protocol pass.
//
// SPEC: B6
func TestUpgrade(t *testing.T) {
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		defer func() { _ = conn.Close() }()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + r.Header.Get("Upgrade") + "\r\n\r\n")
		_ = rw.Flush()
		line, _ := rw.ReadString('\n')
		_, _ = rw.WriteString("you said " + line)
		_ = rw.Flush()
		return true
	}
	f := serve(t, options(up.url))
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	in := bufio.NewReader(conn)
	for line := "x"; line != "\r\n" && err == nil; {
		line, err = in.ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "hello\n")
	b, err := io.ReadAll(in)
	if err != nil || string(b) != "you said hello\n" {
		t.Errorf("%v: %q", err, b)
	}
}

// A plan of a request whose key was never accepted before is written once it is. Where
// that fails, the answer goes on whole, it is told once, and the prompt stays what it
// was.
//
// SPEC: V9
func TestFirstPlanOfAKeyFails(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	g := grown(t, up, a, 20, true)
	o := options(up.url)
	o.Engine.Store, o.Budget = &broken{Store: memory.New(), commit: func() error { return errDisk }}, budget
	f := serve(t, o)
	g.url = f.url + a.path
	g.step()
	if n := strings.Count(f.log.String(), "request is not logged"); n != 1 || !strings.Contains(f.log.String(), "stage=log") {
		t.Errorf("log %s", f.log)
	}
	g.step()
	got := up.requests()
	if n := breaks(t, a, got[len(got)-2:]); n != 0 {
		t.Errorf("%d breaks", n)
	}
}

// A request that another process was faster with is logged anew. Where that fails, too,
// it is told once.
//
// SPEC: V9
func TestLoggedAnewFails(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	g := grown(t, up, a, 20, true)
	var late atomic.Bool
	o := options(up.url)
	o.Budget, o.Limits.PrepareTimeout = budget, time.Second
	o.Engine.Store = &broken{
		Store:  memory.New(),
		commit: func() error { late.Store(true); return store.ErrStale },
		head: func(context.Context) error {
			if late.Load() {
				return errDisk
			}
			return nil
		},
	}
	f := serve(t, o)
	g.url = f.url + a.path
	g.step()
	if n := strings.Count(f.log.String(), "request is not logged"); n != 1 || !strings.Contains(f.log.String(), "stage=log") {
		t.Errorf("log %s", f.log)
	}
}
