package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// dial opens a connection and writes to it.
func dial(t testing.TB, url, text string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Connections that announce much and send little take little memory, and are closed in
// time, whatever they ask for.
func TestAnnouncedLengthIsNotBelieved(t *testing.T) {
	attack := hostile.Begin(t, "sockets", 100, 2000)
	up := newProvider(t)
	o := options(up.url)
	o.Limits.BodyTimeout = 2 * time.Second
	f := serve(t, o)
	before := heap()
	var cs []net.Conn
	for i := range attack.N {
		path := []string{"/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens", "/v1/files", "/healthz"}[i%5]
		cs = append(cs, dial(t, f.url, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 67000000\r\n\r\n{"))
	}
	time.Sleep(500 * time.Millisecond) // all of them are being read
	taken := int64(heap()) - int64(before)
	attack.Found("%d MB taken, of %d MB announced; all answered with 408 and closed", taken>>20, 67*len(cs))
	if taken > 32<<20+int64(max(len(cs)-100, 0))<<15 { // buffers of both sides
		t.Errorf("%d connections take %d MB", len(cs), taken>>20)
	}
	for i, c := range cs {
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		said, err := io.ReadAll(c) // until it is closed
		if text := string(said); err != nil || i%5 < 4 && !strings.HasPrefix(text, "HTTP/1.1 408 ") {
			t.Fatalf("%d: %v: %.200s", i, err, text)
		}
	}
}

// Where bodies take all the room that there is, a call waits for a bounded time and is
// told to come again; one body always gets on, and what is freed can be taken.
func TestBodiesInFlightAreBounded(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	release := make(chan struct{})
	var waiting atomic.Int32
	up.answer = func(http.ResponseWriter, *http.Request, string) bool {
		waiting.Add(1)
		<-release
		return false
	}
	o := options(up.url)
	o.Mode, o.Limits.MaxHeld, o.Limits.HeldTimeout = proxy.Observe, 3000, 50*time.Millisecond
	f := serve(t, o)
	c := client(t)
	body := a.body([]string{a.first, `{"role":"user","content":"` + strings.Repeat("more ", 300) + `"}`}, false)
	post := func() (int, string) {
		resp, err := c.Do(request(t, t.Context(), f.url+a.path, body))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer func() { _ = resp.Body.Close() }()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, resp.Header.Get("Retry-After")
	}
	var all sync.WaitGroup
	for range 2 { // the first fits, the second is the one that may exceed
		all.Go(func() {
			if status, _ := post(); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		})
	}
	for waiting.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if status, after := post(); status != http.StatusServiceUnavailable || after == "" {
		t.Errorf("status %d, Retry-After %q", status, after)
	}
	close(release)
	all.Wait()
	if status, _ := post(); status != http.StatusOK {
		t.Errorf("afterwards: status %d", status)
	}
}

// quick is a provider whose header comes at once, before the request is read, and whose
// body comes later.
func quick(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() { quickly(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); served.Wait() })
	return "http://" + l.Addr().String()
}

const late = `{"answer":"whole"}`

func quickly(c net.Conn) {
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if line != "\r\n" {
			continue
		}
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(late))
		_, _ = io.CopyN(io.Discard, in, int64(len(asked)))
		time.Sleep(2 * time.Millisecond)
		_, _ = io.WriteString(c, late)
	}
}

const asked = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`

// An answer that begins while the request is still being sent arrives whole.
func TestQuickAnswersAreWhole(t *testing.T) {
	o := options(quick(t))
	o.Mode = proxy.Off
	f := serve(t, o)
	var cut atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		c := client(t)
		all.Go(func() {
			for range 500 {
				resp, err := c.Do(request(t, t.Context(), f.url+"/v1/messages", asked))
				if err != nil {
					cut.Add(1)
					continue
				}
				text, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || string(text) != late {
					cut.Add(1)
				}
			}
		})
	}
	all.Wait()
	if n := cut.Load(); n > 0 {
		t.Errorf("%d of 4000 answers are cut", n)
	}
}

// A provider that answers without reading the request leaves its rest to the proxy: the
// client has its answer, and the connection goes on or is closed, in order.
func TestAnswersBeforeTheRequestIsRead(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, late)
	}))
	t.Cleanup(up.Close)
	o := options(up.URL)
	o.Mode, o.Engine.Store = proxy.Off, memory.New()
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var said lines
	s := httptest.NewUnstartedServer(p)
	s.Config.ErrorLog = log.New(&said, "", 0)
	s.Start()
	t.Cleanup(func() { s.Close(); p.Close() })
	c := client(t)
	body := strings.Repeat("x", 200<<10)
	for range 300 {
		resp, err := c.Do(request(t, t.Context(), s.URL+"/v1/messages", body))
		if err != nil {
			continue // the provider closed the connection before it had the request
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	if strings.Contains(said.String(), "panic") {
		t.Errorf("%.300s", said.String())
	}
}

// What is remembered of conversations has one bound for all tenants, and more tenants
// than a hundred are no cliff: each conversation goes on from memory.
func TestManyTenantsShareMemory(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	up.lax = true
	o := options(up.url)
	o.Tenancy.ByCredential = true
	f := serve(t, o)
	attack := hostile.Begin(t, "keys", 150, 1000)
	tenants, rounds := attack.N, 3
	said := make([][]string, tenants)
	for round := range rounds {
		for n := range tenants {
			if round == 0 {
				said[n] = []string{a.first}
			} else {
				said[n] = append(said[n], `{"role":"assistant","content":"yes"}`, `{"role":"user","content":"go on"}`)
			}
			attack.Found("%d requests, every conversation went on from memory", tenants*rounds)
			if resp, text := post(t, f.url+a.path, a.body(said[n], false), "Authorization", fmt.Sprint("Bearer key-", n)); resp.StatusCode != http.StatusOK {
				t.Fatalf("status %d: %s", resp.StatusCode, text)
			}
		}
	}
	_, m := get(t, f.url+"/metrics")
	if want := fmt.Sprintf("precis_threads_hits_total %d", tenants*(rounds-1)); !strings.Contains(m, want) {
		for line := range strings.Lines(m) {
			if strings.HasPrefix(line, "precis_threads") {
				t.Log(line)
			}
		}
		t.Error("not every conversation was found in memory")
	}
}
