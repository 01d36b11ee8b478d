package precis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// What an engine is configured with is refused where it cannot be, and the error names
// the field. A policy without a name is no policy by another name.
//
// SPEC: B24
func TestOptionsAreValidated(t *testing.T) {
	unnamed := policyOf(t, "session")
	unnamed.Name = ""
	for field, o := range map[string]precis.Options{
		"Store":                           {},
		"Background":                      {Store: memory.New(), Background: true},
		"name":                            {Store: memory.New(), Policy: unnamed},
		"soft":                            {Store: memory.New(), Policy: policy.Policy{Name: "mine", Style: "balanced", Recall: "precis_read"}},
		"max_artifacts_per_turn":          {Store: memory.New(), Rehydrate: rehydrate.Config{Artifacts: -1}},
		`Tools["query_db"]: durability`:   {Store: memory.New(), Tools: map[string]tool.Policy{"query_db": {Durability: "non-replayable"}}},
		`Tools["a"]: externalize_at`:      {Store: memory.New(), Tools: map[string]tool.Policy{"a": {ExternalizeAt: -1}, "b": {TTL: -1}}},
		`Tools["b"]: ttl`:                 {Store: memory.New(), Tools: map[string]tool.Policy{"b": {TTL: -1}}},
		`Tools["b"]: externalize_at`:      {Store: memory.New(), Tools: map[string]tool.Policy{"b": {ExternalizeAt: -1}}},
		`Tools["b"]: sensitivity: "open"`: {Store: memory.New(), Tools: map[string]tool.Policy{"b": {Sensitivity: "open"}}},
	} {
		if _, err := precis.New(o); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// SPEC: B24
func TestInputIsValidated(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New()})
	for field, change := range map[string]func(*precis.Input){
		"Input.Thread":               func(in *precis.Input) { in.Thread = "" },
		"Input.Budget":               func(in *precis.Input) { in.Budget = -1 },
		"Input.Limits.MaxOutput":     func(in *precis.Input) { in.Limits.MaxOutput = -1 },
		"Input.Limits.Payload.Media": func(in *precis.Input) { in.Limits.Payload = token.Load{Media: -1} },
		"Input.Client.Idle must not be negative, got -1s":                    func(in *precis.Input) { in.Client.Idle = -time.Second },
		`Input.Mode.Trigger is "Overflow": there are auto, manual, overflow`: func(in *precis.Input) { in.Mode.Trigger = "Overflow" },
	} {
		in := request("t", work(3, 3), 4_000)
		change(&in)
		if _, err := e.Prepare(t.Context(), in); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A durability that is none of the four protects what it is set on.
func TestUnknownDurabilityIsKept(t *testing.T) {
	if tool.Durability("non-replayable").Clearable() {
		t.Error("a misspelt durability lets a result be cleared")
	}
}
