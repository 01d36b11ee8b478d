package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-3db51b0e/precis/upstream"
)

// A stream that stalls is cut; one that is slow is not, and neither is one whose
// reader is slow.
func TestIdle(t *testing.T) {
	o := upstream.Options{IdleTimeout: time.Minute}
	t.Run("stalled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, end := pipe(t, o, drip(0))
			defer end()
			resp, err := c.Do(t.Context(), request("http://host/"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			start := time.Now()
			got, err := io.ReadAll(resp.Body)
			if string(got) != "." || !errors.Is(err, upstream.ErrStalled) || time.Since(start) != time.Minute {
				t.Errorf("%q, %v after %v", got, err, time.Since(start))
			}
		})
	})
	t.Run("slow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, end := pipe(t, o, drip(59*time.Second))
			defer end()
			resp, err := c.Do(t.Context(), request("http://host/"))
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, resp); len(got) != 20 {
				t.Errorf("%q", got)
			}
		})
	})
	t.Run("slow reader", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, end := pipe(t, o, drip(time.Second))
			defer end()
			resp, err := c.Do(t.Context(), request("http://host/"))
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				time.Sleep(time.Hour)
				if n, err := resp.Body.Read(make([]byte, 1)); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			if got := read(t, resp); len(got) != 17 {
				t.Errorf("%q", got)
			}
		})
	})
}

// No header in time is an error, and nothing is sent again.
func TestHeaderTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		c, end := pipe(t, upstream.Options{HeaderTimeout: time.Minute}, func(_ http.ResponseWriter, r *http.Request) {
			sent.Add(1)
			<-r.Context().Done()
		})
		defer end()
		start := time.Now()
		_, err := c.Do(t.Context(), request("http://host/"))
		if !errors.Is(err, upstream.ErrNoAnswer) || time.Since(start) != time.Minute || sent.Load() != 1 {
			t.Errorf("%v after %v, sent %d times", err, time.Since(start), sent.Load())
		}
	})
}

// Waits double and are bounded, a Retry-After is obeyed and bounded too, and the
// total holds.
func TestWaits(t *testing.T) {
	waits := func(o upstream.Options, h http.HandlerFunc) (ws []time.Duration, took time.Duration, status int) {
		synctest.Test(t, func(t *testing.T) {
			o.OnRetry = func(r upstream.Retry) { ws = append(ws, r.Wait) }
			c, end := pipe(t, o, h)
			defer end()
			start := time.Now()
			resp, err := c.Do(t.Context(), request("http://host/"))
			if err != nil {
				t.Fatal(err)
			}
			read(t, resp)
			took, status = time.Since(start), resp.Status
		})
		return ws, took, status
	}
	asks := func(v string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", v)
			w.WriteHeader(429)
		}
	}
	ws, took, _ := waits(upstream.Options{Attempts: 6, Backoff: time.Second, MaxWait: 4 * time.Second}, status(500))
	sum := time.Duration(0)
	for i, about := range []time.Duration{1, 2, 4, 4, 4} {
		if w := ws[i]; w < about*time.Second*3/4 || w > about*time.Second*5/4+1 {
			t.Errorf("wait %d is %v, want about %d s", i, w, about)
		}
		sum += ws[i]
	}
	if len(ws) != 5 || took != sum {
		t.Errorf("waited %v for %v", ws, took)
	}
	if ws, _, _ := waits(upstream.Options{Attempts: 2}, asks("7")); !slices.Equal(ws, []time.Duration{7 * time.Second}) {
		t.Errorf("a Retry-After of 7 waited %v", ws)
	}
	// The clock of a bubble starts at midnight of 2000-01-01.
	if ws, _, _ := waits(upstream.Options{Attempts: 2}, asks("Sat, 01 Jan 2000 00:00:30 GMT")); !slices.Equal(ws, []time.Duration{30 * time.Second}) {
		t.Errorf("a Retry-After by date waited %v", ws)
	}
	if ws, _, _ := waits(upstream.Options{Attempts: 2}, asks("9000")); !slices.Equal(ws, []time.Duration{time.Minute}) {
		t.Errorf("a Retry-After of 9000 waited %v", ws)
	}
	ws, took, code := waits(upstream.Options{Attempts: 100, Total: 50 * time.Second}, asks("20"))
	if len(ws) != 2 || took != 40*time.Second || code != 429 {
		t.Errorf("in a total of 50 s waited %v, took %v, status %d", ws, took, code)
	}
}

// The circuit of a host opens after so many failures in a row, lets one through
// after the cool-down, and closes when that works. Other hosts are not affected,
// and neither busy hosts nor callers that leave count.
func TestCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		works := false
		c, end := pipe(t, upstream.Options{Attempts: 1, Failures: 3, Cooldown: time.Minute}, func(w http.ResponseWriter, r *http.Request) {
			sent.Add(1)
			switch {
			case r.Host == "busy":
				w.WriteHeader(429)
			case r.Host == "bad" && !works:
				w.WriteHeader(503)
			}
		})
		defer end()
		do := func(host string) error {
			resp, err := c.Do(t.Context(), request("http://"+host+"/"))
			if err == nil {
				read(t, resp)
			}
			return err
		}
		open := func(host string, want bool) {
			t.Helper()
			before := sent.Load()
			err := do(host)
			if got := errors.Is(err, upstream.ErrOpen); got != want || got == (sent.Load() > before) {
				t.Errorf("%s: %v, sent %d", host, err, sent.Load()-before)
			}
		}
		for range 3 {
			open("bad", false)
		}
		for range 3 {
			open("bad", true)
			open("good", false)
			open("busy", false)
		}
		time.Sleep(time.Minute + 1)
		open("bad", false) // half open, and fails
		open("bad", true)
		time.Sleep(time.Minute + 1)
		works = true
		open("bad", false) // half open, and works
		open("bad", false)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 5 {
			if _, err := c.Do(ctx, request("http://good/")); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		open("good", false)
	})
}
