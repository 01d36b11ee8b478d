package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// recording is a session in the form of one API: what a client of it sends, and
// what the model says in between.
type recording struct {
	api   api
	task  string                     // what the user said first
	head  map[string]json.RawMessage // members of a request but for the list
	list  string                     // the name of the list
	steps []recordedStep
}

// recordedStep is one request: what is new in it, and what is answered.
type recordedStep struct {
	sends  []string
	answer fakeprovider.Reply
}

// recorded writes a session in the form of an API, at most so many steps of it.
func recorded(t testing.TB, a api, system string, tools []codec.Tool, ms []message.Message, most int) recording {
	t.Helper()
	req := &codec.Request{Model: a.model, Tools: tools, MaxOutput: 1000, System: []message.Part{{Kind: message.Text, Text: system}}}
	body, err := a.codec.Encode(req, ms)
	if err != nil {
		t.Fatal(err)
	}
	r := recording{api: a, list: codectest.List(a.name)}
	if err := json.Unmarshal(body, &r.head); err != nil {
		t.Fatal(err)
	}
	delete(r.head, r.list)
	if req, err = a.codec.Decode(body); err != nil {
		t.Fatal(err)
	}
	var at *recordedStep
	for i, m := range req.Messages {
		if m.Role == message.User && r.task == "" {
			r.task = m.Parts[0].Text
		}
		if m.Role != message.Assistant {
			if at == nil || i > 0 && req.Messages[i-1].Role == message.Assistant {
				r.steps = append(r.steps, recordedStep{answer: fakeprovider.Reply{ID: fmt.Sprintf("r%d", len(r.steps)), Model: a.model, Output: 50}})
				at = &r.steps[len(r.steps)-1]
			}
			at.sends = append(at.sends, string(m.Raw))
			continue
		}
		if at == nil {
			t.Fatal("the session begins with the model")
		}
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Text:
				at.answer.Text += p.Text
			case message.Call:
				at.answer.Calls = append(at.answer.Calls, fakeprovider.Call{ID: p.CallID, Name: p.Name, Args: compacted(t, p.Args)})
			}
		}
	}
	for i, s := range r.steps {
		if s.answer.Text == "" && s.answer.Calls == nil || i == most {
			r.steps = r.steps[:i]
			break
		}
	}
	return r
}

// texts are the texts of a request, in order; "" stands for any other part.
func (d *driver) texts(body string) (out []string) {
	d.t.Helper()
	req, err := d.rec.api.codec.Decode([]byte(body))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			out = append(out, p.Text)
		}
	}
	return out
}

// body is a request with these messages.
func (r recording) body(messages []string, stream bool) string {
	var b strings.Builder
	b.WriteString("{")
	for _, name := range slices.Sorted(maps.Keys(r.head)) {
		fmt.Fprintf(&b, "%q: %s, ", name, r.head[name])
	}
	if stream && r.api.name == "openai" {
		b.WriteString(`"stream_options": {"include_usage":true}, `)
	}
	fmt.Fprintf(&b, "\"stream\":%t, %q: [%s]}", stream, r.list, strings.Join(messages, ", "))
	return b.String()
}

// teller is a provider that answers what it is told, and judges as strictly as
// can be.
type teller struct {
	t    testing.TB
	api  api
	url  string
	next fakeprovider.Reply
	// hang: half of the answer is sent, or nothing of one that is no stream; here
	// tells when, and nothing follows.
	hang    bool
	here    chan bool
	session wirecheck.Session

	got   []received
	sizes []int // tokens of the requests that were answered
	most  int   // tokens of the largest request
	held  int   // tokens of the largest history
}

func newTeller(t testing.TB, a api) *teller {
	t.Helper()
	p := &teller{t: t, api: a, here: make(chan bool, 1)}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// ServeHTTP implements http.Handler. Requests come one after another.
func (p *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != p.api.path {
		p.t.Errorf("%v: %s", err, r.URL)
		return
	}
	again := len(p.got) > 0 && p.got[len(p.got)-1].body == string(b)
	p.got = append(p.got, received{r.Method, r.RequestURI, r.Header.Clone(), string(b)})
	for _, f := range wirecheck.Check(p.api.name, b, wirecheck.Options{JSONArgs: true, AllowUnknown: p.api.name == "gemini"}) {
		p.t.Errorf("request %d: %s", len(p.got), f)
	}
	size := tokens(p.t, p.api, string(b))
	p.most = max(p.most, size)
	p.next.Input = size
	if p.api.name == "anthropic" && !again {
		for _, f := range p.session.Request(b, wirecheck.Options{}) {
			p.t.Errorf("request %d: %s", len(p.got), f)
		}
	}
	if p.api.name == "anthropic" && !p.hang {
		for _, f := range p.session.Reply([]byte(p.next.Whole(p.api.name))) {
			p.t.Fatalf("own answer: %s", f)
		}
	}
	if !p.hang {
		p.sizes = append(p.sizes, size)
	}
	p.tell(w, r, bytes.Contains(b, []byte(`"stream":true`)))
}

func (p *teller) tell(w http.ResponseWriter, r *http.Request, stream bool) {
	kind, text := "application/json", p.next.Whole(p.api.name)
	if stream {
		kind, text = "text/event-stream", p.next.Stream(p.api.name)
	}
	if p.hang {
		text = text[:len(text)/2]
		if !stream {
			text = ""
		}
	}
	if text != "" {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text) // the client reads it, or the test fails
		w.(http.Flusher).Flush()
	}
	if p.hang {
		p.here <- true
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// driver is a client that goes through a recording.
type driver struct {
	t       testing.TB
	rec     recording
	up      *teller
	url     string // of the proxy
	stream  bool
	client  *http.Client
	history []string
}

// steps goes on to a step. What the user says stands last in the prompt, as it was
// said, and what was said first stays in it.
func (d *driver) steps(from, to int) {
	d.t.Helper()
	for i, s := range d.rec.steps[from:to] {
		d.history = append(d.history, s.sends...)
		d.up.next = s.answer
		text := d.ask()
		asked, sent := d.texts(d.rec.body(d.history, false)), d.texts(d.up.got[len(d.up.got)-1].body)
		if last := asked[len(asked)-1]; last != "" && last != sent[len(sent)-1] {
			d.t.Fatalf("step %d: the user says %.300q, the prompt ends in %.300q", from+i, last, sent[len(sent)-1])
		}
		if !slices.Contains(sent, d.rec.task) {
			d.t.Fatalf("step %d: the prompt does not have %.300q", from+i, d.rec.task)
		}
		d.history = append(d.history, d.echo(text)...)
		d.up.held = max(d.up.held, tokens(d.t, d.rec.api, d.rec.body(d.history, d.stream)))
	}
}

// ask sends the history and returns the answer.
func (d *driver) ask() string {
	d.t.Helper()
	resp, err := d.send()
	if err != nil {
		d.t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		d.t.Fatalf("%v: status %d: %s", err, resp.StatusCode, b)
	}
	return string(b)
}

func (d *driver) send() (*http.Response, error) {
	return d.client.Do(request(d.t, d.t.Context(), d.url+d.rec.api.path, d.rec.body(d.history, d.stream)))
}

// echo is an answer as the client sends it back.
func (d *driver) echo(text string) (out []string) {
	d.t.Helper()
	g := agent{t: d.t, api: d.rec.api, stream: d.stream}
	for _, m := range g.read(text).Messages() {
		out = append(out, string(m.Raw))
	}
	return out
}

// half sends the history to a provider that falls silent within its answer, and
// returns once it has.
func (d *driver) half(s recordedStep) (ended <-chan bool) {
	d.t.Helper()
	d.history = append(d.history, s.sends...)
	d.up.next, d.up.hang = s.answer, true
	done := make(chan bool)
	go func() {
		defer close(done)
		resp, err := d.send()
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		if err == nil {
			d.t.Error("half an answer looks whole")
		}
	}()
	<-d.up.here
	d.up.hang = false
	d.history = d.history[:len(d.history)-len(s.sends)] // it is sent again
	return done
}

// invented is a session of more than so many steps, of which no result is
// longer than so many bytes.
func invented(t testing.TB, a api, steps, longest int) recording {
	t.Helper()
	s := testsessions.Session(4, testsessions.Options{Messages: steps * 3, Dialect: testsessions.OpenAI})
	for _, m := range s.Messages {
		for _, p := range m.Parts {
			for i := range p.Parts {
				if text := &p.Parts[i].Text; p.Kind == message.Result && len(*text) > longest {
					*text = strings.ToValidUTF8((*text)[:longest], "") + "\n[cut]"
				}
			}
		}
	}
	_, ms := spokenOf(s.Messages)
	return recorded(t, a, s.System, s.Tools, ms, steps)
}

// Long sessions through the real program, streaming and not, that is killed in
// the middle of an answer and between two: every request is valid and within the
// budget, the prefix changes with plans only and with few of them, what was sent
// before a kill is sent after it byte for byte, and in the end everything that
// was said is exported.
//
// SPEC: B6, B16, V1, V3, V4, V5, V6 · P3, P4, P5, P7, P11
func TestLongSessions(t *testing.T) {
	program := built(t)
	for _, a := range apis {
		for _, stream := range few([]bool{true, false}) {
			t.Run(fmt.Sprintf("%s/stream=%t", a.name, stream), func(t *testing.T) {
				t.Parallel()
				rec := invented(t, a, 96, 800)
				if len(rec.steps) != 96 {
					t.Fatalf("%d steps", len(rec.steps))
				}
				plans, broken := drive(t, program, rec, stream, budget)
				if plans == 0 || plans > 6 || plans != broken {
					t.Errorf("%d plans, %d prefix breaks in %d steps", plans, broken, len(rec.steps))
				}
			})
		}
	}
}

// drive goes through a recording and returns how many plans were made, and how
// often the prefix changed. A plan over nothing but what is new changes none.
func drive(t *testing.T, program string, rec recording, stream bool, budget int) (plans, broken int) {
	t.Helper()
	up := newTeller(t, rec.api)
	d := &driver{t: t, rec: rec, up: up, stream: stream, client: client(t)}
	p := serving(t, program, up.url, budget)
	d.url = p.start()
	n := len(rec.steps)
	first, second := n/2, n*3/4
	d.steps(0, first)
	ended := d.half(rec.steps[first])
	before := up.got[len(up.got)-1].body
	p.kill()
	<-ended
	d.url = p.start()
	d.steps(first, first+1)
	if up.got[len(up.got)-1].body != before {
		t.Error("what was sent before the kill is not what is sent after it")
	}
	d.steps(first+1, second)
	p.kill()
	d.url = p.start()
	d.steps(second, n)
	p.stop()
	plans, broken = p.complete(d), breaks(t, rec.api, up.got)
	if broken > plans {
		t.Errorf("%d prefix breaks, %d plans", broken, plans)
	}
	if up.most > budget {
		t.Errorf("a request of %d tokens", up.most)
	}
	p.counted(up.sizes, rec.api.name == "anthropic" || rec.api.name == "gemini")
	t.Logf("%d steps, %d messages, %d tokens in the end; %d plans, %d prefix breaks, largest request %d", n, len(d.history), up.held, plans, broken, up.most)
	return plans, broken
}

// The same with recorded runs: PRECIS_CORPUS names files or folders of them,
// separated by commas, PRECIS_CORPUS_LIMIT how many of each are taken.
func TestLongSessionsRecorded(t *testing.T) {
	data := os.Getenv("PRECIS_CORPUS")
	if data == "" {
		t.Skip("PRECIS_CORPUS is not set")
	}
	limit := 10
	_, _ = fmt.Sscan(os.Getenv("PRECIS_CORPUS_LIMIT"), &limit)
	c := replay.Corpus{Paths: strings.Split(data, ","), Parse: openai.ParseMessage, Limit: limit}
	refs, _, err := c.Scan()
	if err != nil {
		t.Fatal(err)
	}
	program := built(t)
	for run, err := range c.Runs(refs) {
		if err != nil {
			t.Fatal(err)
		}
		system, ms := spokenOf(run.Messages)
		for _, a := range apis {
			for _, stream := range few([]bool{true, false}) {
				t.Run(fmt.Sprintf("%s/%s/stream=%t", run.ID, a.name, stream), func(t *testing.T) {
					began := time.Now()
					drive(t, program, recorded(t, a, system, toolsOf(ms), ms, 1<<20), stream, budget)
					t.Logf("took %v", time.Since(began).Round(time.Millisecond))
				})
			}
		}
	}
}

// spokenOf parts the system prompt from a run, whose messages are to be written
// anew.
func spokenOf(all []message.Message) (system string, ms []message.Message) {
	for _, m := range all {
		if m.Role == message.System {
			for _, p := range m.Parts {
				system += p.Text
			}
			continue
		}
		m.Raw, m.Dialect = nil, ""
		for i := range m.Parts {
			m.Parts[i].Raw = nil
		}
		ms = append(ms, m)
	}
	return system, ms
}

// toolsOf declares the tools that a run calls.
func toolsOf(ms []message.Message) (ts []codec.Tool) {
	known := map[string]bool{}
	for _, m := range ms {
		for _, at := range m.Calls() {
			if name := m.Parts[at].Name; !known[name] {
				known[name] = true
				ts = append(ts, codec.Tool{Name: name, Description: "A tool.", Schema: json.RawMessage(`{"type":"object"}`)})
			}
		}
	}
	return ts
}
