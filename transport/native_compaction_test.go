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
		"again":     {2, `{"context_management":[{"type":"compaction","compact_threshold":9000}],`, `,{"type":"compaction","id":"cmp_1","encrypted_content":"c2Vj"},{"role":"user","content":"Go on."}`},
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

// What a provider made of the beginning of a conversation stands for all of that: it is sent with
// each prompt, as it came, wherever it stands.
//
// SPEC: B6, V11 · WN2, WO6
func TestNativeItemsStay(t *testing.T) {
	const first = `{"role":"user","content":"Sum the parts."}`
	for name, c := range map[string]struct {
		api                 int
		before, item, after string
	}{
		"anthropic, first":                     {0, "", `{"role":"assistant","content":[{"type":"compaction","content":"What was.","signature":"c2ln"}]}`, "," + first},
		"anthropic, in an answer":              {0, first + ",", `{"type":"compaction","content":"What was.","encrypted_content":"c2ln"}`, ""},
		"responses, first":                     {2, "", `{"type":"compaction","id":"cmp_1","encrypted_content":"c2Vj"}`, "," + first},
		"responses, behind what the user said": {2, first + `,{"role":"user","content":"Then the rest."},`, `{"type":"compaction","id":"cmp_1","encrypted_content":"c2Vj"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := apis[c.api]
			up, o := newProvider(t), options(t, memory.New())
			o.Budget = 8_000
			rt := transport.New(o)
			item := c.item
			if name == "anthropic, in an answer" {
				item = `{"role":"assistant","content":[` + item + `,{"type":"text","text":"On we go."}]},{"role":"user","content":"Yes."}`
			}
			for i, rounds := range []int{2, 20, 40, 42} {
				body := strings.Replace(a.body(rounds), first, c.before+item+c.after, 1)
				post(t, rt, up.url+a.path, body, transport.ThreadHeader, "t")
				if same := up.bodies()[i] == body; same != (rounds == 2) {
					t.Errorf("%d rounds: sent as it came is %t", rounds, same)
				}
			}
			for _, sent := range up.bodies() {
				if len(sent) > len(a.body(20)) {
					t.Errorf("sent %d bytes", len(sent))
				}
				if strings.Count(sent, c.item) != 1 {
					t.Errorf("the item is gone: %.600s", sent)
				}
			}
		})
	}
}
