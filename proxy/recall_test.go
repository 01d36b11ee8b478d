package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// What the model looks up is answered in between: the client gets one answer,
// and upstream it is there again in the next request, as it was.
//
// SPEC: B6, B8, V6, V11
func TestRecall(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		var events sync.Map
		o.Engine.Events = &event.Bus{}
		o.Engine.Events.Subscribe(func(e event.Event) { events.Store(e.Kind, e) }, event.Options{})
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)

		up.speak(a, looksTwice(t, "step_call_0001_3(total int)"))
		before := len(up.requests())
		g.step()
		if got := strings.Join(strings.FieldsFunc(texts(g.answer()), func(r rune) bool { return r == '\n' || r == '|' }), "|"); got != "Let me look.|Found it." || g.answer().Has(message.Call) {
			t.Errorf("the client got %q %s", got, g.answer().Raw)
		}
		got := up.requests()[before:]
		if len(got) != 3 {
			t.Fatalf("%d requests", len(got))
		}
		for _, r := range got[1:] {
			was, _ := decoded(t, a, got[0].body)
			is, _ := decoded(t, a, r.body)
			if !slices.Equal(was, is[:len(was)]) {
				t.Error("a round changed the prefix")
			}
		}
		g.messages = append(g.messages, userSays(a, "Go on."))
		g.step()
		was, _ := decoded(t, a, got[2].body)
		is, _ := decoded(t, a, up.last())
		if !slices.Equal(was, is[:len(was)]) || !strings.Contains(up.last(), `"r3"`) {
			t.Errorf("the look-ups are not put back:\n%s\n%s", was[len(was)-2:], is[len(was)-2:])
		}
		if strings.Contains(g.sent, "precis_grep") {
			t.Error("the client knows of a look-up")
		}
		if resp, text := get(t, f.url+"/metrics"); resp != http.StatusOK || !strings.Contains(text, `precis_recalls_total{api="`+a.name+`",outcome="found",tool="precis_grep"} 2`) {
			t.Error("not counted")
		}
		if err := o.Engine.Events.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if e, ok := events.Load(event.Retrieved); !ok || e.(event.Event).Details.Tokens == 0 {
			t.Errorf("event %+v", e)
		}
	})
}

// looksTwice looks something up, then two things at once, then answers.
func looksTwice(t *testing.T, finds string) func(string) *line {
	t.Helper()
	round := 0
	return func(body string) *line {
		round++
		switch round {
		case 1:
			return &line{text: "Let me look.", calls: [][3]string{look("r1", `{"query":`+quoted(finds)+`}`)}}
		case 2:
			if !strings.Contains(body, finds) {
				t.Errorf("not found: %s", body[len(body)-1500:])
			}
			return &line{calls: [][3]string{look("r2", `{"query":"part1"}`), {"r3", "precis_read", `{"id":"#1"}`}}}
		case 3:
			return &line{text: "Found it."}
		}
		return nil
	}
}

func userSays(a api, text string) string {
	if a.name == "gemini" {
		return fmt.Sprintf(`{"role":"user","parts":[{"text":%s}]}`, quoted(text))
	}
	return fmt.Sprintf(`{"role":"user","content":%s}`, quoted(text))
}

// Calls of the client's own and look-ups in one answer: the client runs its own,
// and the model sees the results of all.
//
// SPEC: B8, V3
func TestRecallMixed(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		round := 0
		up.speak(a, func(string) *line {
			if round++; round == 1 {
				return &line{text: "Both.", calls: [][3]string{look("r1", `{"query":"part1"}`), {"own1", "read_file", `{"path":"/a"}`}, look("r2", `{"query":"part2"}`), {"own2", "read_file", `{"path":"/b"}`}}}
			}
			return nil
		})
		g.step()
		m := g.answer()
		if calls := m.Calls(); len(calls) != 2 || m.Parts[calls[0]].CallID != "own1" || m.Parts[calls[1]].CallID != "own2" || m.Parts[calls[1]].Args != `{"path":"/b"}` {
			t.Fatalf("the client got %s", m.Raw)
		}
		if n := round; n != 1 {
			t.Errorf("%d requests", n)
		}
		g.step()
		_, req := decoded(t, a, up.last())
		var calls, results []string
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				switch p.Kind {
				case message.Call:
					calls = append(calls, p.CallID)
				case message.Result:
					results = append(results, p.CallID)
				}
			}
		}
		for _, id := range []string{"r1", "own1", "r2", "own2"} {
			if !slices.Contains(calls, id) || !slices.Contains(results, id) {
				t.Errorf("%s is not upstream: calls %q, results %q", id, calls, results)
			}
		}
	})
}

// A model that looks things up for ever is asked again four times; the client
// has a valid answer. So it has of one that was cut within a look-up.
//
// SPEC: B8, V9
func TestRecallBounded(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		rounds := 0
		up.speak(a, func(string) *line {
			rounds++
			return &line{calls: [][3]string{look(fmt.Sprintf("r%d", rounds), `{"query":"step"}`)}}
		})
		g.step()
		if got := texts(g.answer()); rounds != 5 || !strings.Contains(got, "used up") || g.answer().Has(message.Call) {
			t.Errorf("%d rounds, the client got %s", rounds, g.answer().Raw)
		}
		up.speak(a, func(string) *line {
			return &line{text: "Half", calls: [][3]string{look("rx", `{"query":"step"}`)}, stop: "cut"}
		})
		g.messages = append(g.messages, userSays(a, "And?"))
		g.step()
		if got := texts(g.answer()); got != "Half|" || g.answer().Has(message.Call) {
			t.Errorf("the client got %s", g.answer().Raw)
		}
	})
}

// An id of another thread, or of another tenant, names nothing.
//
// SPEC: V10
func TestRecallScope(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget, o.Tenancy.ByCredential = budget, true
		f := serve(t, o)
		other := newAgent(t, a, f.url, stream, "X-Api-Key", "other", "X-Precis-Thread", "one")
		other.lines = 16
		other.messages = append(other.messages[:0], strings.Replace(a.first, "db/migrations", "the zebra vault", 1))
		planned(t, up, other)
		for _, header := range [][]string{{"X-Precis-Thread", "one"}, {"X-Api-Key", "other", "X-Precis-Thread", "two"}} {
			up.answer = nil
			g := newAgent(t, a, f.url, stream, header...)
			g.lines = 16
			planned(t, up, g)
			round := 0
			up.speak(a, func(body string) *line {
				if round++; round == 1 {
					return &line{calls: [][3]string{look("r1", `{"query":"zebra"}`), {"r2", "precis_list", `{}`}}}
				}
				if strings.Contains(body, "zebra vault") {
					t.Error("another's content")
				}
				return &line{text: "No."}
			})
			g.step()
			if round != 2 {
				t.Errorf("%d rounds", round)
			}
		}
	})
}

// Off, a model is never offered a look-up; always, from the first request, also
// without a plan.
//
// SPEC: B8, V11
func TestRecallModes(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		for _, mode := range []proxy.Recall{proxy.RecallOff, proxy.RecallAlways} {
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.Recall = budget, mode
			f := serve(t, o)
			g := newAgent(t, a, f.url, stream)
			g.lines = 16
			for range 12 {
				g.step()
				if has := strings.Contains(up.last(), `"precis_grep"`); has != (mode == proxy.RecallAlways) {
					t.Fatalf("%s: declared: %t", mode, has)
				}
			}
		}
	})
}

// A next round that the provider refuses is an error for the client, who asks
// again.
//
// SPEC: V9
func TestRecallRefused(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		l := line{calls: [][3]string{look("r1", `{"query":"step"}`)}}
		round := 0
		up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			if round++; round > 1 {
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, a.errors("slow down"))
				return true
			}
			if stream {
				up.send(w, "text/event-stream", l.stream(a, 1))
			} else {
				up.send(w, "application/json", l.whole(a, 1))
			}
			return true
		}
		resp, text := post(t, g.url, g.body())
		if stream && (resp.StatusCode != http.StatusOK || !strings.Contains(text, "refused to go on")) || !stream && (resp.StatusCode != http.StatusTooManyRequests || text != a.errors("slow down")) {
			t.Errorf("status %d: %s", resp.StatusCode, text)
		}
		if strings.Contains(text, "precis_grep") {
			t.Error("the client knows of a look-up")
		}
	})
}

// A long session with look-ups, alone and beside calls of the client's own: the
// prefix changes when a plan is committed and never else.
//
// SPEC: B8, V3, V4, V6
func TestRecallSession(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		n := 0
		up.speak(a, func(string) *line {
			n++
			own := [3]string{fmt.Sprintf("own%d", n), "read_file", fmt.Sprintf(`{"path":"/srv/%d"}`, n)}
			found := look(fmt.Sprintf("r%d", n), fmt.Sprintf(`{"query":"own%d"}`, n/2))
			switch n % 5 {
			case 0:
				return &line{text: fmt.Sprintf("Look %d.", n), calls: [][3]string{found}}
			case 2:
				return &line{text: fmt.Sprintf("Mixed %d.", n), calls: [][3]string{own, found}}
			}
			return &line{text: fmt.Sprintf("Step %d.", n), calls: [][3]string{own}}
		})
		for range 60 {
			g.step()
		}
		hs := f.threads(t, "")
		if len(hs) != 1 {
			t.Fatalf("%d threads", len(hs))
		}
		if b := breaks(t, a, up.requests()); b != hs[0].PlanVersion || b < 2 {
			t.Errorf("%d prefix breaks, %d plans", b, hs[0].PlanVersion)
		}
		t.Logf("%d plans, %d requests", hs[0].PlanVersion, len(up.requests()))
		f.complete(t, hs[0], g)
	})
}

// However a stream is cut into pieces, the client gets the same.
//
// SPEC: B6
func TestRecallPieces(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.Recall = budget, proxy.RecallAlways
			f := serve(t, o)
			var want string
			for _, crlf := range []bool{false, true} {
				for pieces := range 30 {
					g := newAgent(t, a, f.url, true, "X-Precis-Thread", fmt.Sprint(pieces, crlf))
					n := 0
					up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
						n++
						l := line{text: "Look. ü", calls: [][3]string{look("r1", `{"query":"build"}`)}}
						if n > 1 {
							l = line{text: "And do.", calls: [][3]string{{"own", "read_file", `{"path":"/a"}`}}}
						}
						text := l.stream(a, n)
						if crlf {
							text = strings.ReplaceAll(text, "\n", "\r\n")
						}
						up.send(w, "text/event-stream", text)
						return true
					}
					up.pieces = pieces
					_, text := post(t, g.url, g.body())
					raw := string(g.read(text).Message.Raw)
					if want == "" {
						want = raw
					}
					if raw != want || n != 2 || strings.Contains(text, "precis_") || strings.Count(text, "still here") != 2 {
						t.Fatalf("pieces of %d, crlf %t, %d rounds: %s", pieces, crlf, n, text)
					}
				}
			}
		})
	}
}

// A provider that does not take a look-up at all is asked without: the client
// has its answer, and there are no look-ups any more.
//
// SPEC: V9
func TestRecallNotTaken(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := recallOn(up, memory.New())
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		l := line{text: "Look.", calls: [][3]string{look("r1", `{"query":"step"}`)}}
		up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
			switch {
			case strings.Contains(body, `"r1"`):
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"no such thing","code":null}}`)
			case !strings.Contains(body, "precis_grep"):
				return false
			case stream:
				up.send(w, "text/event-stream", l.stream(a, 1))
			default:
				up.send(w, "application/json", l.whole(a, 1))
			}
			return true
		}
		for range 3 {
			g.step()
		}
		if strings.Contains(up.last(), "precis_grep") || !strings.Contains(up.last(), "Look.") || !g.answer().Has(message.Call) {
			t.Errorf("last request %s", up.last())
		}
		g.url = serve(t, o).url + a.path
		if g.step(); strings.Contains(up.last(), "precis_grep") {
			t.Error("forgotten by another process")
		}
	})
}

// The tools stay declared after a restart, with the same bytes.
//
// SPEC: B8, V6
func TestRecallRestart(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		path := filepath.Join(t.TempDir(), "p.db")
		o := options(up.url)
		o.Budget, o.Engine.Store = budget, onDisk(t, path)
		g := newAgent(t, a, serve(t, o).url, stream)
		g.lines = 16
		planned(t, up, g)
		was, _, _ := strings.Cut(up.last(), a.list())
		o.Engine.Store = onDisk(t, path)
		g.url = serve(t, o).url + a.path
		g.step()
		if is, _, _ := strings.Cut(up.last(), a.list()); is != was || !strings.Contains(is, "precis_read") {
			t.Errorf("was %s\nis %s", was, is)
		}
	})
}

// A look-up that makes the prompt too long for the provider is given up for this
// answer only, and the window is remembered.
//
// SPEC: V9 · WE1
func TestRecallTooLong(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		f := serve(t, recallOn(up, memory.New()))
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		n := 0
		up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
			if strings.Contains(body, `"r1"`) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, a.errors(wordings[a.name](11_000, 10_000)))
				return true
			}
			if n++; n > 1 {
				return false
			}
			l := line{text: "Look.", calls: [][3]string{look("r1", `{"query":"step"}`)}}
			kind, text := "application/json", l.whole(a, 1)
			if stream {
				kind, text = "text/event-stream", l.stream(a, 1)
			}
			up.send(w, kind, text)
			return true
		}
		for range 3 {
			g.step()
		}
		if strings.Contains(up.last(), `"r1"`) || !g.answer().Has(message.Call) {
			t.Errorf("last request %s", up.last())
		}
		es, err := f.store.Load(t.Context(), f.threads(t, "")[0].Key.Upstream())
		if err != nil || !strings.Contains(string(es[0].Message.Raw), `"aside"`) {
			t.Fatalf("%v, %d entries", err, len(es))
		}
		for _, e := range es {
			if strings.Contains(string(e.Message.Raw), "refused") {
				t.Errorf("it is not asked any more: %s", e.Message.Raw)
			}
		}
	})
}
