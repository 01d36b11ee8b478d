package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// refusing is a provider that answers with an error where refuses says so.
type refusing struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func newRefusing(t *testing.T, refuses func(body string) (status int, text string)) *refusing {
	p := &refusing{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client left
		}
		p.mu.Lock()
		p.sent = append(p.sent, string(b))
		p.mu.Unlock()
		for _, f := range wirecheck.Check(apis[0].name, b, wirecheck.Options{AllowUnknown: true}) {
			t.Error(f)
		}
		if status, text := refuses(string(b)); status != http.StatusOK {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, apis[0].answer)
	}))
	t.Cleanup(p.Close)
	return p
}

// requests returns what was sent since it was asked last.
func (p *refusing) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.sent
	p.sent = nil
	return sent
}

// A prompt whose thinking is refused is sent again without thinking, once, where a
// plan is in force; without one the refusal is the caller's to be told.
//
// SPEC: B7, B9 · WT8, P6
func TestRefusedThinking(t *testing.T) {
	refusal := "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}"
	up := newRefusing(t, func(body string) (int, string) {
		if strings.Contains(body, `"type":"thinking"`) {
			return http.StatusBadRequest, refusal
		}
		return http.StatusOK, ""
	})
	o := options(t, memory.New())
	o.Budget = 8_000
	rt := transport.New(o)
	thinks := func(rounds int) string {
		return strings.ReplaceAll(apis[0].body(rounds), `"content":[{"type":"tool_use"`, `"content":[{"type":"thinking","thinking":"Next.","signature":"c2ln"},{"type":"tool_use"`)
	}
	resp, text := post(t, rt, up.URL+apis[0].path, thinks(2), transport.ThreadHeader, "t")
	if sent := up.requests(); resp.StatusCode != http.StatusBadRequest || text != refusal || len(sent) != 1 || sent[0] != thinks(2) {
		t.Errorf("without a plan: status %d after %d requests: %s", resp.StatusCode, len(sent), text)
	}
	resp, text = post(t, rt, up.URL+apis[0].path, thinks(20), transport.ThreadHeader, "t")
	if sent := up.requests(); resp.StatusCode != http.StatusOK || text != apis[0].answer || len(sent) != 2 {
		t.Errorf("with a plan: status %d after %d requests: %s", resp.StatusCode, len(sent), text)
	}
	resp, _ = post(t, rt, up.URL+apis[0].path, thinks(20), transport.ThreadHeader, "t")
	if sent := up.requests(); resp.StatusCode != http.StatusOK || len(sent) != 1 {
		t.Errorf("later: status %d after %d requests", resp.StatusCode, len(sent))
	}
}

// A request that is refused for its bytes is sent again with fewer pictures and all of
// its text, and the next one of the conversation fits at once.
//
// SPEC: B7 · P13
func TestTooHeavy(t *testing.T) {
	const most = 100_000
	up := newRefusing(t, func(body string) (int, string) {
		if len(body) > most {
			return http.StatusRequestEntityTooLarge, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`
		}
		return http.StatusOK, ""
	})
	rt := transport.New(options(t, memory.New()))
	body := func(pictures int) string {
		messages := `{"role":"user","content":"Look at the screen until the build is green."}`
		for i := range pictures {
			messages += fmt.Sprintf(`,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%[1]d","name":"screenshot","input":{"n":%[1]d}}]},`+
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%[1]d","content":[{"type":"text","text":"screen %[1]d is shown"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%[2]s"}}]}]}`,
				i, strings.Repeat(fmt.Sprintf("%04d", i), 1250))
		}
		return `{"model":"claude-opus-4-5","max_tokens":99,"messages":[` + messages + `]}`
	}
	resp, text := post(t, rt, up.URL+apis[0].path, body(30), transport.ThreadHeader, "heavy")
	sent := up.requests()
	if resp.StatusCode != http.StatusOK || len(sent) != 2 {
		t.Fatalf("status %d after %d requests: %s", resp.StatusCode, len(sent), text)
	}
	if n := strings.Count(sent[1], "is shown"); n != 30 {
		t.Errorf("only %d of 30 texts are left, where pictures were too large", n)
	}
	resp, text = post(t, rt, up.URL+apis[0].path, body(31), transport.ThreadHeader, "heavy")
	if sent := up.requests(); resp.StatusCode != http.StatusOK || len(sent) != 1 {
		t.Errorf("status %d after %d requests: %s", resp.StatusCode, len(sent), text)
	}
}
