package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/upstream"
)

const secret = "sk-very-secret-0042"

// quick makes retries cost no time worth speaking of.
var quick = upstream.Options{Backoff: time.Microsecond}

func request(url string) upstream.Request {
	return upstream.Request{URL: url, Header: http.Header{"Authorization": {"Bearer " + secret}}, Body: []byte(`{"q":1}`)}
}

func read(t *testing.T, r *upstream.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// SPEC: B6. What is worth another attempt gets one, with the same bytes; what is
// not, and what comes last, is handed out as it is.
func TestAttempts(t *testing.T) {
	for name, tt := range map[string]struct {
		statuses []int // one an attempt
		status   int
		sent     int
	}{
		"at once":            {[]int{200}, 200, 1},
		"created":            {[]int{201}, 201, 1},
		"rate limit":         {[]int{429, 200}, 200, 2},
		"every kind, in all": {[]int{500, 502, 503, 200}, 200, 4},
		"overloaded":         {[]int{529, 504, 200}, 200, 3},
		"too often":          {[]int{529, 529, 529, 529, 200}, 529, 4},
		"the client's fault": {[]int{400, 200}, 400, 1},
		"no right":           {[]int{401, 200}, 401, 1},
		"too large":          {[]int{413, 200}, 413, 1},
		"not built":          {[]int{501, 200}, 501, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var bodies []string
			c, url := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				bodies = append(bodies, r.Method+" "+string(b)+" "+r.Header.Get("Authorization"))
				w.Header().Set("X-Attempt", fmt.Sprint(len(bodies)))
				w.WriteHeader(tt.statuses[len(bodies)-1])
				fmt.Fprintf(w, "answer %d", len(bodies))
			})
			resp, err := c.Do(t.Context(), request(url))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := read(t, resp), fmt.Sprintf("answer %d", tt.sent); got != want {
				t.Errorf("body %q, want %q", got, want)
			}
			if resp.Status != tt.status || resp.Attempts != tt.sent || resp.Header.Get("X-Attempt") != fmt.Sprint(tt.sent) {
				t.Errorf("status %d after %d attempts, want %d after %d", resp.Status, resp.Attempts, tt.status, tt.sent)
			}
			want := slices.Repeat([]string{`POST {"q":1} Bearer ` + secret}, tt.sent)
			if d := cmp.Diff(want, bodies); d != "" {
				t.Errorf("sent (-want +got):\n%s", d)
			}
		})
	}
}

// A connection that breaks before an answer is tried again; one that cannot be
// made fails with a reason that holds no secret.
func TestConnectionErrors(t *testing.T) {
	sent := 0
	c, url := serve(t, quick, func(w http.ResponseWriter, _ *http.Request) {
		if sent++; sent < 3 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, "ok")
	})
	resp, err := c.Do(t.Context(), request(url))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, resp); got != "ok" || sent != 3 {
		t.Errorf("%q after %d attempts", got, sent)
	}

	closed := httptest.NewServer(nil)
	closed.Close()
	var told []upstream.Retry
	o := quick
	o.OnRetry = func(r upstream.Retry) { told = append(told, r) }
	gone := client(t, o)
	defer gone.Close()
	_, err = gone.Do(t.Context(), request(closed.URL+"/v1?key="+secret))
	if err == nil || len(told) != 3 || told[2].Attempt != 3 || told[2].Err == nil || told[2].Status != 0 {
		t.Errorf("error %v, told %+v", err, told)
	}
	if s := fmt.Sprint(err, told); strings.Contains(s, secret) || !strings.Contains(s, "refused") {
		t.Errorf("told %s", s)
	}
}

// What can never be sent fails at once.
func TestUnusable(t *testing.T) {
	c := client(t, quick)
	defer c.Close()
	for _, url := range []string{"", "example.com/v1", "ftp://example.com", "http://", "http://[::1?key=" + secret, "file:///etc/passwd"} {
		_, err := c.Do(t.Context(), upstream.Request{URL: url})
		if !errors.Is(err, upstream.ErrURL) || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", url, err)
		}
	}
	told := 0
	o := quick
	o.OnRetry = func(upstream.Retry) { told++ }
	c, url := serve(t, o, func(http.ResponseWriter, *http.Request) { t.Error("sent") })
	r := request(url)
	r.Header.Set("X-Key", secret+"\n")
	if _, err := c.Do(t.Context(), r); err == nil || told > 0 || strings.Contains(err.Error(), secret) {
		t.Errorf("bad header: %v, told %d times", err, told)
	}
	r = request(url)
	r.Method = "a b"
	if _, err := c.Do(t.Context(), r); err == nil || told > 0 {
		t.Errorf("bad method: %v, told %d times", err, told)
	}
}

// Once an answer is handed out nothing is sent again, and what was cut says so.
func TestCutBody(t *testing.T) {
	sent := 0
	c, url := serve(t, quick, func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half of")
	})
	resp, err := c.Do(t.Context(), request(url))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if string(got) != "half of" || !errors.Is(err, io.ErrUnexpectedEOF) || sent != 1 {
		t.Errorf("%q, %v, sent %d times", got, err, sent)
	}
}

// SPEC: WP1. A redirect is handed out: credentials never reach another host.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer other.Close()
	c, url := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	resp, err := c.Do(t.Context(), request(url))
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	if resp.Status != 307 || resp.Header.Get("Location") != other.URL {
		t.Errorf("status %d to %q", resp.Status, resp.Header.Get("Location"))
	}
}

// A stream is handed out as it comes, and its end ends the exchange; what goes
// on is not compressed behind the caller's back.
func TestStream(t *testing.T) {
	gone := make(chan struct{})
	step := make(chan struct{})
	c, url := serve(t, upstream.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if h := r.Header.Get("Accept-Encoding"); h != "" {
			t.Errorf("asks for %q", h)
		}
		for {
			fmt.Fprint(w, "data: x\n\n")
			if http.NewResponseController(w).Flush() != nil {
				break
			}
			select {
			case <-step:
			case <-r.Context().Done():
				close(gone)
				return
			}
		}
	})
	resp, err := c.Do(t.Context(), upstream.Request{Method: "GET", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 64)
	for range 3 {
		if n, err := resp.Body.Read(p); err != nil || string(p[:n]) != "data: x\n\n" {
			t.Fatalf("read %q, %v", p[:n], err)
		}
		step <- struct{}{}
	}
	resp.Body.Close()
	<-gone
}

// A client that goes away ends the exchange at once, wherever it is.
func TestCancel(t *testing.T) {
	stop := errors.New("the client is gone")
	t.Run("while waiting for the header", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, end := pipe(t, upstream.Options{}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			defer end()
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(stop) })
			start := time.Now()
			_, err := c.Do(ctx, request("http://host/"))
			if !errors.Is(err, stop) || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("between attempts", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, end := pipe(t, upstream.Options{Backoff: time.Minute}, status(500))
			defer end()
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(stop) })
			start := time.Now()
			_, err := c.Do(ctx, request("http://host/"))
			if !errors.Is(err, stop) || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("in the body", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, end := pipe(t, upstream.Options{}, drip(0))
			defer end()
			ctx, cancel := context.WithCancelCause(t.Context())
			resp, err := c.Do(ctx, request("http://host/"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			time.AfterFunc(time.Second, func() { cancel(stop) })
			if _, err := io.ReadAll(resp.Body); !errors.Is(err, stop) {
				t.Error(err)
			}
		})
	})
}

func status(codes ...int) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(codes[min(int(n.Add(1)), len(codes))-1])
	}
}

// drip writes a byte each interval, 20 times; with none it writes one and waits.
func drip(every time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := range 20 {
			if i > 0 {
				select {
				case <-r.Context().Done():
					return
				case <-later(every):
				}
			}
			fmt.Fprint(w, ".")
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func later(d time.Duration) <-chan time.Time {
	if d == 0 {
		return nil
	}
	return time.After(d)
}

func TestEndToEnd(t *testing.T) {
	in := http.Header{
		"Connection":          {"keep-alive, X-Mine", "x-other"},
		"Keep-Alive":          {"timeout=5"},
		"Proxy-Authorization": {"Basic x"},
		"Te":                  {"trailers"},
		"Transfer-Encoding":   {"chunked"},
		"Upgrade":             {"h2c"},
		"X-Mine":              {"1"},
		"X-Other":             {"2"},
		"Authorization":       {"Bearer x"},
		"Anthropic-Beta":      {"a", "b"},
		"Content-Type":        {"application/json"},
	}
	before := in.Clone()
	want := http.Header{"Authorization": {"Bearer x"}, "Anthropic-Beta": {"a", "b"}, "Content-Type": {"application/json"}}
	if d := cmp.Diff(want, upstream.EndToEnd(in)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(before, in); d != "" {
		t.Errorf("input changed:\n%s", d)
	}
	if got := upstream.EndToEnd(nil); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestValidate(t *testing.T) {
	for field, o := range map[string]upstream.Options{
		"attempts":       {Attempts: -1},
		"failures":       {Failures: -1},
		"backoff":        {Backoff: -1},
		"max wait":       {MaxWait: -1},
		"total":          {Total: -1},
		"header timeout": {HeaderTimeout: -1},
		"idle timeout":   {IdleTimeout: -1},
		"cooldown":       {Cooldown: -1},
	} {
		if _, err := upstream.New(o); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := (upstream.Options{}).Validate(); err != nil {
		t.Error(err)
	}
}
