// Package sdk_test uses the providers' official SDKs as clients, through the
// proxy and through the transport.
package sdk_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"go.uber.org/goleak"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const budget = 8_000

// script is what the model says in step n: thinking, text, one to three calls.
func script(a api, n int) fakeprovider.Reply {
	s := fakeprovider.Reply{ID: fmt.Sprintf("id_%d", n), Text: fmt.Sprintf("Schritt %d: größer 😀 <b>&amp;</b>, and \"quoted\".", n)}
	if a.thinks {
		s.Thinking, s.Signature = fmt.Sprintf("Part %d comes next, then the ünbekannte.", n), base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signature %d", n))
	}
	for i := range 1 + n%3 {
		s.Calls = append(s.Calls, fakeprovider.Call{ID: fmt.Sprintf("call_%d_%d", n, i), Name: "read_file", Args: fmt.Sprintf(`{"path":"/srv/\"part\" %d-%d <ü>.go"}`, n, i)})
	}
	return s
}

// output is what a tool says of a call.
func output(id string) string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "%s:%d: func step_%d(total int) error { return check(total, %d) }\n", id, i+1, i, i*7919+len(id))
	}
	return b.String()
}

// same wants what the SDK gives to be what the model said.
func same(t *testing.T, a api, want fakeprovider.Reply, got said) {
	t.Helper()
	if got.text != want.Text || a.thinks && got.thinking != want.Thinking+"|"+want.Signature {
		t.Fatalf("the SDK read %+v", got)
	}
	if len(got.calls) != len(want.Calls) {
		t.Fatalf("the SDK read %d calls of %d", len(got.calls), len(want.Calls))
	}
	for i, c := range want.Calls {
		if got.calls[i] != (call{c.ID, c.Name, c.Args}) {
			t.Fatalf("the SDK read %+v of %+v", got.calls[i], c)
		}
	}
}

// A loop of tools over thirty-two steps and several compactions: the SDK reads every
// answer as it was given, every request obeys the provider's rules and schema
// and is within the budget, and the prefix changes with plans only.
//
// SPEC: B6, B7, V3, V4, V6
func TestLoop(t *testing.T) {
	each(t, func(t *testing.T, a api, w way, stream bool) {
		t.Parallel()
		up := newProvider(t, a)
		url, h, s := w.open(t, up, budget)
		c := a.client(url, h, 0)
		n := 0
		up.next = func(string) fakeprovider.Reply { return script(a, n) }
		c.user("Find out why the nightly build fails.")
		for n = range 32 {
			got, err := c.ask(t.Context(), stream)
			if err != nil {
				t.Fatalf("step %d: %v", n, err)
			}
			same(t, a, script(a, n), got)
			var results []string
			for _, x := range got.calls {
				results = append(results, output(x.id))
			}
			c.results(results)
		}
		hs, err := s.Heads(t.Context(), "")
		if err != nil || len(hs) != 1 {
			t.Fatalf("%v: threads %+v", err, hs)
		}
		if b := up.breaks(); b < 2 || b != hs[0].PlanVersion {
			t.Errorf("%d prefix breaks, %d plans", b, hs[0].PlanVersion)
		}
		if up.most > budget || up.most < budget/2 {
			t.Errorf("the largest request has %d tokens", up.most)
		}
		if len(up.bodies) != 32 {
			t.Errorf("%d requests", len(up.bodies))
		}
	})
}

// What the model looks up on the way the SDK never sees, and the usage it
// reports is that of all rounds.
//
// SPEC: B8
func TestLookups(t *testing.T) {
	for _, a := range apis {
		for _, stream := range []bool{true, false} {
			if !a.recalls {
				continue
			}
			t.Run(fmt.Sprintf("%s/stream=%t", a.name, stream), func(t *testing.T) {
				t.Parallel()
				up := newProvider(t, a)
				url, h, _ := throughProxy(t, up, budget*2)
				c := a.client(url, h, 0)
				n, looks, asked := 0, 0, false
				up.next = func(body string) fakeprovider.Reply {
					if asked = !asked && n%4 == 3 && strings.Contains(body, `"precis_grep"`); !asked {
						return script(a, n)
					}
					looks++
					return fakeprovider.Reply{ID: "look", Signature: script(a, n).Signature, Calls: []fakeprovider.Call{{ID: fmt.Sprintf("look_%d", n), Name: "precis_grep", Args: `{"query":"call_1_0"}`}}}
				}
				c.user("Find out why the nightly build fails.")
				for n = range 48 {
					got, err := c.ask(t.Context(), stream)
					if err != nil {
						t.Fatalf("step %d: %v", n, err)
					}
					want := script(a, n)
					same(t, a, want, got)
					var results []string
					for _, x := range got.calls {
						results = append(results, output(x.id))
					}
					c.results(results)
				}
				if looks < 3 {
					t.Errorf("%d look-ups", looks)
				}
			})
		}
	}
}

// refusals are errors as providers write them.
var refusals = map[string]struct {
	status int
	body   string
}{
	"invalid":    {400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0: no","param":"tools","code":"bad"},"request_id":"req_1"}`},
	"key":        {401, `{"type":"error","error":{"type":"authentication_error","message":"no such key","param":null,"code":"invalid_api_key"},"request_id":"req_1"}`},
	"limit":      {429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down","param":null,"code":"rate_limit_exceeded"},"request_id":"req_1"}`},
	"down":       {500, `{"type":"error","error":{"type":"api_error","message":"oops","param":null,"code":null},"request_id":"req_1"}`},
	"overloaded": {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded","param":null,"code":null},"request_id":"req_1"}`},
	"no JSON":    {503, `<html>Service Unavailable</html>`},
}

// Errors are the SDK's own, with all that the provider said.
//
// SPEC: B6, B7, V11 · WP3
func TestErrors(t *testing.T) {
	each(t, func(t *testing.T, a api, w way, stream bool) {
		for name, r := range refusals {
			up := newProvider(t, a)
			up.take = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Request-Id", "req_1")
				w.WriteHeader(r.status)
				_, _ = io.WriteString(w, r.body)
				return true
			}
			url, h, _ := w.open(t, up, budget)
			c := a.client(url, h, 0)
			c.user("Hello.")
			_, err := c.ask(t.Context(), stream)
			var status int
			var raw, id string
			var x *anthropic.Error
			var y *openai.Error
			var z genai.APIError
			switch {
			case errors.As(err, &x):
				status, raw, id = x.StatusCode, x.RawJSON(), x.RequestID
			case errors.As(err, &y):
				status, raw, id = y.StatusCode, y.RawJSON(), y.Response.Header.Get("Request-Id")
			case errors.As(err, &z): // it has no header, and of the status only what the body says
				status, raw, id = r.status, z.Message, "req_1"
			}
			if name == "no JSON" { // the SDKs have no error of their own for it
				raw, id, status = r.body, "req_1", r.status
			}
			if err == nil || status != r.status || !strings.Contains(r.body, raw) || raw == "" || id != "req_1" {
				t.Errorf("%s: %v: status %d, %s, %s", name, err, status, id, raw)
			}
			if len(up.bodies) != 1 {
				t.Errorf("%s: %d requests", name, len(up.bodies))
			}
		}
	})
}

// An SDK that tries again is let try again, and a prompt that is too long is none
// of its errors: it is compacted and sent again.
//
// SPEC: B6, B7, T8
func TestTriesAgain(t *testing.T) {
	each(t, func(t *testing.T, a api, w way, stream bool) {
		up := newProvider(t, a)
		url, h, _ := w.open(t, up, 0)
		c := a.client(url, h, 1)
		n := 0
		up.next = func(string) fakeprovider.Reply { return script(a, n) }
		c.user("Find out why the nightly build fails.")
		for n = range 8 {
			got, err := c.ask(t.Context(), stream)
			if err != nil {
				t.Fatal(err)
			}
			results := make([]string, len(got.calls))
			for i, x := range got.calls {
				results[i] = output(x.id)
			}
			c.results(results)
		}
		before, window := len(up.bodies), 0
		up.take = func(w http.ResponseWriter, _ *http.Request) bool {
			switch len(up.bodies) - before {
			case 1:
				w.Header().Set("Retry-After-Ms", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, refusals["limit"].body)
				return true
			case 2:
				window = up.most
				w.Header().Set("X-Should-Retry", "false")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"Your input exceeds the context window of this model.","code":"context_length_exceeded","param":"input"}}`)
				return true
			}
			return false
		}
		if _, err := c.ask(t.Context(), stream); err != nil {
			t.Fatal(err)
		}
		got := up.bodies[before:]
		if len(got) != 3 || got[0] != got[1] || up.tokens([]byte(got[2])) >= window {
			t.Errorf("%d requests", len(got))
		}
	})
}

// An error within a stream is the SDK's error; a stream that is cut is one, too.
//
// SPEC: B6, B7, V9 · WP3
func TestBrokenStream(t *testing.T) {
	each(t, func(t *testing.T, a api, w way, stream bool) {
		if !stream {
			t.Skip("there is none")
		}
		for _, how := range []string{"error", "cut"} {
			up := newProvider(t, a)
			up.take = func(w http.ResponseWriter, _ *http.Request) bool {
				text := script(a, 1).Stream(a.name)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, text[:strings.LastIndex(text[:len(text)/2], "\n\n")+2])
				w.(http.Flusher).Flush()
				if how == "cut" {
					panic(http.ErrAbortHandler)
				}
				if a.name != "gemini" {
					_, _ = io.WriteString(w, "event: error\n")
				}
				_, _ = io.WriteString(w, "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n")
				return true
			}
			url, h, _ := w.open(t, up, budget)
			c := a.client(url, h, 0)
			c.user("Hello.")
			_, err := c.ask(t.Context(), true)
			if err == nil || how == "error" && !strings.Contains(err.Error(), "verloaded") {
				t.Errorf("%s: error %v", how, err)
			}
		}
	})
}

// A program that gives up ends the provider's work, before the answer and in it.
//
// SPEC: B6, B7
func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, a api, w way, stream bool) {
		up := newProvider(t, a)
		here, gone := make(chan bool, 1), make(chan bool, 1)
		up.take = func(w http.ResponseWriter, r *http.Request) bool {
			if stream {
				text := script(a, 1).Stream(a.name)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, text[:strings.LastIndex(text[:len(text)/2], "\n\n")+2])
				w.(http.Flusher).Flush()
			}
			here <- true
			<-r.Context().Done()
			gone <- true
			return true
		}
		url, h, _ := w.open(t, up, budget)
		c := a.client(url, h, 0)
		c.user("Hello.")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error)
		go func() {
			_, err := c.ask(ctx, stream)
			ended <- err
		}()
		<-here
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		<-gone
	})
}
