package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// looker is a model that looks something up in some of its answers, alone or
// beside a call of the client's own.
func looker() func(string) *line {
	n := 0
	return func(string) *line {
		n++
		own := [3]string{fmt.Sprintf("own%d", n), "read_file", fmt.Sprintf(`{"path":"/srv/%d"}`, n)}
		found := look(fmt.Sprintf("r%d", n), fmt.Sprintf(`{"query":"own%d"}`, n/2))
		switch n % 5 {
		case 0:
			return &line{thinks: "Where was it?", text: fmt.Sprintf("Look %d.", n), calls: [][3]string{found}}
		case 2:
			return &line{text: fmt.Sprintf("Mixed %d.", n), calls: [][3]string{own, found}}
		case 3:
			return &line{thinks: "Again.", calls: [][3]string{found}}
		}
		return &line{text: fmt.Sprintf("Step %d.", n), calls: [][3]string{own}}
	}
}

// What the model looked up stands in the next requests after a restart, and on
// another node: each step goes to a process of its own over the same file, and
// the prefix changes with plans only.
//
// SPEC: B8, V1, V5, V6
func TestRecallSurvives(t *testing.T) {
	bothOf(t, few(apis), func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		path := filepath.Join(t.TempDir(), "p.db")
		var nodes []*front
		for range 3 {
			nodes = append(nodes, serve(t, recallOn(up, onDisk(t, path))))
		}
		g := newAgent(t, a, nodes[0].url, stream)
		g.lines = 16
		planned(t, up, g)
		up.speak(a, looker())
		for i := range 30 {
			node := nodes[i%3]
			if i%6 == 5 { // none of what it knew
				node = serve(t, recallOn(up, onDisk(t, path)))
			}
			g.url = node.url + a.path
			g.step()
		}
		hs := nodes[0].threads(t, "")
		if len(hs) != 1 {
			t.Fatalf("%d threads", len(hs))
		}
		if b := breaks(t, a, up.requests()); b != hs[0].PlanVersion || b < 2 {
			t.Errorf("%d prefix breaks, %d plans", b, hs[0].PlanVersion)
		}
		nodes[0].complete(t, hs[0], g)
	})
}

func recallOn(up *provider, s store.Store) proxy.Options {
	o := options(up.url)
	o.Budget, o.Engine.Store = budget, s
	return o
}

// watched is a store that is told before the upstream view of a conversation is
// written.
type watched struct {
	store.Store
	before func() error
}

func (w *watched) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if strings.HasSuffix(k.Tenant, "upstream") && w.before != nil {
		if err := w.before(); err != nil {
			return store.Head{}, err
		}
	}
	return w.Store.Append(ctx, k, b)
}

// ends are how an answer ends for its client.
var ends = map[string]string{"anthropic": "message_stop", "openai": "[DONE]", "responses": "response.completed", "gemini": `"finishReason"`}

// What was looked up is on disk before the client has the end of the answer.
//
// SPEC: B8, V1
func TestRecallIsDurableFirst(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		w := &watched{Store: memory.New()}
		o := recallOn(up, w)
		o.Prompt.Recall = proxy.RecallAlways
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		rec := httptest.NewRecorder()
		logged := 0
		w.before = func() error {
			logged++
			if got := rec.Body.String(); strings.Contains(got, ends[a.name]) || !stream && got != "" {
				t.Errorf("the client has %q", got)
			}
			return nil
		}
		up.speak(a, looksTwice(t, "Find out why the nightly build fails"))
		r := request(t, t.Context(), "http://precis"+a.path, g.body())
		f.proxy.ServeHTTP(rec, r)
		if stream && !strings.Contains(rec.Body.String(), ends[a.name]) || logged != 1 {
			t.Errorf("logged %d times, the client has %q", logged, rec.Body)
		}
	})
}

// What cannot be logged is told, and holds while the proxy runs.
//
// SPEC: V6, V9
func TestRecallNotLogged(t *testing.T) {
	bothOf(t, few(apis), func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		w := &watched{Store: memory.New()}
		f := serve(t, recallOn(up, w))
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		w.before = func() error { return errDisk }
		n := 0
		up.speak(a, func(body string) *line {
			if n++; n == 1 {
				return &line{text: "Look.", calls: [][3]string{look("r1", `{"query":"step"}`)}}
			}
			return nil
		})
		g.step()
		before := len(up.requests())
		g.step()
		if b := breaks(t, a, up.requests()[before-1:]); b != 0 || !strings.Contains(up.last(), `"r1"`) {
			t.Errorf("%d breaks, last %s", b, up.last())
		}
		if n := strings.Count(f.log.String(), "look-ups failed"); n != 1 || !strings.Contains(f.log.String(), "stage=recall") {
			t.Errorf("log %s", f.log)
		}
	})
}

// Erasing a message erases what was looked up in its conversation, which may
// quote it: from the prompts that follow, and from the file.
//
// SPEC: V1, V10
func TestRecallErased(t *testing.T) {
	bothOf(t, few(apis), func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		path := filepath.Join(t.TempDir(), "p.db")
		disk, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := serve(t, recallOn(up, disk))
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		n := 0
		up.speak(a, func(string) *line {
			if n++; n == 1 {
				return &line{text: "Look.", calls: [][3]string{look("r1", `{"query":"the zebra vault of step"}`)}}
			}
			return nil
		})
		g.step()
		g.step()
		if !strings.Contains(up.last(), "zebra vault") {
			t.Fatal("nothing to erase")
		}
		h := f.threads(t, "")[0]
		es, err := disk.Load(t.Context(), h.Key)
		if err != nil {
			t.Fatal(err)
		}
		e, err := precis.New(precis.Options{Store: disk})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := e.Erase(t.Context(), h.Key.Thread, es[3].ID, artifact.Tombstone{By: "ann", Reason: "asked"}); err != nil {
			t.Fatal(err)
		}
		g.step()
		if strings.Contains(up.last(), "zebra vault") || !strings.Contains(up.last(), "Look.") {
			t.Errorf("last request %s", up.last())
		}
		if us, err := disk.Load(t.Context(), h.Key.Upstream()); err != nil || len(us) == 0 || !us[0].Erased {
			t.Errorf("%v, %d entries of the upstream view", err, len(us))
		}
		if err := disk.Close(); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte("zebra vault")) {
			t.Errorf("%v, or the file has it", err)
		}
	})
}

// Asides that leave no room for what must be sent are given up.
//
// SPEC: V4
func TestRecallReleasesRoom(t *testing.T) {
	bothOf(t, few(apis), func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		f := serve(t, recallOn(up, memory.New()))
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		n := 0
		up.speak(a, func(string) *line {
			if n++; n < 5 {
				return &line{text: "Look.", calls: [][3]string{look(fmt.Sprint("r", n), `{"query":"step","limit":50}`)}}
			}
			return &line{text: "Found."}
		})
		g.step()
		long := "Think of all the parts. "
		for tokens(t, a, a.body([]string{a.first, userSays(a, long)}, stream)) < budget*76/100 {
			long += "And of that one, too. "
		}
		g.messages = append(g.messages, userSays(a, long))
		g.step()
		if strings.Contains(up.last(), `"r1"`) || !strings.Contains(up.last(), "Think of all") {
			t.Errorf("last request %s", up.last())
		}
		if size := tokens(t, a, up.last()); size > budget || strings.Contains(f.log.String(), "compaction failed") {
			t.Errorf("a request of %d tokens, log %s", size, f.log)
		}
	})
}

// A client that leaves while the model is asked again ends that too.
//
// SPEC: B6
func TestRecallClientLeaves(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := recallOn(up, memory.New())
		o.Prompt.Recall = proxy.RecallAlways
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan bool, 1)
		n := 0
		up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
			if n++; n == 1 {
				l := line{calls: [][3]string{look("r1", `{"query":"build"}`)}}
				kind, text := "application/json", l.whole(a, 1)
				if stream {
					kind, text = "text/event-stream", l.stream(a, 1)
				}
				up.send(w, kind, text)
				return true
			}
			leave()
			<-r.Context().Done()
			gone <- true
			return true
		}
		resp, err := client(t).Do(request(t, ctx, g.url, g.body()))
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		<-gone
	})
}

// An error within a later round reaches the client as its provider wrote it, and
// says nothing of look-ups.
//
// SPEC: V9
func TestRecallErrorWithin(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := recallOn(up, memory.New())
			o.Prompt.Recall = proxy.RecallAlways
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			failure := map[string]string{
				"anthropic": "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
				"openai":    "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\"}}\n\n",
				"responses": "event: response.failed\ndata: {\"type\":\"response.failed\",\"sequence_number\":9,\"response\":{\"id\":\"r2\",\"status\":\"failed\",\"output\":[],\"error\":{\"code\":\"server_error\",\"message\":\"Overloaded\"}}}\n\n",
				"gemini":    "data: {\"error\":{\"code\":503,\"message\":\"Overloaded\",\"status\":\"UNAVAILABLE\"}}\n\n",
			}[a.name]
			n := 0
			up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				if n++; n == 1 {
					up.send(w, "text/event-stream", (&line{text: "Look.", calls: [][3]string{look("r1", `{"query":"build"}`)}}).stream(a, 1))
					return true
				}
				text := (&line{text: "Now I"}).stream(a, 2)
				up.send(w, "text/event-stream", text[:strings.LastIndex(text[:strings.LastIndex(text, "Now I")+20], "\n\n")+2]+failure)
				return true
			}
			_, text := post(t, g.url, g.body())
			if !strings.Contains(text, "Overloaded") || strings.Contains(text, "precis_") || strings.Contains(text, ends[a.name]) || n != 2 {
				t.Errorf("%d rounds, the client got %s", n, text)
			}
		})
	}
}

// An answer costs what all of its rounds cost, and its context is the prompt of the last:
// clients compact by that. The sum is in the metrics, the header of an answer that is not
// streamed, and Anthropic's list of rounds.
//
// SPEC: B8 · WU1, WU3
func TestRecallCost(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := recallOn(up, memory.New())
		o.Prompt.Recall = proxy.RecallAlways
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		up.speak(a, looksTwice(t, "Find out why the nightly build fails"))
		resp, text := post(t, g.url, g.body())
		input, output := 100, 7
		if a.name == "anthropic" { // lists the rounds
			input, output = 300, 21
		}
		if u := g.read(text).Usage; u.Input != input || u.Output != output || u.Context != 100 {
			t.Errorf("usage %+v", u)
		}
		if !stream && resp.Header.Get("X-Precis-Usage") != "rounds=3, input=300, cache_read=0, cache_write=0, output=21" {
			t.Errorf("header %q", resp.Header.Get("X-Precis-Usage"))
		}
		if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, `precis_usage_tokens_total{api="`+a.name+`",kind="input"} 300`) {
			t.Error("not counted")
		}
	})
}

// What is asked for wrongly, or is not there, is told; long content comes in
// pages, within a share of the budget.
//
// SPEC: B8, V10
func TestRecallMisses(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		f := serve(t, recallOn(up, memory.New()))
		g := newAgent(t, a, f.url, stream)
		planned(t, up, g)
		first := "#4"                                           // result
		together := a.name == "anthropic" || a.name == "gemini" // the results of a turn
		if together {
			first = "#3"
		}
		round := 0
		up.speak(a, func(body string) *line {
			if round++; round == 1 {
				return &line{calls: [][3]string{
					{"m1", "precis_read", `{"id":"#9999"}`},
					{"m2", "precis_read", `{"id":"a0123456789ab"}`},
					{"m3", "precis_grep", `{"query":""}`},
					{"m4", "precis_read", `{"id":"` + first + `","from_line":2,"to_line":2}`},
					{"m5", "precis_describe", `{}`},
					{"m6", "precis_read", `{"id":"` + first + `"}`},
				}}
			}
			ms, _ := decoded(t, a, body)
			last := strings.Join(ms[len(ms)-6:], "")
			if together {
				last = ms[len(ms)-1]
			}
			for _, want := range []string{"miss: ", "bad_argument: ", "call_0001:2: func", "cursor"} {
				if !strings.Contains(last, want) {
					t.Errorf("no %q in %s", want, last)
				}
			}
			if n := len(last) / 4; n > 2*budget/16 {
				t.Errorf("about %d tokens of what was looked up", n)
			}
			return &line{text: "So."}
		})
		g.step()
		if round != 2 {
			t.Errorf("%d rounds", round)
		}
	})
}

// Where the provider keeps its answers to be continued by their ids, they stay
// as they are.
//
// SPEC: B6 · WO5
func TestRecallStored(t *testing.T) {
	a := apiNamed(t, "responses")
	for _, says := range []string{`"store":true,`, ``} {
		a.head = strings.Replace(apiNamed(t, "responses").head, `"store":false,`, says, 1)
		up := newProvider(t)
		o := recallOn(up, memory.New())
		f := serve(t, o)
		g := newAgent(t, a, f.url, true)
		for f.plans(t) == 0 {
			g.step()
		}
		g.step()
		if strings.Contains(up.last(), "precis_grep") {
			t.Errorf("%q: declared", says)
		}
	}
}
