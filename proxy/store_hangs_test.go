package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// stuck is a store whose reads, once on, do not return before nobody waits.
type stuck struct {
	store.Store
	on atomic.Bool
}

func (s *stuck) wait(ctx context.Context) error {
	if !s.on.Load() {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s *stuck) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if err := s.wait(ctx); err != nil {
		return store.Head{}, err
	}
	return s.Store.Head(ctx, k)
}

func (s *stuck) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.Store.Load(ctx, k)
}

// hangs posts and fails where no answer comes to its end.
func (g *agent) hangs() string {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	resp, err := client(g.t).Do(request(g.t, ctx, g.url, g.body(), g.header...))
	if err != nil {
		g.t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatalf("no end: %v", err)
	}
	_ = resp.Body.Close() // it was read
	return string(b)
}

// A store that hangs holds no answer up for longer than PrepareTimeout: not its end,
// not a look-up, not what a compaction item of ours stands for, not the proxy's own.
//
// SPEC: V9
func TestStoreHangs(t *testing.T) {
	hanging := func(t *testing.T) (*provider, *stuck, string) {
		up := newProvider(t)
		s := &stuck{Store: memory.New()}
		o := options(up.url)
		o.Budget, o.Engine.Store, o.Limits.PrepareTimeout = budget, s, 300*time.Millisecond
		return up, s, serve(t, o).url
	}
	t.Run("when the answer is kept", func(t *testing.T) {
		up, s, url := hanging(t)
		up.answer = func(http.ResponseWriter, *http.Request, string) bool { s.on.Store(true); return false }
		newAgent(t, apiNamed(t, "anthropic"), url, true).hangs()
	})
	t.Run("when the model looks something up", func(t *testing.T) {
		up, s, url := hanging(t)
		a := apiNamed(t, "anthropic")
		g := newAgent(t, a, url, true)
		g.lines = 16
		planned(t, up, g)
		round := 0
		up.speak(a, func(string) *line {
			s.on.Store(true)
			if round++; round == 1 {
				return &line{text: "Let me look.", calls: [][3]string{look("r1", `{"query":"part1"}`)}}
			}
			return &line{text: "I cannot."}
		})
		if text := g.hangs(); !strings.Contains(text, "I cannot.") {
			t.Errorf("the client got %s", text)
		}
	})
	t.Run("when somebody asks whether it is ready", func(t *testing.T) {
		o := options(newProvider(t).url)
		s := &stuck{Store: memory.New()}
		o.Engine.Store = s // and PrepareTimeout is a minute: who asks does not wait for so long
		url := serve(t, o).url
		s.on.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // its status is enough
		if resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("status %d", resp.StatusCode)
		}
	})
	t.Run("when a compaction item is read", func(t *testing.T) {
		up, s, url := hanging(t)
		s.on.Store(true)
		up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			_, _ = io.WriteString(w, `{}`)
			return true
		}
		g := newCodexer(t, url, "k")
		g.messages = append(g.messages, fmt.Sprintf(`{"type":"compaction","id":"cmp_1","encrypted_content":%q}`, "precis:"+strings.Repeat("0", 64)))
		g.hangs()
	})
}
