package policy_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
)

// SPEC: L20
func TestPresetsAreValid(t *testing.T) {
	if names := policy.Names(); names[0] != "balanced" {
		t.Errorf("the default is %s", names[0])
	}
	for _, name := range policy.Names() {
		p, err := policy.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if p.Name != name || p.About == "" || p.Recall == "" {
			t.Errorf("%s is incomplete: %+v", name, p)
		}
	}
	if _, err := policy.Named("nonesuch"); !errors.Is(err, policy.ErrUnknown) {
		t.Errorf("unknown policy: %v", err)
	}
}

// A style that a policy may have is one that is rendered.
//
// SPEC: L20
func TestStylesAreRendered(t *testing.T) {
	for _, name := range policy.Styles {
		if got := render.StyleOf(name).Name; got != name {
			t.Errorf("%s is rendered as %s", name, got)
		}
	}
}

// SPEC: L20, B24
func TestValidateNamesTheField(t *testing.T) {
	nan := math.NaN()
	for field, change := range map[string]func(*policy.Policy){
		"soft":                       func(p *policy.Policy) { p.Soft = 1.2 },
		"soft = NaN":                 func(p *policy.Policy) { p.Soft = nan },
		"low = NaN":                  func(p *policy.Policy) { p.Low = nan },
		"low_again":                  func(p *policy.Policy) { p.LowAgain = 1.2 },
		"low_again = NaN":            func(p *policy.Policy) { p.LowAgain = nan },
		"rested = NaN":               func(p *policy.Policy) { p.ColdSoft = nan },
		"recent_share = NaN":         func(p *policy.Policy) { p.RecentShare = nan },
		"summary_share = NaN":        func(p *policy.Policy) { p.SummaryShare = nan },
		"trail_share = NaN":          func(p *policy.Policy) { p.VerbatimShare = nan },
		"low":                        func(p *policy.Policy) { p.Low = p.Soft + .1 },
		"safety_tokens":              func(p *policy.Policy) { p.Safety = -1 },
		"recent_share":               func(p *policy.Policy) { p.RecentShare = 1 },
		"recent_turns":               func(p *policy.Policy) { p.RecentTurns = -1 },
		"summary_share":              func(p *policy.Policy) { p.SummaryShare = 0 },
		"trail_share":                func(p *policy.Policy) { p.VerbatimShare = 1.5 },
		"window_tokens":              func(p *policy.Policy) { p.Window = -1 },
		"rehydration_tokens":         func(p *policy.Policy) { p.Rehydration = -1 },
		"reserves.output_tokens":     func(p *policy.Policy) { p.Reserves.Output = -1 },
		"name":                       func(p *policy.Policy) { p.Name = "" },
		"style":                      func(p *policy.Policy) { p.Style = "prose" },
		"recall_tool":                func(p *policy.Policy) { p.Recall = "read it" },
		"detail":                     func(p *policy.Policy) { p.Detail = 1.1 },
		"detail = NaN":               func(p *policy.Policy) { p.Detail = nan },
		"summary_tokens":             func(p *policy.Policy) { p.SummaryTokens = -1 },
		"summary_ratio":              func(p *policy.Policy) { p.SummaryRatio = 7 },
		"summary_ratio = NaN":        func(p *policy.Policy) { p.SummaryRatio = nan },
		"cold_after_seconds":         func(p *policy.Policy) { p.ColdAfter = -1 },
		"rungs[1].above_tokens":      func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "args", Above: -1} },
		"rungs[1].keep_messages":     func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "fold", Write: "session", Keep: -1} },
		"rungs[1].keep_share":        func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "fold", Write: "session", KeepShare: 7} },
		"rungs[1].keep_share = NaN":  func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "fold", Write: "session", KeepShare: nan} },
		"rungs[1].write":             func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "fold", Write: "sesion"} },
		"rungs[1].chunk_messages":    func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "archive", First: 1} },
		"rungs[1].clip_last":         func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "archive", Chunk: 1, Last: -2} },
		"rungs[1].tokens":            func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "timeline", Tokens: -1} },
		"rungs[1].keep_intact_turns": func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "hide", KeepTurns: 1, KeepIntact: 2} },
		"rungs[1].cold":              func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "summarize", Cold: true} },
		"rungs[1].to_tokens":         func(p *policy.Policy) { p.Rungs[1] = policy.Rung{Strategy: "clear", To: 9} },
		"rungs[0].strategy":          func(p *policy.Policy) { p.Rungs = []policy.Rung{{Strategy: "forget"}} },
	} {
		p, err := policy.Named("balanced")
		if err != nil {
			t.Fatal(err)
		}
		change(&p)
		if err := p.Validate(); !errors.Is(err, policy.ErrInvalid) || !strings.Contains(err.Error(), strings.TrimSuffix(field, " = NaN")+" = ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// The ladder keeps its design's order, least aggressive first, and its budget
// arithmetic works at any size: a fixed reserve is at most a tenth.
//
// SPEC: L10, L11
func TestLadder(t *testing.T) {
	p, err := policy.Named("ladder")
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, s := range strategy.LadderOf(p, 100_000, nil, nil) {
		order = append(order, s.Name())
	}
	if got := strings.Join(order, " "); got != "externalize summarize clear drop" {
		t.Errorf("ladder is %s", got)
	}
	for budget, want := range map[int]int{100_000: 85_000 - 2_500, 4_000: 3_400 - 800} {
		if got := p.Trigger(budget, 0); got != want {
			t.Errorf("trigger of %d is %d, want %d", budget, got, want)
		}
		if got := p.Target(budget, 0); got <= 0 || got >= want {
			t.Errorf("target of %d is %d", budget, got)
		}
	}
}

// What the trigger leaves for messages after the overheads, and the room for
// artifacts that come back.
//
// SPEC: L11
func TestAvailable(t *testing.T) {
	p, err := policy.Named("ladder")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ budget, overhead, messages, rehydration int }{
		{100_000, 1_000 + 2_000 + 100, 85_000 - 1_000 - 2_000 - 100 - 500 - 2_000, 2_000},
		{100_000, 90_000, -7_500, 2_000}, // overheads above the limit leave less than nothing
		{4_000, 0, 2_600, 400},
	} {
		if got := p.Trigger(c.budget, c.overhead) - c.overhead; got != c.messages {
			t.Errorf("%d with overheads of %d leaves %d for messages, want %d", c.budget, c.overhead, got, c.messages)
		}
		if got := p.Reserve(c.budget); got != c.rehydration {
			t.Errorf("%d leaves %d for artifacts, want %d", c.budget, got, c.rehydration)
		}
	}
}

// The threshold of the session design is what policy show states for its defaults, and every
// fixed reserve shrinks to a tenth of an explicit budget.
//
// SPEC: S2, G1, L20
func TestEffectiveNumbers(t *testing.T) {
	for _, c := range []struct {
		name                   string
		budget, fixed, trigger int
	}{
		{"session", 0, 0, 93_600},
		{"session", 4_000, 0, 2_240},            // 0.8 × (4,000 − 3 × 400)
		{"truncate", 0, 0, 146_892},             // 0.8 × (200,000 − 16,384)
		{"truncate", 200_000, 1000, 147092},     // 1,000 + 0.8 × (200,000 − 1,000 − 16,384)
		{"truncate", 200_000, 190_000, 184_893}, // what is left for messages may be negative
		{"ladder", 0, 0, 82_500},
		{"ladder", 8_000, 0, 5_500},
		{"timeline", 0, 0, 72_000},
		{"clip", 10_000, 0, 8_000},
	} {
		p, err := policy.Named(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if e := p.At(c.budget, c.fixed); e.Trigger != c.trigger || e.Trigger != p.Trigger(e.Budget, c.fixed) {
			t.Errorf("%s at %d: compacts above %d, want %d", c.name, c.budget, e.Trigger, c.trigger)
		}
	}
	p, err := policy.Named("session")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(p.At(4_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"session"`, `"trigger_tokens":2240`, `"summary_tokens":400`, `"output_tokens":400`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
}
