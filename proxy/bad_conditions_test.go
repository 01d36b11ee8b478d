package proxy_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// rusty is a store whose calls fail when fail says so.
type rusty struct {
	store.Store
	fail func(op string) error
}

func (r *rusty) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if err := r.fail("head"); err != nil {
		return store.Head{}, err
	}
	return r.Store.Head(ctx, k)
}

func (r *rusty) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if err := r.fail("load"); err != nil {
		return nil, err
	}
	return r.Store.Load(ctx, k)
}

func (r *rusty) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	if err := r.fail("plan"); err != nil {
		return nil, err
	}
	return r.Store.Plan(ctx, k)
}

func (r *rusty) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if err := r.fail("append"); err != nil {
		return store.Head{}, err
	}
	return r.Store.Append(ctx, k, b)
}

func (r *rusty) Commit(ctx context.Context, k store.Key, p *plan.Plan, as []artifact.Artifact) error {
	if err := r.fail("commit"); err != nil {
		return err
	}
	return r.Store.Commit(ctx, k, p, as)
}

// A database that cannot be written for a while costs no answer: what stands is
// used, the failure is told, and once the client sends its history again the log
// is whole.
//
// SPEC: V1, V9, S7 · P1
func TestDatabaseRecovers(t *testing.T) {
	for _, fault := range []string{"locked", "read-only", "full"} {
		for _, a := range apis {
			t.Run(fault+"/"+a.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "p.db")
				s, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyTimeout: 5 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				var with error
				r := &rusty{s, func(op string) error {
					if op == "append" || op == "commit" {
						return with
					}
					return nil
				}}
				up := newProvider(t)
				o := options(up.url)
				o.Budget, o.Engine.Store = budget, r
				f := serve(t, o)
				g := newAgent(t, a, f.url, true)
				for f.plans(t) == 0 {
					g.step()
				}
				t.Run("meanwhile", func(t *testing.T) { // its end is the end of the fault
					switch fault {
					case "locked":
						lock(t, path)
					case "read-only":
						with = sqlite.ErrReadOnly
					case "full":
						with = sqlite.ErrFull
					}
					before := strings.Count(f.log.String(), "level=WARN")
					for range 3 {
						g.step()
					}
					if n := strings.Count(f.log.String(), "level=WARN") - before; n == 0 || n > 6 {
						t.Errorf("told %d times: %s", n, f.log)
					}
				})
				with = nil
				for range 2 {
					g.step()
				}
				hs := f.threads(t, "")
				if len(hs) != 1 {
					t.Fatalf("%d threads", len(hs))
				}
				f.complete(t, hs[0], g)
				if up.most > budget {
					t.Errorf("a request of %d tokens", up.most)
				}
			})
		}
	}
}

// lock holds the write lock of a database until the test ends, as another
// process would.
func lock(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := c.ExecContext(context.Background(), "ROLLBACK")
		if err := errors.Join(err, c.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
}

// weather is a provider that fails in every way, again and again, and twice does
// not answer at all.
func weather(t *testing.T, up *provider, rng *rand.Rand) {
	t.Helper()
	var mu sync.Mutex // a request may come while another one is given up
	silent := 2
	draw := func() int {
		mu.Lock()
		defer mu.Unlock()
		n := rng.IntN(9)
		if n == 5 {
			if silent--; silent < 0 {
				return -1
			}
		}
		return n
	}
	up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		switch draw() {
		case 0:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "<html>") // the client reads it, or the test fails
		case 2: // reset before a word
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return true
			}
			_ = conn.Close()
		case 3: // cut within
			text := stream(apis[0], 1, 100)
			up.send(w, "text/event-stream", text[:len(text)/3])
			panic(http.ErrAbortHandler)
		case 4: // a length that is not kept
			w.Header().Set("Content-Length", "9999")
			_, _ = io.WriteString(w, `{"half":`)
		case 5:
			<-r.Context().Done()
		default:
			return false
		}
		return true
	}
}

// A session through bad weather: the client tries again until it has an answer.
// No request is invalid or over the budget, the prefix changes with plans only,
// and the log is whole.
//
// SPEC: B6, V1, V3, V4, V6, V9 · P1, P5, P12
func TestFailingNetwork(t *testing.T) {
	for i, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			attack := hostile.Begin(t, "faults", 40, 400)
			attack.N = max(attack.N, 24) // fewer steps may stay below the budget, and make no plan
			t.Parallel()
			up := newProvider(t)
			weather(t, up, rand.New(rand.NewPCG(11, uint64(i))))
			o := options(up.url)
			o.Budget, o.Upstream.HeaderTimeout = budget, time.Second
			o.Upstream.Failures = 1 << 20
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			h := client(t)
			failed := 0
			for range attack.N {
				for tries := 0; !g.tried(h); tries++ {
					if failed++; tries == 60 {
						t.Fatal("no answer in sixty tries")
					}
				}
			}
			attack.Found("steps of a session on %s; %d requests failed upstream; no request invalid or over the budget, the log is whole", a.name, failed)
			hs := f.threads(t, "")
			if len(hs) != 1 {
				t.Fatalf("%d threads", len(hs))
			}
			if n := breaks(t, a, up.requests()); n != hs[0].PlanVersion || n == 0 {
				t.Errorf("%d prefix breaks, %d plans", n, hs[0].PlanVersion)
			}
			if up.most > budget {
				t.Errorf("a request of %d tokens", up.most)
			}
			f.complete(t, hs[0], g)
		})
	}
}

// tried is a step that may fail, and says whether it did not.
func (g *agent) tried(h *http.Client) bool {
	g.t.Helper()
	g.sent = g.body()
	resp, err := h.Do(request(g.t, context.Background(), g.url, g.sent, g.header...))
	if err != nil {
		return false
	}
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		return false
	}
	g.follow(string(b))
	return true
}

// follow is what follows from an answer.
func (g *agent) follow(text string) {
	g.t.Helper()
	r := g.read(text)
	before := len(g.messages)
	for _, m := range r.Messages() {
		g.messages = append(g.messages, string(m.Raw))
	}
	for _, at := range r.Message.Calls() {
		id := r.Message.Parts[at].CallID
		g.messages = append(g.messages, fmt.Sprintf(g.api.result, id, quoted(g.output(id))))
	}
	g.last = g.messages[before:]
}

// A session over a store that fails every now and then, in any of its calls:
// every request is answered, every prompt is valid, and in the end the log is
// whole.
//
// SPEC: V1, V3, V9 · P1, P12
func TestFailingStore(t *testing.T) {
	for i, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(12, uint64(i)))
			var mu sync.Mutex
			well := false
			failures := map[string]int{}
			r := &rusty{memory.New(), func(op string) error {
				mu.Lock()
				defer mu.Unlock()
				if well || rng.IntN(6) > 0 {
					return nil
				}
				failures[op]++
				return errDisk
			}}
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Engine.Store = budget, r
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			for range 60 {
				g.step()
			}
			mu.Lock()
			well = true
			mu.Unlock()
			if len(failures) < 2 {
				t.Errorf("only %v failed", failures)
			}
			g.step()
			hs := f.threads(t, "")
			if len(hs) != 1 || hs[0].PlanVersion == 0 {
				t.Fatalf("threads %+v", hs)
			}
			f.complete(t, hs[0], g)
			if n, calls := strings.Count(f.log.String(), "msg=call "), len(up.requests()); n != calls {
				t.Errorf("%d calls, %d requests", n, calls)
			}
		})
	}
}

// Hundreds of conversations at a time over one file: each is a thread of its
// own, whole and within the budget.
//
// SPEC: B6, V1, V3, V4 · P12
func TestTwoHundred(t *testing.T) {
	attack := hostile.Begin(t, "load", 200, 1000)
	attack.Found("conversations at a time over one file; each is a thread of its own, whole and within the budget")
	up := newProvider(t)
	o := options(up.url)
	o.Budget, o.Engine.Store = budget, onDisk(t, "")
	f := serve(t, o)
	var all sync.WaitGroup
	for i := range attack.N {
		a := apis[i%3]
		g := newAgent(t, a, f.url, i%2 == 0)
		g.messages = []string{strings.Replace(a.first, "nightly", fmt.Sprintf("nightly %d", i), 1)}
		for n := range 8 { // a history, the longest ones over the budget
			id := fmt.Sprintf("call_%d_%d", i, n)
			g.lines = 4 + i/3%3*20
			g.messages = append(g.messages, asks(a, id), fmt.Sprintf(a.result, id, quoted(g.output(id))))
		}
		all.Go(func() {
			for range 2 {
				g.step()
			}
		})
	}
	all.Wait()
	hs := f.threads(t, "")
	if len(hs) != attack.N {
		t.Errorf("%d threads", len(hs))
	}
	plans := 0
	for _, h := range hs {
		plans += min(h.PlanVersion, 1)
	}
	if plans < attack.N/4 || up.most > budget {
		t.Errorf("%d threads with a plan, largest request %d", plans, up.most)
	}
	if strings.Contains(f.log.String(), "level=WARN") {
		t.Errorf("log %s", f.log)
	}
}

// asks is a message that calls the tool.
func asks(a api, id string) string {
	switch a.name {
	case "anthropic":
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"read_file","input":{"path":"/a"}}]}`, id)
	case "openai":
		return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read_file","arguments":"{}"}}]}`, id)
	case "gemini":
		return fmt.Sprintf(`{"role":"model","parts":[{"functionCall":{"id":%q,"name":"read_file","args":{"path":"/a"}}}]}`, id)
	}
	return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":"read_file","arguments":"{}"}`, id)
}

// A body of 32 MB, the most that any provider takes, is compacted like any other;
// over the limit of the proxy it passes as it is.
//
// SPEC: B6, V4, V9, V11 · WA12, P13
func TestLargeBody(t *testing.T) {
	if testing.Short() {
		t.Skip("a body of 32 MB")
	}
	a := apis[0]
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	line := "2026-03-06T19:24:00Z GET /v1/seats status=200 bytes=86193\n"
	large := strings.Repeat(line, (32<<20)/len(line)-100)
	body := a.body([]string{a.first, asks(a, "c1"), fmt.Sprintf(a.result, "c1", quoted(large))}, false)
	if resp, text := post(t, f.url+a.path, body); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %.200s", resp.StatusCode, text)
	}
	if up.most > budget || len(up.last()) > 1<<20 {
		t.Errorf("%d tokens, %d bytes", up.most, len(up.last()))
	}
	up.answer = func(http.ResponseWriter, *http.Request, string) bool { return true }
	o.Limits.MaxBody = 31 << 20
	f = serve(t, o)
	post(t, f.url+a.path, body)
	if up.last() != body || !strings.Contains(f.log.String(), "reason=too_large") {
		t.Errorf("upstream got %d of %d bytes", len(up.last()), len(body))
	}
}

// A request whose header is too large is refused before anything is read of it,
// and one whose body never comes holds up nobody.
//
// SPEC: B6
func TestHeaderLimit(t *testing.T) {
	up := newProvider(t)
	f := serve(t, options(up.url))
	a := apis[0]
	resp, err := client(t).Do(request(t, t.Context(), f.url+a.path, a.body([]string{a.first}, false), "X-Large", strings.Repeat("x", 2<<20)))
	if err == nil {
		_ = resp.Body.Close()
	}
	if err == nil && resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge || len(up.requests()) > 0 {
		t.Errorf("%v: %v", err, resp)
	}
	body, write := io.Pipe()
	r := request(t, t.Context(), f.url+a.path, "")
	r.Body, r.ContentLength = body, -1
	var all sync.WaitGroup
	all.Go(func() {
		if resp, err := client(t).Do(r); err == nil {
			_ = resp.Body.Close()
		}
	})
	_, _ = io.WriteString(write, `{"model":`) // and no more for now
	newAgent(t, a, f.url, false).step()
	_ = write.CloseWithError(io.ErrUnexpectedEOF)
	all.Wait()
	if n := len(up.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
