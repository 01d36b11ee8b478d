package transport_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

// A request in which the caller has the provider compact is left alone, whatever
// its size.
//
// SPEC: B6, B7, V11 · WN7, WO6, WP7, P18
func TestNativePasses(t *testing.T) {
	for name, c := range map[string]struct {
		api           int
		member, after string
	}{
		"threshold": {0, `{"context_management":{"edits":[{"type":"compact_20260112"}]},`, ""},
		"on demand": {0, `{"compaction":{"type":"summarize"},`, ""},
		"responses": {2, `{"context_management":[{"type":"compaction","compact_threshold":9000}],`, ""},
		"trigger":   {2, `{`, `,{"type":"compaction_trigger"}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := apis[c.api]
			body := c.member + strings.TrimPrefix(a.body(20), "{")
			at := strings.LastIndex(body, "]")
			body = body[:at] + c.after + body[at:]
			up, o := newProvider(t), options(t, memory.New())
			o.Budget = 8_000
			if _, got := post(t, transport.New(o), up.url+a.path, body, transport.ThreadHeader, "t"); got != a.answer {
				t.Errorf("answer %s", got)
			}
			if got := up.bodies(); len(got) != 1 || got[0] != body {
				t.Errorf("sent %d bytes of %d: %.300s", len(got[0]), len(body), got[0])
			}
		})
	}
}
