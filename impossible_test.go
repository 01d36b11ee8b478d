package precis_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// The numbers of a budget that is impossible are written as those of all reports.
func TestImpossibleNumbersAreGrouped(t *testing.T) {
	text := (&precis.ImpossibleError{Budget: 4000, System: 1_234_567, Tools: 999, LastUser: 0, Floor: 1_235_999}).Error()
	for _, want := range []string{" 4,000 tokens", " 1,234,567,", " 999,", " 0 ", " 433 ", " 1,235,999"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", text, want)
		}
	}
}

// What takes the room is named for what it is: what no codec knows and system messages among
// the others are no system prompt.
//
// SPEC: V4
func TestImpossibleNamesWhatTakesTheRoom(t *testing.T) {
	long := strings.Repeat("word ", 400)
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a system prompt": {
			`{"model":"claude-sonnet-4-5","system":"` + long + `","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`,
			[]string{"system prompt 504", ", tools 0, the last user message"},
		},
		"what is not known": {
			`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"future","data":"` + long + `"}]},{"role":"user","content":"c"}]}`,
			[]string{"system prompt 0, tools 0, what is not known 680", ", the last user message"},
		},
		"a system message": {
			`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"a"},{"role":"system","content":"` + long + `"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`,
			[]string{"system prompt 0, tools 0, system messages 504", ", the last user message"},
		},
		"thinking beside calls": {
			`{"model":"claude-sonnet-4-6","thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"` + long + `","signature":"c2ln"},{"type":"tool_use","id":"t","name":"n","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`,
			[]string{"system prompt 0, tools 0, thinking that must stay 500", ", the last user message"},
		},
		"thinking": {
			`{"model":"claude-sonnet-4-5","thinking":{"type":"enabled"},"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"` + long + `","signature":"c2ln"},{"type":"tool_use","id":"t","name":"n","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`,
			[]string{"system prompt 0, tools 0, thinking that must stay 500", ", the last user message"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := anthropic.Codec{}.Decode([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			p, err := policy.Named("balanced")
			if err != nil {
				t.Fatal(err)
			}
			e := newEngine(t, memory.New(), p)
			_, err = e.Prepare(t.Context(), precis.Input{
				Thread: "t", Budget: 300, System: req.System, Messages: req.Messages, Meter: token.Truncate(),
				Client: precis.Client{ThinkingLeads: req.ThinkingLeads, ThinkingStays: req.ThinkingStays},
			})
			var no *precis.ImpossibleError
			if !errors.As(err, &no) {
				t.Fatalf("no such error: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(no.Error(), want) {
					t.Errorf("%s lacks %q", no, want)
				}
			}
		})
	}
}
