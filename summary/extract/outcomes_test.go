package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. What a call was asked is told value by value, and marks around several are no values.
func TestFieldsOfOutcomes(t *testing.T) {
	for args, want := range map[string]string{
		`{"query":["go","json [x]",[3],{"in":4},5]}`:     "- websearch: query=go, query=json [x], query=3, in=4, query=5 (#2)",
		`{"query":{"all":["go"],"none":null},"url":"x"}`: "- websearch: all=go, none=null, url=x (#2)",
	} {
		text := wording.Text(summarize(t, script(t, "call websearch "+args+"\n---\nresult: Two pages say so, which is quite a long text, longer than what stands whole.")), 0, nil)
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", args, want, text)
		}
	}
}
