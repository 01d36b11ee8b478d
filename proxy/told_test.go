package proxy_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A hook that fails is told as a hook that failed.
//
// SPEC: V9
func TestHookFailuresAreToldAsSuch(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	o.Engine.Hooks = event.Hooks{Before: func(context.Context, event.Payload) (event.Verdict, error) {
		return event.Verdict{}, errors.New("the hook broke")
	}}
	f := serve(t, o)
	g := newAgent(t, apiNamed(t, "openai"), f.url, true)
	for f.plans(t) == 0 {
		g.step()
	}
	text := f.log.String()
	if !strings.Contains(text, "hook failed; the call goes on without it") || !strings.Contains(text, "stage=hook") || strings.Contains(text, "compaction failed") {
		t.Errorf("log %s", text)
	}
	if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, `precis_failures_total{api="openai",stage="hook"}`) {
		t.Errorf("metrics %s", m)
	}
}

// The proxy's own errors have codes of their own.
//
// SPEC: V9
func TestOwnErrorsHaveCodes(t *testing.T) {
	up := newProvider(t)
	up.lax = true
	o := options(up.url)
	o.Tenancy = proxy.Tenancy{ByCredential: true, Quota: proxy.Quota{Threads: 1}}
	f := serve(t, o)
	a := apiNamed(t, "openai")
	for _, c := range []struct {
		code   string
		status int
		text   string
		header []string
	}{
		{"", 200, "first", nil},
		{"precis_quota", 429, "second", nil},
		{"precis_refused", 403, "third", []string{"Origin", "https://attacker.example"}},
	} {
		resp, body := post(t, f.url+a.path, a.body([]string{userSays(a, c.text)}, false), c.header...)
		if resp.StatusCode != c.status || c.code != "" && !strings.Contains(body, `"code":"`+c.code+`"`) {
			t.Errorf("%s: status %d, %s", c.code, resp.StatusCode, body)
		}
	}
	down := options("http://127.0.0.1:1")
	g := serve(t, down)
	if resp, body := post(t, g.url+a.path, a.body([]string{userSays(a, "x")}, false)); resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, `"code":"precis_upstream"`) {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
}

// slow is a store whose artifacts, once on, do not come before nobody waits.
type slow struct {
	store.Store
	on  atomic.Bool
	err error // instead
}

func (s *slow) ArtifactList(ctx context.Context, k store.Key) ([]artifact.Artifact, error) {
	if !s.on.Load() {
		return s.Store.ArtifactList(ctx, k)
	}
	if s.err != nil {
		return nil, s.err
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A log that is too slow for a look-up is told as that, one that cannot be read as that,
// to the model and in the metrics.
//
// SPEC: V9, B6
func TestSlowLogIsToldAsSuch(t *testing.T) {
	for outcome, c := range map[string]struct {
		err  error
		text string
	}{
		"stopped":     {nil, "stopped: the log did not answer in time"},
		"unavailable": {errDisk, "unavailable: the log cannot be read now"},
	} {
		up := newProvider(t)
		s := &slow{Store: memory.New(), err: c.err}
		o := options(up.url)
		o.Budget, o.Engine.Store, o.Limits.PrepareTimeout = budget, s, 500*time.Millisecond
		a := apiNamed(t, "anthropic")
		f := serve(t, o)
		g := newAgent(t, a, f.url, true)
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
		g.hangs()
		if !strings.Contains(up.last(), c.text) {
			t.Errorf("%s: the model got %s", outcome, up.last())
		}
		if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, `precis_recalls_total{api="anthropic",outcome="`+outcome+`",tool="precis_grep"} 1`) {
			t.Errorf("%s: metrics %s", outcome, m)
		}
	}
}
