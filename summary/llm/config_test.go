package llm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/llm"
)

// SPEC: S4, C1, L6. What goes over the wire: model, caps, temperature and form as
// the designs have them, keys in the header of the dialect, nothing else.
func TestRequest(t *testing.T) {
	th := script(t, coding)
	for name, tt := range map[string]struct {
		part        summary.Part
		answer      string
		temperature any
		output      float64
	}{
		"structure": {summary.Structure, structure, .2, 2048},
		"session":   {summary.Session, session, .3, 1000},
		"range":     {summary.Range, account, nil, 800},
		"turn":      {summary.TurnHead, account, nil, 400},
		"handover":  {summary.Handover, account, nil, 2048},
		"chunk":     {summary.Chunk, account, 0., 1024},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, dialect string) {
				m := serve(t, dialect, says(tt.answer, "end"))
				if _, err := summarizer(t, m.config()).Summarize(t.Context(), input(th, tt.part, 1, 0)); err != nil {
					t.Fatal(err)
				}
				var req map[string]any
				if err := json.Unmarshal(m.sent[0], &req); err != nil {
					t.Fatal(err)
				}
				limit, format := "max_completion_tokens", "response_format"
				if dialect == anthropic.Name {
					limit, format = "max_tokens", "output_config"
				}
				if req["temperature"] != tt.temperature || req[limit] != tt.output || req["tools"] != nil || req["stream"] != nil {
					t.Errorf("temperature %v, output %v, stream %v", req["temperature"], req[limit], req["stream"])
				}
				if f := fmt.Sprint(req[format]); !strings.Contains(f, "additionalProperties:false") {
					t.Errorf("form %s", f)
				}
				h := m.heads[0]
				if dialect == anthropic.Name {
					if h.Get("X-Api-Key") != key || h.Get("Anthropic-Version") == "" || h.Get("Authorization") != "" {
						t.Errorf("header %v", h)
					}
				} else if h.Get("Authorization") != "Bearer "+key || h.Get("X-Api-Key") != "" {
					t.Errorf("header %v", h)
				}
			})
		})
	}
}

// Settings of the configuration go before those of the designs.
func TestSettings(t *testing.T) {
	m := serve(t, anthropic.Name, says(structure, "end"))
	c := m.config()
	warm := 1.0
	c.Temperature, c.MaxOutput, c.Header = &warm, 5000, http.Header{"X-Api-Key": {"other-key-1234"}, "Anthropic-Beta": {"x"}}
	if _, err := summarizer(t, c).Summarize(t.Context(), input(script(t, coding), summary.Structure, 1, 0)); err != nil {
		t.Fatal(err)
	}
	contains(t, string(m.sent[0]), `"temperature":1`, `"max_tokens":5000`)
	if h := m.heads[0]; h.Get("X-Api-Key") != "other-key-1234" || h.Get("Anthropic-Beta") != "x" {
		t.Errorf("header %v", h)
	}
	c.Plain = true
	if _, err := summarizer(t, c).Summarize(t.Context(), input(script(t, coding), summary.Structure, 1, 0)); err != nil {
		t.Fatal(err)
	}
	lacks(t, string(m.sent[1]), `"temperature"`, `"output_config"`)
}

// A summarizer without an endpoint, a model or a dialect is never made.
func TestValidate(t *testing.T) {
	m := serve(t, anthropic.Name, says(structure, "end"))
	hot := 3.0
	for field, change := range map[string]func(*llm.Config){
		"url":             func(c *llm.Config) { c.URL = "" },
		"url:":            func(c *llm.Config) { c.URL = "localhost:80?key=" + key },
		"model":           func(c *llm.Config) { c.Model = "" },
		"dialect":         func(c *llm.Config) { c.Dialect = nil },
		"prompt":          func(c *llm.Config) { c.Prompt = "Summarise!" },
		"temperature":     func(c *llm.Config) { c.Temperature = &hot },
		"temperature NaN": func(c *llm.Config) { nan := math.NaN(); c.Temperature = &nan },
		"max output":      func(c *llm.Config) { c.MaxOutput = -1 },
		"max input":       func(c *llm.Config) { c.MaxInput = 10 },
		"timeout":         func(c *llm.Config) { c.Timeout = -1 },
	} {
		c := m.config()
		change(&c)
		if s, err := llm.New(c); s != nil || err == nil || !strings.Contains(err.Error(), field) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if m.calls() != 0 {
		t.Error("called")
	}
	c := m.config()
	c.Client = nil
	s := summarizer(t, c)
	if _, err := s.Summarize(t.Context(), input(script(t, coding), summary.Structure, 1, 0)); err != nil {
		t.Error(err)
	}
}

// SPEC: L18. The name changes with the model and with every word that the model
// is told.
func TestName(t *testing.T) {
	m := serve(t, anthropic.Name, says(structure, "end"))
	seen := map[string]string{}
	for what, change := range map[string]func(*llm.Config){
		"as it is":    func(*llm.Config) {},
		"model":       func(c *llm.Config) { c.Model = "claude-opus-5" },
		"prompt":      func(c *llm.Config) { c.Prompt = "{messages}" },
		"persona":     func(c *llm.Config) { c.Persona = "a pirate" },
		"temperature": func(c *llm.Config) { c.Temperature = new(float64) },
		"output":      func(c *llm.Config) { c.MaxOutput = 10 },
	} {
		c := m.config()
		change(&c)
		name, again := summarizer(t, c).Name(), summarizer(t, c).Name()
		if other, ok := seen[name]; ok || name != again || !strings.HasPrefix(name, "llm/"+c.Model+"/") {
			t.Errorf("%s is named %q, as %s, then %q", what, name, other, again)
		}
		seen[name] = what
	}
}
