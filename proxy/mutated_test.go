package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// mutator makes broken requests of sound ones, the same for a seed.
type mutator struct{ *rand.Rand }

// sound is a request of an API that its provider takes: some rounds of calls, some of them
// large.
func (m mutator) sound(a api) string {
	ms := []string{strings.Replace(a.first, "nightly", fmt.Sprint("nightly ", m.IntN(1000)), 1)}
	for n := range m.IntN(8) {
		id := fmt.Sprintf("call_%d", n)
		ms = append(ms, asks(a, id), fmt.Sprintf(a.result, id, quoted(strings.Repeat(fmt.Sprintf("line %d of the build log\n", m.IntN(9999)), 1+m.IntN(120)))))
	}
	return a.body(ms, m.IntN(2) == 0)
}

// odd are values that stand where nobody expects them.
var odd = []string{
	`null`, `true`, `-1`, `0`, `1e999`, `1.5`, `""`, `"x"`, `"\ud800"`, `"\u0000"`, `[]`, `{}`, `[[]]`, `{"a":{"a":{}}}`, `[null]`, `"` + strings.Repeat("é", 3000) + `"`,
	strings.Repeat("[", 2000) + strings.Repeat("]", 2000), `{"type":"text","text":"x"}`, `{"type":"tool_use","id":"call_0","name":"x","input":{}}`,
	`{"role":"tool","tool_call_id":"nobody","content":"x"}`, `{"type":"future_block","data":[1,2]}`, `9007199254740993`, `"call_0"`, `"assistant"`, `"precis_read"`,
}

// mutated is a request with one to three faults.
func (m mutator) mutated(body string) string {
	for range 1 + m.IntN(3) {
		if m.IntN(3) == 0 {
			body = m.bytes(body)
			continue
		}
		var v any
		if json.Unmarshal([]byte(body), &v) == nil {
			body = written(m.node(v, 1+m.IntN(6)))
		}
	}
	return body
}

// bytes breaks a body without looking at what it says.
func (m mutator) bytes(body string) string {
	b := []byte(body)
	if len(b) == 0 {
		return body
	}
	at := m.IntN(len(b))
	end := min(len(b), at+1+m.IntN(40))
	switch m.IntN(7) {
	case 0:
		b[at] ^= 1 << m.IntN(8)
	case 1:
		b = b[:at]
	case 2:
		b = slices.Delete(b, at, end)
	case 3:
		b = slices.Insert(b, at, b[at:end:end]...)
	case 4:
		b = slices.Insert(b, at, []byte(odd[m.IntN(len(odd))])...)
	case 5:
		b[at] = "\x00\xff{}[]\",:\\"[m.IntN(10)]
	case 6:
		b = append([]byte("\xef\xbb\xbf"), b...)
	}
	return string(b)
}

// raw is JSON that is written as it is.
type raw string

func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// node changes something at most so deep in a value.
func (m mutator) node(v any, depth int) any {
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if len(keys) == 0 {
			return raw(odd[m.IntN(len(odd))])
		}
		k := keys[m.IntN(len(keys))]
		if m.IntN(3) == 0 { // where most is said
			for _, of := range []string{"messages", "input", "content"} {
				if x[of] != nil {
					k = of
				}
			}
		}
		switch n := m.IntN(8); {
		case depth > 0 && n < 4:
			x[k] = m.node(x[k], depth-1)
		case n == 4:
			delete(x, k)
		case n == 5:
			x[keys[m.IntN(len(keys))]] = x[k]
		case n == 6:
			x[[]string{"role", "type", "id", "content", "tool_call_id", "name", "store", "stream", "nobody"}[m.IntN(9)]] = raw(odd[m.IntN(len(odd))])
		default:
			x[k] = raw(odd[m.IntN(len(odd))])
		}
		return x
	case []any:
		if len(x) == 0 {
			return []any{raw(odd[m.IntN(len(odd))])}
		}
		i, j := m.IntN(len(x)), m.IntN(len(x))
		switch n := m.IntN(8); {
		case depth > 0 && n < 4:
			x[i] = m.node(x[i], depth-1)
		case n == 4:
			return slices.Delete(x, i, i+1)
		case n == 5:
			return slices.Insert(x, i, x[j])
		case n == 6:
			x[i], x[j] = x[j], x[i]
		default:
			return slices.Insert(x, i, any(raw(odd[m.IntN(len(odd))])))
		}
		return x
	}
	return raw(odd[m.IntN(len(odd))])
}

func written(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // 1e999 among them
	}
	return string(b)
}

// victim is a proxy before a provider that takes everything.
type victim struct {
	proxy *proxy.Proxy
	log   *bytes.Buffer
	got   string
	asked int
}

func newVictim(t *testing.T, upstream string, budget int) *victim {
	t.Helper()
	v := &victim{log: &bytes.Buffer{}}
	o := options(upstream)
	o.Budget, o.Engine.Store = budget, memory.New()
	o.Log = slog.New(slog.NewTextHandler(v.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var err error
	if v.proxy, err = proxy.New(o); err != nil {
		t.Fatal(err)
	}
	return v
}

// underPlan reports whether a plan is in force for a request: it repaired calls and results
// that are apart, or did in an earlier one of its thread, which has the tools since then.
func underPlan(body string) bool {
	return slices.ContainsFunc([]string{"[no result recorded]", "[tool result without its call", `"precis_read"`}, func(s string) bool { return strings.Contains(body, s) })
}

// differ is shortly before the first place where two texts differ.
func differ(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return max(n-150, 0)
}

// faults are those of a request that is valid JSON.
func faults(a api, body string) int {
	return len(wirecheck.Check(a.name, []byte(body), wirecheck.Options{AllowUnknown: true}))
}

// Whatever a client sends, nothing panics and the proxy makes no error of its own; what is
// no request, or sound and within the budget, goes up with its bytes while no plan is in
// force; and of a sound request no unsound one is made.
//
// SPEC: B6, V3, V9, V11
func TestMutatedBodies(t *testing.T) {
	attack := hostile.Begin(t, "bodies", 1500, 100_000)
	var now *victim
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		now.got, now.asked = string(b), now.asked+1
		for _, a := range apis {
			if r.URL.Path == a.path {
				_, _ = io.WriteString(w, whole(a, now.asked, 100))
			}
		}
	}))
	defer up.Close()
	changed, sound, refused := 0, 0, 0
	for n := range attack.N {
		if n%500 == 0 { // what is remembered must not grow without end
			if now != nil {
				now.proxy.Close()
			}
			now = newVictim(t, up.URL, []int{1 << 20, 1500}[n/500%2])
		}
		m := mutator{rand.New(rand.NewPCG(uint64(n), 13))}
		a := apis[m.IntN(len(apis))]
		body := m.mutated(m.sound(a))
		now.got = ""
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+a.path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		now.proxy.ServeHTTP(w, r)
		valid := json.Valid([]byte(body))
		wrong := ""
		switch {
		case w.Code >= 500 || strings.Contains(now.log.String(), "panic"):
			wrong = fmt.Sprintf("status %d: %s", w.Code, now.log)
		case w.Code >= 400:
			refused++
		case now.got == body:
		case !valid, n/500%2 == 0 && faults(a, body) == 0 && !underPlan(now.got):
			wrong = "it should have passed as it is"
		case !json.Valid([]byte(now.got)):
			wrong = "what goes up is no JSON"
		case faults(a, body) == 0 && faults(a, now.got) > 0:
			wrong = fmt.Sprintf("a sound request became %v", wirecheck.Check(a.name, []byte(now.got), wirecheck.Options{AllowUnknown: true}))
		default:
			changed++
		}
		if valid && faults(a, body) == 0 {
			sound++
		}
		if wrong != "" {
			at := differ(body, now.got)
			t.Errorf("%s, body %d: %s\nsent …%.400s\nwent up as …%.400s", a.name, n, wrong, body[at:], now.got[min(at, len(now.got)):])
			now.log.Reset()
		}
	}
	now.proxy.Close()
	attack.Found("%d compacted, %d refused by the proxy, %d still sound; no panic, no 5xx, no unsound request made", changed, refused, sound)
}
