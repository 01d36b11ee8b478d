package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// Google's clients are told by their paths and by their headers, in every version of the
// API; what is no call passes.
//
// SPEC: B6, B27
func TestGeminiRoutes(t *testing.T) {
	up, others := newProvider(t), newProvider(t)
	up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		up.send(w, "application/json", `{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5}}`)
		return true
	}
	o := options(others.url)
	o.Providers[2].URL = up.url + "/v1beta"
	f := serve(t, o)
	body := `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
	for path, header := range map[string]string{
		"/v1beta/models/gemini-3-pro-preview:generateContent":                      "",
		"/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse&key=k":  "",
		"/v1/models/gemini-2.5-flash:generateContent":                              "",
		"/v1/projects/p/locations/eu/publishers/google/models/g-1:generateContent": "",
		"/v1beta/models/gemini-3-pro-preview:countTokens":                          "",
		"/v1beta/models/gemini-3-pro-preview:embedContent":                         "",
		"/v1beta/cachedContents":                                                   "",
		"/upload/v1beta/files":                                                     "X-Goog-Api-Key",
		"/v1/anything":                                                             "X-Goog-Api-Client",
	} {
		before := len(up.requests())
		if header == "" {
			header = "X-Other"
		}
		post(t, f.url+path, body, header, "k")
		if got := up.requests()[before:]; len(got) != 1 || got[0].uri != path || got[0].body != body {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if n := len(others.requests()); n != 0 {
		t.Errorf("%d requests went to others", n)
	}
	if got := f.threads(t, ""); len(got) != 1 || !strings.HasSuffix(got[0].Source, "gemini") {
		t.Errorf("threads %+v", got)
	}
	if line := f.log.String(); strings.Count(line, "msg=call ") != 4 || !strings.Contains(line, "gemini-3-pro-preview") && !strings.Contains(line, "api=gemini") {
		t.Errorf("log %s", line)
	}
}

// geminiSession is a client that keeps its history as the API gives it, without ids, as
// older models leave them out.
type geminiSession struct {
	t        *testing.T
	f        *front
	up       *provider
	contents []string
	n        int
}

func newGeminiSession(t *testing.T) *geminiSession {
	t.Helper()
	s := &geminiSession{t: t, up: newProvider(t)}
	s.up.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		model := strings.Split(strings.Split(r.URL.Path, "models/")[1], ":")[0]
		for _, f := range wirecheck.Gemini([]byte(body), wirecheck.Options{Model: model}) {
			t.Errorf("request %d: %s", s.n, f)
		}
		return false
	}
	o := options(s.up.url)
	o.Budget = budget
	s.f = serve(t, o)
	s.contents = []string{`{"role":"user","parts":[{"text":"Find out why the nightly build fails. Never touch db/migrations."}]}`}
	return s
}

const geminiTools = `"systemInstruction":{"parts":[{"text":"You are an agent."}]},"tools":[{"functionDeclarations":[{"name":"run","parameters":{"type":"OBJECT"}}]}]`

func (s *geminiSession) body() string {
	return `{"contents":[` + strings.Join(s.contents, ",") + `],` + geminiTools + `}`
}

// ask sends the history and returns the answer as it came.
func (s *geminiSession) ask(method string, a fakeprovider.Reply) string {
	s.t.Helper()
	s.n++
	judge := s.up.answer
	defer func() { s.up.answer = judge }()
	s.up.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		judge(w, r, body)
		switch {
		case strings.Contains(r.RequestURI, "alt=sse"):
			s.up.send(w, "text/event-stream", a.Stream("gemini"))
		case strings.Contains(r.RequestURI, "stream"):
			var chunks []string
			for _, e := range strings.Split(strings.TrimSpace(a.Stream("gemini")), "\n\n") {
				chunks = append(chunks, strings.TrimPrefix(e, "data: "))
			}
			s.up.send(w, "application/json", "["+strings.Join(chunks, "\n,\n")+"]")
		default:
			s.up.send(w, "application/json", a.Whole("gemini"))
		}
		return true
	}
	resp, text := post(s.t, s.f.url+"/v1beta/models/gemini-3-pro-preview:"+method, s.body())
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%d: %s", resp.StatusCode, text)
	}
	return text
}

// round is a call that is often the same, and its answer.
func (s *geminiSession) round(method string) {
	s.t.Helper()
	a := fakeprovider.Reply{ID: fmt.Sprint("r", s.n), Model: "gemini-3-pro-preview", Signature: fmt.Sprintf("c2ln%04d", s.n), Calls: []fakeprovider.Call{{Name: "run", Args: `{"command":"npm test"}`}, {Name: "run", Args: `{"command":"npm test"}`}}}
	s.ask(method, a)
	reply, err := s.api().codec.Reply(http.StatusOK, []byte(a.Whole("gemini")))
	if err != nil {
		s.t.Fatal(err)
	}
	out := func(k int) string {
		return fmt.Sprintf(`{"functionResponse":{"name":"run","response":{"output":%s}}}`, quoted(strings.Repeat(fmt.Sprintf("FAIL src/part%d_%d.ts: expected %d\n", s.n, k, s.n*31+k), 12)))
	}
	s.contents = append(s.contents, string(reply.Message.Raw), `{"role":"user","parts":[`+out(1)+`,`+out(2)+`]}`)
}

func (s *geminiSession) api() api { return apiNamed(s.t, "gemini") }

// A client whose calls have no ids, and are the same again and again, is compacted to
// valid requests, in which each signature stands where it stood; before the first plan
// its bytes pass.
//
// SPEC: B6, B27, V3, V11 · WG6, WG15, WG17, WG18
func TestGeminiWithoutIDs(t *testing.T) {
	for _, method := range few([]string{"streamGenerateContent?alt=sse", "generateContent", "streamGenerateContent"}) {
		t.Run(method, func(t *testing.T) {
			s := newGeminiSession(t)
			for range 40 {
				body := s.body()
				s.round(method)
				sent := s.up.last()
				if s.f.plans(t) == 0 && sent != body {
					t.Fatal("changed without a plan")
				}
				for _, f := range wirecheck.Kept("gemini", []byte(body), []byte(sent)) {
					t.Error(f)
				}
			}
			if n := s.f.plans(t); n == 0 || n > 6 || strings.Contains(s.up.last(), "call id used before") {
				t.Errorf("%d plans", n)
			}
		})
	}
}

// A look-up in an answer that is one array is answered like any other, and where it took
// the signature of a step, the call that the client gets is marked as unsigned.
//
// SPEC: B8, B27 · WG20, WG34
func TestGeminiLookUps(t *testing.T) {
	for _, method := range []string{"streamGenerateContent?alt=sse", "generateContent", "streamGenerateContent"} {
		t.Run(method, func(t *testing.T) {
			s := newGeminiSession(t)
			for s.f.plans(t) == 0 {
				s.round(method)
			}
			text := s.ask(method, fakeprovider.Reply{ID: "x", Model: "m", Text: "Both.", Signature: "b3du", Calls: []fakeprovider.Call{{Name: "precis_grep", Args: `{"query":"part1"}`}, {Name: "run", Args: `{"command":"ls"}`}}})
			if strings.Contains(text, "precis_") || strings.Contains(text, "b3du") || strings.Count(text, "skip_thought_signature_validator") != 1 || !strings.Contains(text, `"finishReason":"STOP"`) {
				t.Fatalf("the client got %s", text)
			}
			if strings.HasSuffix(method, "sse") {
				text = "[" + strings.Join(strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "data: ", ""), "\n\n"), ",") + "]"
			}
			r, err := s.api().codec.Reply(http.StatusOK, []byte(text))
			if err != nil || len(r.Message.Calls()) != 1 || texts(r.Message) != "Both.|" {
				t.Fatalf("%v: %+v", err, r)
			}
			s.contents = append(s.contents, string(r.Message.Raw), `{"role":"user","parts":[{"functionResponse":{"name":"run","response":{"output":"a.go"}}}]}`)
			s.round(method)
			_, req := decoded(t, s.api(), s.up.last())
			m := req.Messages[len(req.Messages)-2]
			if calls := m.Calls(); len(calls) != 2 || m.Parts[calls[0]].Signature != "b3du" || m.Parts[calls[1]].Signature != "" {
				t.Errorf("what the provider said is not put back: %s", m.Raw)
			}
			last := req.Messages[len(req.Messages)-1]
			if last.Parts[0].Kind != message.Result || !strings.Contains(last.Parts[0].Body(), "part1") || last.Parts[1].Body() != "a.go" {
				t.Errorf("results %s", last.Raw)
			}
		})
	}
}

// Tokens are counted of what would be sent, whether the request states contents or a
// whole call.
//
// SPEC: B27 · WG30
func TestGeminiCountTokens(t *testing.T) {
	s := newGeminiSession(t)
	for s.f.plans(t) == 0 {
		s.round("generateContent")
	}
	sent := s.up.last()
	s.contents = s.contents[:len(s.contents)-2]
	s.up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		s.up.send(w, "application/json", `{"totalTokens":5}`)
		return true
	}
	url := s.f.url + "/v1beta/models/gemini-3-pro-preview:countTokens"
	whole := `{"generateContentRequest": ` + strings.Replace(s.body(), "{", `{"model":"models/gemini-3-pro-preview",`, 1) + ` }`
	post(t, url, whole)
	var asked struct {
		Request json.RawMessage `json:"generateContentRequest"`
	}
	if err := json.Unmarshal([]byte(s.up.last()), &asked); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(sent, "{", `{"model":"models/gemini-3-pro-preview",`, 1)
	was, _ := decoded(t, s.api(), want)
	is, _ := decoded(t, s.api(), string(asked.Request))
	if len(is) >= len(s.contents) || strings.Join(is, "") != strings.Join(was, "") {
		t.Errorf("counted %d contents of %d, sent %d", len(is), len(s.contents), len(was))
	}
	for _, body := range []string{`{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, `{"generateContentRequest":5}`, `nothing`} {
		if post(t, url, body); s.up.last() != body {
			t.Errorf("counted %s", s.up.last())
		}
	}
	if n := len(s.f.threads(t, "")); n != 1 {
		t.Errorf("%d threads", n)
	}
}
