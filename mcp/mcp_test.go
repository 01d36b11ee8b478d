package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/mcp"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// big is a tool's output of many pages.
var big = func() string {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%d: Größe ☃ 𝄞 \t[end 00000000] {\"n\":%d}\r\n", i, i*7919)
	}
	return b.String() + "no newline at the end"
}()

// kept makes a database: thread "talk" of tenant t with a plan, "older" of the
// same tenant, and "theirs" of another.
func kept(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "precis.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	check(t, err)
	result := func(id, text string) message.Message {
		return message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}}}
	}
	call := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c1", Name: "Bash", Args: `{"cmd":"make"}`}}}
	log := func(tenant, name string, at time.Time, ms ...message.Message) []thread.Entry {
		es := thread.Extend("", ms)
		_, err := s.Append(t.Context(), store.Key{Tenant: tenant, Thread: name}, store.Batch{Entries: es, Now: at})
		check(t, err)
		return es
	}
	log("t", "older", now.Add(-time.Hour), message.TextOf(message.User, "the older thread"))
	log("u", "theirs", now.Add(time.Hour), message.TextOf(message.User, "another tenant's secret"))
	es := log("t", "talk", now, message.TextOf(message.User, "Why does the build fail?"), call, result("c1", big),
		message.TextOf(message.Assistant, "x is not declared."), message.TextOf(message.User, "the launch code is 0000"))
	th, err := thread.New(es)
	check(t, err)
	code := artifact.Of(es[4].ID, 1, []byte("the launch code is 0000"))
	code.Sensitivity, code.Created = artifact.Restricted, now
	out := artifact.Of(es[2].ID, 1, []byte(big))
	out.Created, out.Tool = now, "Bash"
	p, err := plan.Build(plan.Plan{Thread: "talk", Version: 1, Base: th.Tip(), ThreadVersion: th.Len(), Records: []plan.Record{
		{Action: plan.Externalize, Artifact: out.ID, Text: "a build", Span: plan.Span{IDs: []thread.ID{es[2].ID}, Part: 1}},
	}}, th)
	check(t, err)
	check(t, s.Commit(t.Context(), store.Key{Tenant: "t", Thread: "talk"}, p, []artifact.Artifact{out, code}))
	check(t, s.Close())
	return path
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reading opens a database anew for each call.
func reading(path string) func(context.Context, func(store.Store) error) error {
	return func(ctx context.Context, f func(store.Store) error) error {
		s, err := sqlite.OpenReadOnly(ctx, path, sqlite.Options{})
		if err != nil {
			return err
		}
		return errors.Join(f(s), s.Close())
	}
}

func options(path string) mcp.Options {
	return mcp.Options{With: reading(path), Tenant: "t", Version: "v1", Now: func() time.Time { return now }}
}

// transports are the ways to a server.
var transports = map[string]func(testing.TB, *mcp.Server) *sdk.ClientSession{"stdio": overStdio, "http": overHTTP}

func client() *sdk.Client { return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil) }

func overStdio(t testing.TB, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, in, out) }()
	c, err := client().Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	check(t, err)
	t.Cleanup(func() {
		_ = toServer.Close() // the client's end; the session notices
		_ = c.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		cancel()
	})
	return c
}

func overHTTP(t testing.TB, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	h := httptest.NewServer(s.Handler(""))
	own := &http.Client{Transport: &http.Transport{}}
	c, err := client().Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: h.URL, HTTPClient: own}, nil)
	check(t, err)
	t.Cleanup(func() {
		check(t, c.Close())
		own.CloseIdleConnections()
		h.Close()
	})
	return c
}

func ask(t testing.TB, c *sdk.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	check(t, err)
	if len(res.Content) != 1 {
		t.Fatalf("%d contents", len(res.Content))
	}
	return res.Content[0].(*sdk.TextContent).Text, res.IsError
}

// What the tools are called and how they are described is part of the prompts
// of those who use them.
//
// SPEC: B8, V6
func TestTools(t *testing.T) {
	var b strings.Builder
	for _, d := range mcp.Definitions() {
		fmt.Fprintf(&b, "%s\n%s\n%s\n\n", d.Name, d.Description, d.Schema)
	}
	const file = "testdata/tools.txt"
	if *update {
		check(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
	s := server(t, options(kept(t)))
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			got, err := connect(t, s).ListTools(t.Context(), nil)
			check(t, err)
			if len(got.Tools) != 5 {
				t.Fatalf("%d tools", len(got.Tools))
			}
			for _, tool := range got.Tools {
				schema, err := json.Marshal(tool.InputSchema)
				check(t, err)
				if !tool.Annotations.ReadOnlyHint || *tool.Annotations.OpenWorldHint || !bytes.Contains(schema, []byte(`"thread":`)) {
					t.Errorf("%s: %+v, %s", tool.Name, tool.Annotations, schema)
				}
			}
		})
	}
}

// SPEC: B8, L13, V10
func TestCalls(t *testing.T) {
	s := server(t, options(kept(t)))
	other := "\n(of thread \"talk\", the last updated of 2; the argument thread chooses another)"
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			c := connect(t, s)
			for _, tt := range []struct {
				tool   string
				args   map[string]any
				failed bool
				want   string // with * for anything
			}{
				{"precis_read", map[string]any{"id": "#1"}, false, "[begin * #1, user, lines 1-1 of 1, bytes 0-24 of 24]\nWhy does the build fail?\n[end *]" + other},
				{"precis_read", map[string]any{"id": "#1", "thread": "talk"}, false, "[begin *]\nWhy does the build fail?\n[end *]"},
				{"precis_read", map[string]any{"id": "#1", "thread": "old"}, false, "[begin *]\nthe older thread\n[end *]"},
				{"precis_read", map[string]any{"id": "#1", "thread": nil}, false, "[begin *]\nWhy *"},
				{"read_artifact", map[string]any{"id": "#2", "thread": ""}, false, "[begin *]\n{\"cmd\":\"make\"}\n[end *]*"},
				{"precis_grep", map[string]any{"query": "declared"}, false, "[begin *best first]\n#4/1 assistant\n     1: x is not declared.\n*"},
				{"precis_grep", map[string]any{"query": "^2999:", "regexp": true}, false, "[begin *newest message first]\n#3/1 tool Bash `make` (externalize)\n  3000: 2999: *"},
				{"precis_describe", map[string]any{"id": "#3"}, false, "[begin * #3, message]\n*in the prompt: edited\n*"},
				{"precis_list", nil, false, "[begin * messages 1-5 of 5]\n#1 user 24 bytes in 1 line: Why*"},
				{"precis_read", map[string]any{"id": "#9"}, true, "miss: find \"#9\": not in this thread: its messages are #1 to #5; *"},
				{"precis_read", map[string]any{}, true, "bad_argument: id is missing; *"},
				{"precis_read", nil, true, "bad_argument: id is missing; *"},
				{"precis_read", map[string]any{"id": "#1", "thread": 7}, true, "bad_argument: thread must be a string"},
				{"precis_read", map[string]any{"id": "#1", "thread": "theirs"}, true, "miss: thread \"theirs\" is none, or more than one, of the 2 here; the last updated:\n\"talk\", 5 messages, *\n\"older\", *"},
				{"precis_read", map[string]any{"id": "#5", "thread": "talk"}, true, "denied: reading * takes the permission artifact:read:restricted"},
				{"precis_grep", map[string]any{"query": "launch code"}, false, "miss: nothing found: *"},
			} {
				text, failed := ask(t, c, tt.tool, tt.args)
				if failed != tt.failed || !like(tt.want, text) {
					t.Errorf("%s %v: failed %t: %.600s\nwant %s", tt.tool, tt.args, failed, text, tt.want)
				}
				if strings.Contains(text, "secret") || strings.Contains(text, "0000 is") || strings.Contains(text, "code is") {
					t.Errorf("%s %v tells: %s", tt.tool, tt.args, text)
				}
			}
			if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "precis_drop"}); err == nil {
				t.Error("a tool that is not there was called")
			}
		})
	}
}

func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, ".*") + `$`).MatchString(text)
}

var frame = regexp.MustCompile(`^\[begin [0-9a-f]{8} .*, bytes (\d+)-(\d+) of \d+\]\n`)

// The pages of a text, asked for one after another of a server that is started
// anew for each, are the text to the last byte.
//
// SPEC: B8, V1
func TestPages(t *testing.T) {
	path := kept(t)
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			pages := 0
			for cursor := ""; ; pages++ {
				text, failed := "", false
				t.Run(strconv.Itoa(pages), func(t *testing.T) {
					text, failed = ask(t, connect(t, server(t, options(path))), "precis_read", map[string]any{"id": "#3/1", "thread": "talk", "cursor": cursor})
				})
				m := frame.FindStringSubmatch(text)
				if failed || m == nil {
					t.Fatalf("page %d: %.300s", pages, text)
				}
				from, _ := strconv.Atoi(m[1])
				to, _ := strconv.Atoi(m[2])
				got.WriteString(text[len(m[0]):][:to-from])
				_, after, more := strings.Cut(text[len(m[0])+to-from:], `cursor "`)
				if !more {
					break
				}
				cursor, _, _ = strings.Cut(after, `"`)
			}
			if got.String() != big || pages < 5 {
				t.Errorf("%d pages make %d bytes, not the %d that were logged", pages, got.Len(), len(big))
			}
		})
	}
}

// Who holds the permission reads what is restricted; each call is told of.
//
// SPEC: L15
func TestPermission(t *testing.T) {
	o := options(kept(t))
	o.Permissions = []string{artifact.ReadRestricted}
	var mu sync.Mutex
	var told []string
	o.Tell = func(k store.Key, got recall.Retrieval) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprint(k.Thread, " ", got.Tool, " ", got.Outcome, " ", got.Refs))
	}
	o.Thread = "ta"
	c := overHTTP(t, server(t, o))
	if text, failed := ask(t, c, "precis_read", map[string]any{"id": "#5"}); failed || !strings.Contains(text, "\nthe launch code is 0000\n[end ") {
		t.Error(text)
	}
	ask(t, c, "precis_grep", map[string]any{"query": "launch", "thread": "nowhere"})
	if d := cmp.Diff([]string{"talk precis_read found [#5]", " precis_grep miss []"}, told); d != "" {
		t.Error(d)
	}
}

// Calls at once are each answered as if alone.
//
// SPEC: B8
func TestAtOnce(t *testing.T) {
	s := server(t, options(kept(t)))
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			c := connect(t, s)
			var wg sync.WaitGroup
			for i := range 60 {
				wg.Go(func() {
					res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "precis_read", Arguments: map[string]any{"id": "#3", "from_line": i + 1, "to_line": i + 1}})
					if err != nil {
						t.Error(err)
						return
					}
					if text := res.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, fmt.Sprintf("]\n%d: Größe", i)) {
						t.Errorf("line %d: %s", i+1, text)
					}
				})
			}
			wg.Wait()
		})
	}
}

// A call that its client gives up ends, and the session goes on.
func TestCancelled(t *testing.T) {
	path := kept(t)
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			o := options(path)
			begun, ended := make(chan struct{}), make(chan error, 1)
			var first atomic.Bool
			o.With = func(ctx context.Context, f func(store.Store) error) error {
				if first.CompareAndSwap(false, true) {
					close(begun)
					<-ctx.Done()
					ended <- ctx.Err()
					return ctx.Err()
				}
				return reading(path)(ctx, f)
			}
			c := connect(t, server(t, o))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-begun
				cancel()
			}()
			if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "precis_list"}); !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the server's part ended with %v", err)
			}
			if text, failed := ask(t, c, "precis_list", nil); failed {
				t.Error(text)
			}
		})
	}
}

// A store that fails once is asked again; one that is not there, or stays
// broken, is an answer, and says nothing of where it is.
//
// SPEC: V9
func TestStoreFails(t *testing.T) {
	path := kept(t)
	broken := errors.New("disk at /srv/x is on fire")
	for name, tt := range map[string]struct {
		fails int
		err   error
		want  string
	}{
		"once":  {1, broken, "[begin *"},
		"twice": {2, broken, "unavailable: the log cannot be read now; the same call may work later"},
		"none":  {2, fs.ErrNotExist, "unavailable: no conversation has been kept yet: there is no database"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(path)
			var calls atomic.Int32
			o.With = func(ctx context.Context, f func(store.Store) error) error {
				if int(calls.Add(1)) <= tt.fails {
					return tt.err
				}
				return reading(path)(ctx, f)
			}
			text, failed := ask(t, overStdio(t, server(t, o)), "precis_list", nil)
			if failed != strings.HasPrefix(tt.want, "un") || !like(tt.want, text) {
				t.Errorf("failed %t: %s", failed, text)
			}
		})
	}
	o := options(path)
	o.Tenant = "nobody"
	if text, failed := ask(t, overHTTP(t, server(t, o)), "precis_list", nil); !failed || text != "miss: no conversation has been kept yet" {
		t.Error(text)
	}
}

// What is written while a server runs is seen by its next call.
func TestSeesNew(t *testing.T) {
	path := kept(t)
	c := overStdio(t, server(t, options(path)))
	ask(t, c, "precis_list", nil)
	w, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	check(t, err)
	_, err = w.Append(t.Context(), store.Key{Tenant: "t", Thread: "new"}, store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "just said")}), Now: now.Add(time.Hour)})
	check(t, err)
	if text, _ := ask(t, c, "precis_read", map[string]any{"id": "1"}); !strings.Contains(text, "just said") {
		t.Error(text)
	}
	check(t, w.Close())
}

// A call that names no thread reads none that only a proxy made, unless that is asked
// for.
//
// SPEC: B8, V10
func TestDefaultThread(t *testing.T) {
	path := kept(t)
	w, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	check(t, err)
	for tenant, name := range map[string]string{"t": "new", "p": "only"} {
		b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "from a page")}), Source: store.ProxySource("openai"), Now: now.Add(time.Hour)}
		_, err = w.Append(t.Context(), store.Key{Tenant: tenant, Thread: name}, b)
		check(t, err)
	}
	check(t, w.Close())
	for _, c := range []struct {
		tenant  string
		proxied bool
		want    string
	}{
		{"t", false, "Why does the build fail?"},
		{"t", true, "from a page"},
		{"p", false, `only a proxy made the 1 here, so the argument thread must name one`},
		{"p", true, "from a page"},
	} {
		o := options(path)
		o.Tenant, o.Proxied = c.tenant, c.proxied
		if text, _ := ask(t, overStdio(t, server(t, o)), "precis_read", map[string]any{"id": "1"}); !strings.Contains(text, c.want) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}

// A call whose thread is known lists no threads; a beginning of a key is looked for among all.
//
// SPEC: B8
func TestNamedThreadListsNone(t *testing.T) {
	for name, c := range map[string]struct {
		args  map[string]any
		lists int
	}{
		"talk": {map[string]any{"id": "#1"}, 0},
		"":     {map[string]any{"id": "#1", "thread": "talk"}, 0},
		"ta":   {map[string]any{"id": "#1"}, 1},
	} {
		o, lists := options(kept(t)), 0
		o.Thread = name
		with := o.With
		o.With = func(ctx context.Context, f func(store.Store) error) error {
			return with(ctx, func(s store.Store) error { return f(listing{s, &lists}) })
		}
		if text, failed := ask(t, overStdio(t, server(t, o)), "precis_read", c.args); failed || !strings.Contains(text, "Why does the build fail?") || lists != c.lists {
			t.Errorf("%q: %d lists, %s", name, lists, text)
		}
	}
}

// listing counts lists of threads.
type listing struct {
	store.Store
	lists *int
}

func (s listing) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	*s.lists++
	return s.Store.Heads(ctx, tenant)
}

func BenchmarkCall(b *testing.B) {
	c := overStdio(b, server(b, options(kept(b))))
	b.ReportAllocs()
	for b.Loop() {
		ask(b, c, "precis_read", map[string]any{"id": "#1"})
	}
}
