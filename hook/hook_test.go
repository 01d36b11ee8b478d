package hook

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var compaction = event.Payload{
	Tenant: "acme", Thread: "t1", Version: 4, Trigger: event.Manual, Messages: 50, Budget: 100_000,
	BeforeTokens: 90_000, AfterTokens: 40_000, CompactedTokens: 60_000,
}

var answers = []struct {
	name, text string
	want       event.Verdict
	bad        bool
}{
	{"nothing", "", event.Verdict{}, false},
	{"white space", " \r\n\t", event.Verdict{}, false},
	{"an empty object", "{}", event.Verdict{}, false},
	{"all fields", `{"veto":true,"reason":"freeze","instructions":"keep a"}` + "\n", event.Verdict{Veto: true, Reason: "freeze", Instructions: "keep a"}, false},
	{"fields of later", `{"instructions":"keep a","mood":"fine"}`, event.Verdict{Instructions: "keep a"}, false},
	{"a log line", "done, nothing to say", event.Verdict{}, true},
	{"another type", "[true]", event.Verdict{}, true},
	{"null", "null", event.Verdict{}, true},
	{"a field of another type", `{"instructions":"x","veto":"yes"}`, event.Verdict{}, true},
	{"two answers", `{"veto":true}{"veto":false}`, event.Verdict{}, true},
	{"half an answer", `{"veto":true`, event.Verdict{}, true},
	{"no text at all", "{\x00\xff\xfe}", event.Verdict{}, true},
}

// TestVerdict: what is no verdict is an error and lets the compaction go on.
// SPEC: G5, V9
func TestVerdict(t *testing.T) {
	for _, tt := range answers {
		v, err := verdict([]byte(tt.text))
		if v != tt.want || errors.Is(err, ErrVerdict) != tt.bad || (err != nil) != tt.bad {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, v, err, tt.want)
		}
	}
}

// FuzzVerdict: no answer does harm, and one that is refused says nothing.
func FuzzVerdict(f *testing.F) {
	for _, tt := range answers {
		f.Add([]byte(tt.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := verdict(b)
		if err != nil && (v != (event.Verdict{}) || !errors.Is(err, ErrVerdict)) {
			t.Errorf("%+v beside %v", v, err)
		}
		if len(words(err)) > 2000 {
			t.Errorf("error of %d bytes", len(words(err)))
		}
	})
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestExcerpt(t *testing.T) {
	for name, tt := range map[string][2]string{
		"short":       {" no \n", "no"},
		"long":        {strings.Repeat("x", 600), strings.Repeat("x", 500) + "…"},
		"inside rune": {"x" + strings.Repeat("é", 300), "x" + strings.Repeat("é", 249) + "…"},
		"not UTF-8":   {"a\xffb", "ab"},
	} {
		if got := excerpt([]byte(tt[0])); got != tt[1] {
			t.Errorf("%s: %q, want %q", name, got, tt[1])
		}
	}
}
