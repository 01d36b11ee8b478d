package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/llm"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/upstream"
)

// long is a conversation of so many tool rounds of about 300 tokens.
func long(t *testing.T, rounds int) *thread.Thread {
	t.Helper()
	ms := []message.Message{message.TextOf(message.User, "Check every item.")}
	for i := range rounds {
		id := fmt.Sprint("c", i)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "check", Args: fmt.Sprintf(`{"item":"item-%d"}`, 1000+i)}}},
			message.Message{Role: message.Tool, Parts: []message.Part{result(id, fmt.Sprintf("item-%d is fine. ", 1000+i)+strings.Repeat("log line. ", 100))}})
	}
	return chain(t, ms...)
}

var heads = regexp.MustCompile(`(?m)^\[#(\d+)\] TOOL:$`)

// reports answers with an account of the items whose results the prompt shows,
// after the account of the earlier summary that it shows.
func reports(m *model, w http.ResponseWriter, body []byte) {
	prompt := m.prompt(m.calls() - 1)
	_, earlier, _ := strings.Cut(prompt, "Earlier summary:\n<<<summary ")
	earlier, _, _ = strings.Cut(earlier, "\n>>>summary")
	said := regexp.MustCompile(`Checked item-\d+\.`).FindAllString(earlier, -1)
	_, shown, _ := strings.Cut(prompt, "<<<messages ")
	for _, h := range heads.FindAllStringSubmatch(shown, -1) {
		n, _ := strconv.Atoi(h[1])
		said = append(said, fmt.Sprintf("Checked item-%d.", 1000+(n-3)/2))
	}
	text, _ := json.Marshal(map[string]any{"narrative": strings.Join(said, " "), "facts": []any{}, "open_items": []any{}})
	says(string(text), "end")(m, w, body)
}

// only lets prompts up to a size pass.
func only(most int, pass, otherwise step) step {
	return func(m *model, w http.ResponseWriter, body []byte) {
		if len(body) > most {
			otherwise(m, w, body)
			return
		}
		pass(m, w, body)
	}
}

// account is what reports says of all rounds.
func accountOf(rounds int) string {
	var b strings.Builder
	for i := range rounds {
		fmt.Fprintf(&b, "Checked item-%d. ", 1000+i)
	}
	return strings.TrimSpace(b.String())
}

// SPEC: T11. A span larger than the prompt is summarized in pieces, in order, cut
// between units, each taking up the one before.
func TestProgressive(t *testing.T) {
	both(t, func(t *testing.T, dialect string) {
		const rounds = 60
		th := long(t, rounds)
		m := serve(t, dialect, reports)
		c := m.config()
		c.MaxInput = 5000
		in := input(th, summary.Range, 1, 0)
		out, err := summarizer(t, c).Summarize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if out.Narrative != accountOf(rounds) || out.Count != th.Len() || out.Round != 1 {
			t.Errorf("count %d, round %d, %q", out.Count, out.Round, out.Narrative)
		}
		if err := summary.Verify(out, th, in.Span); err != nil {
			t.Error(err)
		}
		if n := m.calls(); n < 4 || n > 12 {
			t.Errorf("%d calls", n)
		}
		for n := range m.calls() {
			prompt := m.prompt(n)
			if got := in.Count(prompt); got > 5000 {
				t.Errorf("prompt %d has %d tokens", n, got)
			}
			_, shown, _ := strings.Cut(prompt, "<<<messages ")
			if calls, results := strings.Count(shown, "[Tool: "), strings.Count(shown, "[Result of check: "); calls != results {
				t.Errorf("prompt %d parts %d calls from %d results", n, calls, results)
			}
		}
	})
}

// A prompt that the model finds too long is halved, down to the floors.
func TestOverflow(t *testing.T) {
	tooLong := map[string]step{
		anthropic.Name: fails(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`),
		openai.Name:    fails(400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`),
	}
	both(t, func(t *testing.T, dialect string) {
		th := long(t, 30)
		m := serve(t, dialect, only(20_000, reports, tooLong[dialect]))
		out, err := summarizer(t, m.config()).Summarize(t.Context(), input(th, summary.Range, 1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if out.Narrative != accountOf(30) || out.Count != th.Len() {
			t.Errorf("count %d, %q", out.Count, out.Narrative)
		}
		if n := m.calls(); n > 8 {
			t.Errorf("%d calls", n)
		}

		m = serve(t, dialect, tooLong[dialect])
		out, err = summarizer(t, m.config()).Summarize(t.Context(), input(th, summary.Range, 1, 0))
		if out != nil || !errors.Is(err, llm.ErrTooLong) || m.calls() != 3 {
			t.Errorf("%v after %d calls", err, m.calls())
		}
		m = serve(t, dialect, tooLong[dialect])
		if _, err := summarizer(t, m.config()).Summarize(t.Context(), input(th, summary.Range, 1, 3)); !errors.Is(err, llm.ErrTooLong) || m.calls() != 1 {
			t.Errorf("three messages: %v after %d calls", err, m.calls())
		}
	})
}

// A single round that is larger than the prompt is shown in part.
func TestHugeRound(t *testing.T) {
	var calls, results []message.Part
	for i := range 40 {
		id := fmt.Sprint(i)
		calls = append(calls, message.Part{Kind: message.Call, CallID: id, Name: "check", Args: `{}`})
		results = append(results, result(id, strings.Repeat("log line. ", 5000)))
	}
	ms := []message.Message{message.TextOf(message.User, "Check."), {Role: message.Assistant, Parts: calls}}
	for _, r := range results {
		ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{r}})
	}
	th := chain(t, ms...)
	m := serve(t, anthropic.Name, says(`{"narrative":"The agent ran its checks.","facts":[],"open_items":[]}`, "end"))
	c := m.config()
	c.MaxInput = 8000
	in := input(th, summary.Range, 1, 0)
	if _, err := summarizer(t, c).Summarize(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	all := ""
	for n := range m.calls() {
		if got := in.Count(m.prompt(n)); got > 8000 {
			t.Errorf("prompt %d has %d tokens", n, got)
		}
		all += m.prompt(n)
	}
	if n := strings.Count(all, "[Result of check: log line."); n != 40 {
		t.Errorf("%d results shown", n)
	}
}

// SPEC: C4. A custom prompt goes before the default of every part.
func TestCustomPrompt(t *testing.T) {
	th := script(t, coding)
	m := serve(t, anthropic.Name, says(account, "end"))
	c := m.config()
	c.Prompt, c.Persona = "You are {persona}. Before: {existing_summary}. Shorten, {persona}:\n{messages}", "Ada {messages}"
	if _, err := summarizer(t, c).Summarize(t.Context(), input(th, summary.Chunk, 1, 0)); err != nil {
		t.Fatal(err)
	}
	p := m.prompt(0)
	contains(t, p, "You are Ada {messages}. Before: (no prior summary). Shorten, Ada {messages}:\n<<<messages ", "[#13] ASSISTANT", "Answer with the summary and nothing else.")
	lacks(t, p, "archive")

	c.Prompt = ""
	in := input(th, summary.Chunk, 1, 0)
	in.Instructions = "Mind the licence."
	if _, err := summarizer(t, c).Summarize(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	contains(t, m.prompt(1), "Ada {messages}\n\nEarlier summary:\n(no prior summary)", "archive", "Besides, you were asked: Mind the licence.")
}

// Streaming is asked for and read.
func TestStreaming(t *testing.T) {
	both(t, func(t *testing.T, dialect string) {
		m := serve(t, dialect, streams(structure, 0))
		c := m.config()
		c.Stream = true
		s := summarizer(t, c)
		if _, err := s.Summarize(t.Context(), input(script(t, coding), summary.Structure, 1, 0)); err != nil {
			t.Fatal(err)
		}
		contains(t, string(m.sent[0]), `"stream":true`)
		if u := s.Usage(); u.Calls != 1 || u.Input != 1000 && dialect == anthropic.Name {
			t.Errorf("%+v", u)
		}
	})
}

// A model that stalls costs one timeout, however many summaries a compaction wants, and
// is then left alone for a while; a client that leaves ends a call at once and is not
// counted against the model.
func TestTimeout(t *testing.T) {
	hang := func(_ *model, _ http.ResponseWriter, _ []byte) { time.Sleep(time.Hour) }
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &model{t: t, name: anthropic.Name, steps: []step{hang, says(account, "end")}}
			s, end := m.pipe()
			defer end()
			start := time.Now()
			if _, err := s.Summarize(t.Context(), input(long(t, 30), summary.Range, 1, 0)); !errors.Is(err, llm.ErrTimeout) {
				t.Error(err)
			}
			for range 3 {
				if _, err := s.Summarize(t.Context(), input(script(t, coding), summary.Range, 1, 0)); !errors.Is(err, upstream.ErrOpen) {
					t.Error(err)
				}
			}
			if took := time.Since(start); took != 2*time.Minute {
				t.Errorf("took %v", took)
			}
			time.Sleep(time.Minute + 1) // half open
			for range 2 {
				if _, err := s.Summarize(t.Context(), input(script(t, coding), summary.Range, 1, 0)); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Hour)
		})
	})
	t.Run("client leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &model{t: t, name: anthropic.Name, steps: []step{hang, hang, hang, hang, says(account, "end")}}
			s, end := m.pipe()
			defer end()
			for range 4 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				start := time.Now()
				_, err := s.Summarize(ctx, input(long(t, 30), summary.Range, 1, 0))
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("%v after %v", err, time.Since(start))
				}
			}
			if _, err := s.Summarize(t.Context(), input(script(t, coding), summary.Range, 1, 0)); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour)
		})
	})
}

// pipe starts the model on connections in memory, whose time is that of the
// test's bubble.
func (m *model) pipe() (*llm.Summarizer, func()) {
	m.t.Helper()
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: m}
	served := make(chan struct{})
	go func() { _ = srv.Serve(l); close(served) }()
	c, err := upstream.New(upstream.Options{Transport: &http.Transport{DialContext: l.dial}})
	if err != nil {
		m.t.Fatal(err)
	}
	s, err := llm.New(llm.Config{URL: "http://host/v1", Model: "claude-haiku-4-5", Dialect: anthropic.Codec{}, Client: c})
	if err != nil {
		m.t.Fatal(err)
	}
	return s, func() {
		c.Close()
		_ = srv.Close()
		<-served
	}
}

type listener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
