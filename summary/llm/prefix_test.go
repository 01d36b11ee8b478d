package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// The agent's own requests, spaced and ordered as no codec of ours would.
var agents = map[string]string{
	anthropic.Name: `{ "model":"claude-opus-5",  "max_tokens": 64000, "metadata":{"user_id":"u"},
 "tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}},"cache_control":{"type":"ephemeral"}}],
 "system":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}}],
 "messages":[{"role":"user","content":"Read pkg/load/load.go."},
  {"content":[{"type":"text","text":"I read it."},{"type":"tool_use","id":"toolu_1","name":"read","input":{ "path":"pkg/load/load.go" }}],"role":"assistant"},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"package load"}]},
  {"role":"assistant","content":[{"type":"text","text":"It holds package load.","cache_control":{"type":"ephemeral"}}]} ],
 "temperature":0.7 }`,
	openai.Name: `{ "model":"gpt-5", "reasoning_effort":"low",
 "tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],
 "messages":[{"role":"system","content":"You are an agent."},
  {"role":"user","content":"Read pkg/load/load.go."},
  {"content":null,"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{ \"path\":\"pkg/load/load.go\" }"}}]},
  {"role":"tool","tool_call_id":"call_1","content":"package load"},
  {"role":"assistant","content":"It holds package load."} ], "seed":7 }`,
}

const fromAgent = `{"narrative":"The agent read pkg/load/load.go. It holds package load.","facts":[],"open_items":[]}`

// agent decodes the agent's request and makes the thread of its messages.
func agent(t *testing.T, dialect, body string) (*codec.Request, *thread.Thread) {
	t.Helper()
	var c codec.Codec = anthropic.Codec{}
	if dialect == openai.Name {
		c = openai.Codec{}
	}
	req, err := c.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return req, chain(t, slices.DeleteFunc(slices.Clone(req.Messages), func(m message.Message) bool { return m.Role == message.System })...)
}

// SPEC: B5. The cache-safe form is the agent's request, byte for byte, and one
// message after it: what a provider cached is read.
func TestPrefix(t *testing.T) {
	both(t, func(t *testing.T, dialect string) {
		body := agents[dialect]
		req, th := agent(t, dialect, body)
		m := serve(t, dialect, says(fromAgent, "end"))
		c := m.config()
		c.Prefix = func(in summary.Input) *codec.Request {
			if in.Thread != th {
				t.Error("of another thread")
			}
			return req
		}
		in := input(th, summary.Range, 1, 0)
		out, err := summarizer(t, c).Summarize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if out.Count != th.Len() || out.Narrative != "The agent read pkg/load/load.go. It holds package load." || m.calls() != 1 {
			t.Errorf("%+v after %d calls", out, m.calls())
		}
		last := strings.LastIndex(body, "} ]")
		if want := body[:last+1]; !bytes.HasPrefix(m.sent[0], []byte(want)) {
			t.Errorf("sent %s\nwant it to begin as %s", m.sent[0], want)
		}
		rest := string(m.sent[0][last+1:])
		if !strings.HasSuffix(rest, body[strings.LastIndex(body, "]"):]) {
			t.Errorf("ends in %s", rest)
		}
		contains(t, rest, `"role":"user"`, "Stop here", "from #1 to #4", "[#3] TOOL: [Result of read: package load]", "Answer with one JSON object")
		for _, fault := range check(dialect, m.sent[0]) {
			t.Error(fault)
		}
	})
}

// A request that ends in a user's message keeps all bytes before that message's
// end too.
func TestPrefixAfterResult(t *testing.T) {
	both(t, func(t *testing.T, dialect string) {
		body := agents[dialect]
		at := strings.Index(body, `,
  {"role":"assistant","content":`)
		body = body[:at] + body[strings.LastIndex(body, " ]"):]
		req, th := agent(t, dialect, body)
		m := serve(t, dialect, says(`{"narrative":"The agent read pkg/load/load.go.","facts":[],"open_items":[]}`, "end"))
		c := m.config()
		c.Prefix = func(summary.Input) *codec.Request { return req }
		if _, err := summarizer(t, c).Summarize(t.Context(), input(th, summary.Range, 1, 0)); err != nil {
			t.Fatal(err)
		}
		if want := body[:strings.Index(body, `"package load"`)+len(`"package load"`)]; m.calls() != 1 || !bytes.HasPrefix(m.sent[0], []byte(want)) {
			t.Errorf("%d calls, sent %s\nwant it to begin as %s", m.calls(), m.sent[0], want)
		}
		for _, fault := range check(dialect, m.sent[0]) {
			t.Error(fault)
		}
	})
}

func check(dialect string, body []byte) []wirecheck.Fault {
	return wirecheck.Check(dialect, body, wirecheck.Options{})
}

// Where the agent's request is of no use, its messages are sent by themselves;
// where the provider fails they are not.
func TestPrefixOfNoUse(t *testing.T) {
	both(t, func(t *testing.T, dialect string) {
		req, th := agent(t, dialect, agents[dialect])
		open := *req
		open.Messages = req.Messages[:len(req.Messages)-2] // ends in a call
		other := *req
		other.Dialect = "other"
		for name, tt := range map[string]struct {
			req   *codec.Request
			first step
			calls int
		}{
			"no request":    {nil, says(fromAgent, "end"), 1},
			"built by hand": {&codec.Request{}, says(fromAgent, "end"), 1},
			"other dialect": {&other, says(fromAgent, "end"), 1},
			"an open call":  {&open, says(fromAgent, "end"), 1},
			"calls a tool":  {req, says("I go on.", "calls"), 2},
			"too long":      {req, fails(400, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}`), 2},
			"prose":         {req, says("I go on.", "end"), 2},
			"invented":      {req, says(`{"narrative":"It deleted /etc/shadow.","facts":[],"open_items":[]}`, "end"), 2},
		} {
			t.Run(name, func(t *testing.T) {
				m := serve(t, dialect, tt.first, says(fromAgent, "end"))
				c := m.config()
				c.Prefix = func(summary.Input) *codec.Request { return tt.req }
				out, err := summarizer(t, c).Summarize(t.Context(), input(th, summary.Range, 1, 0))
				if err != nil || out.Count != th.Len() || m.calls() != tt.calls {
					t.Fatalf("%+v, %v after %d calls", out, err, m.calls())
				}
				contains(t, m.prompt(tt.calls-1), "<<<messages ", "[#3] TOOL:\n[Result of read: package load]")
			})
		}
		m := serve(t, dialect, fails(401, `{"error":{"message":"no"}}`))
		c := m.config()
		c.Prefix = func(summary.Input) *codec.Request { return req }
		var f *codec.Failure
		if _, err := summarizer(t, c).Summarize(t.Context(), input(th, summary.Range, 1, 0)); !errors.As(err, &f) || m.calls() != 1 {
			t.Errorf("%v after %d calls", err, m.calls())
		}
		if !json.Valid(m.sent[0]) {
			t.Errorf("sent %s", m.sent[0])
		}
	})
}
