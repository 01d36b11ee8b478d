package inspect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// known is a model with prices and caching rules.
func known(t testing.TB) model.Model {
	t.Helper()
	m, ok := model.Lookup("claude-sonnet-4-5")
	if !ok {
		t.Fatal("the table lacks the model of the tests")
	}
	return m
}

var session = sync.OnceValue(func() testsessions.Recording { return testsessions.Session(7, testsessions.Options{Messages: 130}) })

// simulated is a store with a conversation that the engine compacted on the way.
func simulated(t testing.TB, name string, budget int) store.Store {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	simulateInto(t, s, name, budget, session().Messages)
	return s
}

// shown is a store that tests only read.
var shown = sync.OnceValue(func() store.Store {
	s := memory.New()
	m, _ := model.Lookup("claude-sonnet-4-5")
	in := precis.Input{Thread: "t", Messages: session().Messages, Model: m, Budget: 16_000, Client: precis.Client{Source: "anthropic"}}
	if err := inspect.Simulate(context.Background(), precis.Options{Store: s}, in); err != nil {
		panic(err)
	}
	return s
})

func simulateInto(t testing.TB, s store.Store, name string, budget int, ms []message.Message) {
	t.Helper()
	in := precis.Input{Thread: name, Messages: ms, Model: known(t), Budget: budget, Client: precis.Client{Source: "anthropic"}}
	if err := inspect.Simulate(t.Context(), precis.Options{Store: s}, in); err != nil {
		t.Fatal(err)
	}
}

// client is a page's side of the API.
type client struct {
	t      testing.TB
	url    string
	csrf   string
	cookie *http.Cookie
}

// served serves a store and opens it as a page does.
func served(t testing.TB, s store.Store, o inspect.Options) *client {
	t.Helper()
	srv := httptest.NewServer(inspect.Handler(s, o))
	t.Cleanup(srv.Close)
	c := &client{t: t, url: srv.URL}
	if o.Token != "" {
		resp := c.do(c.request(http.MethodGet, "/?token="+o.Token, nil))
		c.cookie = resp.Cookies()[0]
	}
	c.csrf = c.do(c.request(http.MethodGet, "/api/v1/session", nil)).Header.Get("X-Precis-Csrf")
	return c
}

func (c *client) request(method, path string, body io.Reader) *http.Request {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.cookie != nil {
		r.AddCookie(c.cookie)
	}
	return r
}

// do sends a request and follows nothing; the body is read.
func (c *client) do(r *http.Request) *http.Response {
	c.t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp
}

// get reads an answer into v, which must succeed.
func (c *client) get(path string, v any) {
	c.t.Helper()
	c.want(c.do(c.request(http.MethodGet, "/api/v1/"+path, nil)), http.StatusOK, v)
}

func (c *client) want(resp *http.Response, status int, v any) {
	c.t.Helper()
	data, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != status {
		c.t.Fatalf("%s answers %d: %s", resp.Request.URL, resp.StatusCode, data)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(data, v); err != nil {
		c.t.Fatalf("%s: %v", resp.Request.URL, err)
	}
}

// post sends JSON as the page does.
func (c *client) post(path string, body any) *http.Response {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	r := c.request(http.MethodPost, "/api/v1/"+path, bytes.NewReader(data))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Precis-Csrf", c.csrf)
	return c.do(r)
}

// act does an action that must succeed.
func (c *client) act(thread string, a inspect.Action) (d inspect.Done) {
	c.t.Helper()
	c.want(c.post("threads/"+thread+"/actions", a), http.StatusOK, &d)
	return d
}

// refused does an action that must not, and returns why.
func (c *client) refused(thread string, status int, a inspect.Action) string {
	c.t.Helper()
	var e struct{ Error struct{ Code, Text string } }
	c.want(c.post("threads/"+thread+"/actions", a), status, &e)
	return e.Error.Code + ": " + e.Error.Text
}

func current(t testing.TB, s store.Store, name string) int {
	t.Helper()
	h, err := s.Head(t.Context(), store.Key{Thread: name})
	if err != nil {
		t.Fatal(err)
	}
	return h.PlanVersion
}

func contains(t testing.TB, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q says nothing of %q", text, part)
	}
}
