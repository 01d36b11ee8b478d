package policyfile_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/tool"
)

// Every preset, written as a file and read again, is the preset.
//
// SPEC: B24
func TestPresetsRoundTrip(t *testing.T) {
	for _, name := range policy.Names() {
		p, err := policy.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := policyfile.Setup{Policy: p}.TOML()
		if err != nil {
			t.Fatal(err)
		}
		s, err := policyfile.Parse("mine.toml", data)
		if err != nil || !reflect.DeepEqual(s.Policy, p) {
			t.Errorf("%s: %v\n%s\nis %+v", name, err, data, s.Policy)
		}
		if data, err = json.Marshal(p); err != nil {
			t.Fatal(err)
		}
		if s, err = policyfile.Parse("mine.json", data); err != nil || !reflect.DeepEqual(s.Policy, p) {
			t.Errorf("%s as JSON: %v, %+v", name, err, s.Policy)
		}
	}
}

// A file changes what it names and leaves the rest of the preset that it extends.
//
// SPEC: B24
func TestExtends(t *testing.T) {
	want, err := policy.Named("session")
	if err != nil {
		t.Fatal(err)
	}
	want.Name, want.Soft, want.Reserves.Output = "slow", .9, 9000
	for path, text := range map[string]string{
		"dir/slow.toml": "extends = \"session\"\nsoft = 0.9\n[reserves]\noutput_tokens = 9000\n[summary]\nprompt = \"Sum up {messages}\"\npersona = \"a clerk\"\ntemperature = 0\nfallback = false\n[rehydration]\ncooldown_turns = 5\n",
		"dir/slow.json": `{"extends": "session", "soft": 0.9, "reserves": {"output_tokens": 9000}, "summary": {"prompt": "Sum up {messages}", "persona": "a clerk", "temperature": 0, "fallback": false}, "rehydration": {"cooldown_turns": 5}}`,
	} {
		s, err := policyfile.Parse(path, []byte(text))
		if err != nil || !reflect.DeepEqual(s.Policy, want) {
			t.Fatalf("%s: %v, %+v", path, err, s.Policy)
		}
		if !s.Summary.NoFallback() || s.Summary.Persona != "a clerk" || s.Summary.Temperature == nil || *s.Summary.Temperature != 0 || s.Rehydration.Cooldown != 5 {
			t.Errorf("%s: %+v %+v", path, s.Summary, s.Rehydration)
		}
	}
	tools := "extends = \"ladder\"\ncache_point_offset_rounds = 6\n[tools.read_file]\ndurability = \"replayable\"\n[tools.\"*\"]\ndurability = \"non_replayable\"\nttl = \"24h\"\npreserve = [\"id\"]\n"
	s, err := policyfile.Parse("x.toml", []byte(tools))
	if p := s.ToolPolicies(); err != nil || s.CacheOffset != 6 || p["read_file"].Durability != tool.Replayable || p[tool.AnyTool].TTL != 24*time.Hour || len(p[tool.AnyTool].Preserve) != 1 {
		t.Errorf("tools: %v, %+v", err, s)
	}
	if back, err := s.TOML(); err != nil {
		t.Error(err)
	} else if again, err := policyfile.Parse("x.toml", back); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("written and read again: %v\n%s", err, back)
	}
	s, err = policyfile.Parse("x.toml", []byte("extends = \"balanced\"\n[[rungs]]\nstrategy = \"drop\"\n"))
	if err != nil || len(s.Rungs) != 1 || s.Rungs[0] != (policy.Rung{Strategy: "drop"}) {
		t.Errorf("rungs of a file: %v, %+v", err, s.Rungs)
	}
	if p, err := policy.Named("balanced"); err != nil || p.Rungs[0].Strategy != "reencode" {
		t.Errorf("the preset changed: %+v", p)
	}
}

// A mistake comes with its line and its field, in both forms.
//
// SPEC: B24
func TestMistakesHaveALine(t *testing.T) {
	for text, want := range map[string]string{
		"extends = \"session\"\n\nsoft = 7\n":      "p.toml:3: soft: 7",
		"extends = \"session\"\nsoft = nan\n":      "p.toml:2: soft: ",
		"extends = \"session\"\nsoft = \"much\"\n": "p.toml:2: soft: got a string, want a number",
		"extends = \"session\"\nsofter = 1\n":      "p.toml:2: softer: unknown field",
		"extends = \"nonesuch\"\n":                 "p.toml:1: extends: ",
		"soft =\n":                                 "p.toml:1: ",
		"extends = \"clip\"\n[[rungs]]\nstrategy = \"drop\"\n[[rungs]]\nstrategy = \"fold\"\nkeep = 3": "p.toml:6: rungs[1].keep: unknown field",
		"extends = \"clip\"\n[[rungs]]\nstrategy = \"archive\"\nchunk_messages = -3\nclip_first = 1":   "p.toml:4: rungs[0].chunk_messages: -3",
		"extends = \"clip\"\n[reserves]\noutput_tokens = -3":                                           "p.toml:3: reserves.output_tokens: -3",
		"extends = \"clip\"\n\n[summary]\nprompt = \"no place for them\"":                              "p.toml:4: summary.prompt: ",
		"extends = \"clip\"\n[summary]\npersona = \"x\"\ntemperature = 3":                              "p.toml:4: summary.temperature: ",
		"extends = \"clip\"\n[rehydration]\n\ncooldown_turns = -1":                                     "p.toml:4: rehydration.cooldown_turns: ",
		"extends = \"clip\"\ncache_point_offset_rounds = -1":                                           "p.toml:2: cache_point_offset_rounds: -1",
		"extends = \"clip\"\n[tools.bash]\nttl = \"5m\"\ndurability = \"non-replayable\"":              "p.toml:4: tools.bash.durability: ",
		"extends = \"clip\"\n[tools.\"*\"]\nsensitivity = \"secret\"":                                  "p.toml:3: tools.*.sensitivity: ",
		"extends = \"clip\"\n[tools.\"*\"]\nttl = \"soon\"":                                            "p.toml:3: tools.*.ttl: ",
		"extends = \"clip\"\n[tools.bash]\nkeep = 3":                                                   "p.toml:3: tools.bash.keep: unknown field",
		"extends = \"clip\"\n[tools.bash]\nreplay_cost = \"free\"":                                     "p.toml:3: tools.bash.replay_cost: unknown field",
		"style = \"prose\"":                      "p.toml:1: style: prose: there are balanced",
		"{\n\"extends\": \"clip\",\n\"low\": 3}": "p.json:3: low: 3",
		"{\n\"extends\": \"clip\",\n\"rungs\": [\n{\"strategy\": \"forget\"}]}": "p.json:4: rungs[0].strategy: forget",
		"{\n\"extends\": \"clip\",\n\"lower\": 3}":                              "p.json:3: lower: unknown field",
		"{\n\"extends\": \"clip\",,":                                            "p.json:2: ",
	} {
		path := "p.toml"
		if strings.HasPrefix(text, "{") {
			path = "p.json"
		}
		_, err := policyfile.Parse(path, []byte(text))
		var at *policyfile.Error
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), "read policy "+want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}
