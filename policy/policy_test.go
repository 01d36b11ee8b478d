package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
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

// SPEC: L20
func TestValidateNamesTheField(t *testing.T) {
	for field, change := range map[string]func(*policy.Policy){
		"soft":              func(p *policy.Policy) { p.Soft = 1.2 },
		"low":               func(p *policy.Policy) { p.Low = p.Soft + .1 },
		"reserve_tokens":    func(p *policy.Policy) { p.Reserve = -1 },
		"recent_share":      func(p *policy.Policy) { p.RecentShare = 1 },
		"recent_turns":      func(p *policy.Policy) { p.RecentTurns = -1 },
		"summary_share":     func(p *policy.Policy) { p.SummaryShare = 0 },
		"trail_share":       func(p *policy.Policy) { p.TrailShare = 1.5 },
		"rungs[0].strategy": func(p *policy.Policy) { p.Rungs = []policy.Rung{{Strategy: "forget"}} },
	} {
		p, err := policy.Named("balanced")
		if err != nil {
			t.Fatal(err)
		}
		change(&p)
		if err := p.Validate(); !errors.Is(err, policy.ErrInvalid) || !strings.Contains(err.Error(), field+" = ") {
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
	last := -1
	for _, s := range p.Ladder(100_000, nil, nil) {
		order = append(order, s.Name())
		if s.Aggressiveness() <= last {
			t.Errorf("%s is not more aggressive than the one before", s.Name())
		}
		last = s.Aggressiveness()
	}
	if got := strings.Join(order, " "); got != "externalize summarize clear drop" {
		t.Errorf("ladder is %s", got)
	}
	for budget, want := range map[int]int{100_000: 85_000 - 2_500, 4_000: 3_400 - 400} {
		if got := p.Trigger(budget); got != want {
			t.Errorf("trigger of %d is %d, want %d", budget, got, want)
		}
		if got := p.Target(budget); got <= 0 || got >= want {
			t.Errorf("target of %d is %d", budget, got)
		}
	}
}
